/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a fabric that can be kept in files: state_read.c reads it from JSON and state_plan.c
 * the plans in that, state_print.c writes it, state_live.c gets it from the kernel, state_diff.c
 * finds the differences of two states, state_apply.c changes one state into the other.
 */
#ifndef _HCCTL_STATE_H
#define _HCCTL_STATE_H

#include "json_read.h"
#include "planner.h"

/* Name and version of the file format. */
#define STATE_FORMAT	"hypercube-fabric"
#define STATE_VERSION	1

/**
 * struct state_node - a node
 * @failed: the node has failed
 * @up: its endpoint is up
 * @lost: its endpoint is in a namespace that has no name
 * @owner: uid of its owner, or NL_NONE
 * @byzantine: when it is Byzantine
 * @ifname: name of its endpoint; only from the kernel
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
 * @down: the link is down, as it is at its other end
 * @seeded: imp.seed is to be set
 * @flap_down: ms for which the link is down in each @flap_period
 * @flap_period: ms, or 0: it does not flap
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
 * @dim: its dimension; 0: it is no hypercube
 * @topo: its network
 * @peer: the table of that network, to be freed, or NULL
 * @shape: description of the network
 * @fixed: subcube mask: bits that all nodes on this machine share
 * @base: subcube value: these bits
 * @id: number of the fabric; 0: the one that follows from the name
 * @segment: bytes of a segment; 0: the kernel's default
 * @stall_timeout: stall timeout of the fabric, ms
 * @node: the nodes
 * @end: ends of links, that of node u and port d at u * topo.ports + d
 * @plan: the plans
 * @nplans: number of plans
 * @unkept: what the fabric has that no file can hold, a sentence each
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

static inline struct state_end *state_end(const struct state *s, uint32_t u, uint32_t d)
{
	return &s->end[u * s->topo.ports + d];
}

static inline bool state_has(const struct state *s, uint32_t u)
{
	return cmd_is_here(u, s->fixed, s->base);
}

/* Does the state name a link by this end? A link is named by its lower end, or by the only one on
 * this machine.
 */
static inline bool state_names(const struct state *s, uint32_t u, uint32_t d)
{
	uint32_t v = hc_peer(&s->topo, u, d);

	return u != v && state_has(s, u) && (u < v || !state_has(s, v));
}

static inline uint32_t state_ends(const struct state *s)
{
	return s->topo.nodes * s->topo.ports;
}

/* Set nodes and links to their defaults; s->dim or s->topo is set. */
int state_init(struct hcctl *h, struct state *s);
void state_free(struct state *s);
/* The default of a node. */
extern const struct state_node state_first_node;
int state_add_addr(struct hcctl *h, struct state_node *v, const struct nl_addr_in *addr);
/* Do random numbers decide what happens to frames? */
bool state_uses_seed(const struct nl_impairments *imp);
/* Have both ends the same impairments and model? A seed counts if @a has one. */
bool state_end_same(const struct state_end *a, const struct state_end *b);
bool state_end_is_default(const struct state_end *e);

/* All of these return 0, or an exit status after printing an error. Release with state_free(), even
 * after an error.
 */
int state_read(struct hcctl *h, const char *file, struct state *s);
/* The nodes, links and plans in a file: arrays, or NULL. */
struct state_parts {
	struct json_object *nodes;
	struct json_object *links;
	struct json_object *plans;
};

/* Read them into a state that state_init() has made. */
int state_take(struct hcctl *h, struct state *s, const struct state_parts *p);
int state_read_plan(struct hcctl *h, struct json_object *o, void *state);
/* Get the state of a fabric. Without @endpoints, where endpoints are is left out: looking there
 * needs privileges.
 */
int state_live(struct hcctl *h, const char *fabric, bool endpoints, struct state *s);
/* Can the plan be installed again? A broken one cannot, because of the faults that
 * have broken it.
 */
bool state_keeps(const struct nl_plan *v);
/* Print the state, always as JSON. */
void state_print(struct hcctl *h, const struct state *s);

/* Write "10.16.0.1/16" into @buf. */
#define STATE_ADDR_BUF 64
const char *state_addr(char *buf, const struct nl_addr_in *a);

/* What a step changes, in the order in which steps are made. */
enum state_kind {
	STATE_FABRIC,		/* make the fabric */
	STATE_STALL_TIMEOUT,
	STATE_PLAN_DEL,		/* plan [i] of the present state */
	STATE_NETNS,		/* [i]: a node, as in the next ones */
	STATE_MTU,
	STATE_QUEUE,
	STATE_ADDR_DEL,		/* address [j] of the present state */
	STATE_UP,
	STATE_ADDR,		/* address [j] of the wanted state */
	STATE_OWNER,
	STATE_BYZANTINE,
	STATE_STEADY,		/* [i]: end of a link that must not flap any more, as in the next
				 * ones
				 */
	STATE_LINK,
	STATE_IMPAIR,
	STATE_IMPAIR_BOTH,
	STATE_FAILED,		/* [i]: a node */
	STATE_PLAN,		/* plan [i] of the wanted state */
	STATE_FLAP,		/* [i]: end of a link */
	STATE_KINDS
};

struct state_step {
	enum state_kind kind;
	uint32_t i, j;
	bool done;
};

/**
 * struct state_diff - the steps from one state to another
 * @have: the present state; without a name: there is no fabric
 * @want: the wanted state
 * @faults: change only failed nodes and links that are down
 * @keep_plans: plans stay as they are
 * @step: the steps, mostly one request to the kernel each
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
/* Does the address stay, whatever else is done to its endpoint? */
bool state_addr_stays(const struct state_diff *d, uint32_t u, const struct nl_addr_in *a);
/* Print an object; text: a line for each value that is removed or added. */
void state_diff_print(struct hcctl *h, const struct state_diff *d, bool dry);
/* Make the steps, up to the first that fails, and print them. A fabric that was made by them is
 * removed after a failure.
 */
int state_apply(struct hcctl *h, struct state_diff *d);
/* Compute the steps, make them unless @dry, print them; @d has the present and the wanted state. */
int state_reach(struct hcctl *h, struct state_diff *d, bool dry);

#endif /* _HCCTL_STATE_H */
