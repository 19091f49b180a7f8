/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a fabric, as far as files can hold it. state_read.c reads it from JSON, and
 * state_plan.c the plans in it; state_print.c writes it, state_live.c gets it from the kernel,
 * state_diff.c computes the steps from one state to another, state_apply.c makes these steps.
 */
#ifndef _HCCTL_STATE_H
#define _HCCTL_STATE_H

#include "cmd/json_read.h"
#include "cmd/planner.h"

/* Name and version of the file format. */
#define STATE_FORMAT	"hypercube-fabric"
#define STATE_VERSION	1

/**
 * struct state_node - a node
 * @failed: the node has failed
 * @up: its endpoint is up
 * @lost: its endpoint is in a namespace that has no name
 * @owner: uid of its owner, or NL_NONE
 * @byzantine: its settings if it is a Byzantine node
 * @ifname: name of its endpoint; only in a state that was read from the kernel
 * @netns: name of the namespace of its endpoint; NULL: that of the fabric
 * @addr: addresses of its endpoint
 * @naddr: number of addresses
 * @mtu: MTU of its endpoint
 * @queue: txqueuelen of its endpoint, frames
 */
struct state_node {
	bool failed;
	bool up;
	bool lost;
	uint32_t owner;
	struct nl_byzantine byzantine;
	char ifname[16];
	char *netns;
	struct nl_addr_in *addr;
	size_t naddr;
	uint32_t mtu;
	uint32_t queue;
};

/* Defaults of the kernel for an Ethernet interface. */
#define STATE_MTU_DEFAULT	1500
#define STATE_QUEUE_DEFAULT	1000

/**
 * struct state_end - an end of a link
 * @down: the link is down; both ends have the same value
 * @seeded: imp.seed is valid
 * @flap_down: time, ms, for which the link is down in each @flap_period
 * @flap_period: period of flapping, ms; 0: it does not flap
 * @latency: latency in the time model, ns
 * @bandwidth: bandwidth in the time model, bytes/s
 * @imp: impairments
 */
struct state_end {
	bool down;
	bool seeded;
	uint32_t flap_down;
	uint32_t flap_period;
	uint64_t latency;
	uint64_t bandwidth;
	struct nl_impairments imp;
};

/**
 * struct state - the state of a fabric
 * @name: its name
 * @dim: its dimension; 0: it is not a hypercube
 * @topo: its network
 * @peer: the table of that network, to be freed, or NULL
 * @shape: description of the network
 * @fixed: subcube mask of this machine's partition
 * @base: subcube value of this machine's partition
 * @id: id of the fabric; 0: the one that follows from the name
 * @segment: bytes of a segment; 0: the kernel's default
 * @stall_timeout: stall timeout of the fabric, ms
 * @node: the nodes
 * @end: ends of links, that of node u and port d at u * topo.ports + d
 * @plan: the plans
 * @nplans: number of plans
 * @unkept: sentences, one for each property of the fabric that a file cannot hold
 * @nunkept: number of these sentences
 */
struct state {
	char name[HYPERCUBE_NAME_MAX];
	uint32_t dim;
	struct hc_topo topo;
	uint16_t *peer;
	char shape[HYPERCUBE_SHAPE_MAX + 1];
	uint32_t fixed;
	uint32_t base;
	uint32_t id;
	uint32_t segment;
	uint32_t stall_timeout;
	struct state_node *node;
	struct state_end *end;
	struct nl_plan *plan;
	size_t nplans;
	char **unkept;
	size_t nunkept;
};

/* Return: the end of link (@u, @d) at node @u. */
static inline struct state_end *state_end(const struct state *s, uint32_t u, uint32_t d)
{
	return &s->end[u * s->topo.ports + d];
}

/* Return: true if node @u is on this machine. */
static inline bool state_has(const struct state *s, uint32_t u)
{
	return cmd_is_here(u, s->fixed, s->base);
}

/* Return: true if a file lists link (@u, @d) at node @u. A link is listed at its lower end, or if
 * only one end is on this machine, there.
 */
static inline bool state_names(const struct state *s, uint32_t u, uint32_t d)
{
	uint32_t v = hc_peer(&s->topo, u, d);

	return u != v && state_has(s, u) && (u < v || !state_has(s, v));
}

/* Return: the number of ends of links, which is that of entries of s->end. */
static inline uint32_t state_ends(const struct state *s)
{
	return s->topo.nodes * s->topo.ports;
}

/* Set nodes and links to their defaults. The caller has set s->dim or s->topo. */
int state_init(struct hcctl *h, struct state *s);
void state_free(struct state *s);
/* The defaults of a node. */
extern const struct state_node state_first_node;
int state_add_addr(struct hcctl *h, struct state_node *v, const struct nl_addr_in *addr);
/* Return: true if the impairments depend on random numbers. */
bool state_uses_seed(const struct nl_impairments *imp);
/* Return: true if both ends have the same impairments and parameters of the time model. Seeds are
 * compared only if @a has one.
 */
bool state_end_same(const struct state_end *a, const struct state_end *b);
bool state_end_is_default(const struct state_end *e);

/* The following functions return 0, or an exit status after printing an error. Release @s with
 * state_free(), even after an error.
 */
int state_read(struct hcctl *h, const char *file, struct state *s);
/* Arrays in a file, for the nodes, links and plans; NULL if the file has no such array. */
struct state_parts {
	struct json_object *nodes;
	struct json_object *links;
	struct json_object *plans;
};

/* Read the arrays into a state that state_init() has initialized. */
int state_take(struct hcctl *h, struct state *s, const struct state_parts *p);
int state_read_plan(struct hcctl *h, struct json_object *o, void *state);
/* Get the state of a fabric. @endpoints: also get the namespaces of endpoints. Finding them needs
 * privileges.
 */
int state_live(struct hcctl *h, const char *fabric, bool endpoints, struct state *s);
/* Return: true if the plan can be installed again. A broken plan cannot, because of the fault that
 * has broken it.
 */
bool state_keeps(const struct nl_plan *v);
/* Print the state, always as JSON. */
void state_print(struct hcctl *h, const struct state *s);

/* Write an address, such as "10.16.0.1/16", into @buf. */
#define STATE_ADDR_BUF 64
const char *state_addr(char *buf, const struct nl_addr_in *a);

/* What a step changes. Steps are made in this order. [i] and [j] are state_step.i and .j: from
 * STATE_NETNS to STATE_BYZANTINE, [i] is a node; from STATE_STEADY to STATE_IMPAIR_BOTH, [i]:[j] is
 * a link.
 */
enum state_kind {
	STATE_FABRIC,		/* make the fabric */
	STATE_STALL_TIMEOUT,
	STATE_PLAN_DEL,		/* remove plan [i] of the current state */
	STATE_NETNS,		/* move the endpoint of node [i] */
	STATE_MTU,
	STATE_QUEUE,
	STATE_ADDR_DEL,		/* remove address [j] of the current state */
	STATE_UP,
	STATE_ADDR,		/* add address [j] of the wanted state */
	STATE_OWNER,
	STATE_BYZANTINE,
	STATE_STEADY,		/* stop the flapping of link [i]:[j] */
	STATE_LINK,
	STATE_IMPAIR,
	STATE_IMPAIR_BOTH,
	STATE_FAILED,		/* fail or restore node [i] */
	STATE_PLAN,		/* install plan [i] of the wanted state */
	STATE_FLAP,		/* make link [i]:[j] flap */
	STATE_KINDS
};

/* A step. @i and @j: see enum state_kind. @done: the step was made. */
struct state_step {
	enum state_kind kind;
	uint32_t i, j;
	bool done;
};

/**
 * struct state_diff - the steps from one state to another
 * @have: the current state; if its name is empty, the fabric does not exist
 * @want: the wanted state
 * @faults: change only which nodes have failed and which links are down
 * @keep_plans: do not change plans
 * @step: the steps; most are one request to the kernel
 * @nsteps: number of steps
 */
struct state_diff {
	struct state *have;
	const struct state *want;
	bool faults;
	bool keep_plans;
	struct state_step *step;
	size_t nsteps;
};

/* Compute d->step, to be freed. */
int state_diff(struct hcctl *h, struct state_diff *d);
/* Return: true if the endpoint has the address and keeps it in all steps. */
bool state_addr_stays(const struct state_diff *d, uint32_t u, const struct nl_addr_in *a);
/* Print the differences as an object; text: a line for each value that is removed or added. */
void state_diff_print(struct hcctl *h, const struct state_diff *d, bool dry);
/* Make the steps, up to the first one that fails, and print them. If a step fails after the fabric
 * was made by these steps, the fabric is removed.
 */
int state_apply(struct hcctl *h, struct state_diff *d);
/* Compute the steps from @d->have to @d->want. If @dry, only print them, otherwise make and print
 * them.
 */
int state_reach(struct hcctl *h, struct state_diff *d, bool dry);

#endif /* _HCCTL_STATE_H */
