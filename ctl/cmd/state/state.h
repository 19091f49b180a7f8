/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a fabric, as far as a file can hold it. state_read.c reads it from JSON, and
 * state_plan.c reads the plans in it; state_print.c writes it, state_live.c gets it from the
 * kernel, state_diff.c computes the steps from one state to another, and state_apply.c makes these
 * steps. state_link.c has the table of the numbers of a link.
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
 * @up: the node's endpoint is up
 * @lost: the endpoint is in a network namespace that has no name
 * @owner: uid of the owner, or NL_NONE
 * @byzantine: settings that make the node Byzantine; all 0: it is not
 * @ifname: name of the endpoint; only in a state that was read from the kernel
 * @netns: name of the network namespace of the endpoint; NULL: that of the fabric
 * @addr: addresses of the endpoint
 * @naddr: number of entries of @addr
 * @mtu: MTU of the endpoint
 * @queue: txqueuelen of the endpoint, frames
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

/* The kernel's defaults for an Ethernet interface. */
#define STATE_MTU_DEFAULT	1500
#define STATE_QUEUE_DEFAULT	1000

/* Impairments of one direction of a link. */
/**
 * struct state_end - an end of a link
 * @down: the administrator has taken the link down; both ends have the same value
 * @flap_down: time for which the link is down in each period of flapping, ms
 * @flap_period: period of flapping, ms; 0: the link does not flap
 * @latency: latency in the time model, ns
 * @bandwidth: bandwidth in the time model, bytes/s
 * @loss: frames that are lost, ppm
 * @corrupt: frames in which a bit is flipped, ppm
 * @duplicate: frames that are sent twice, ppm
 * @delay: delay of frames, ns
 * @jitter: time by which @delay varies, ns
 * @rate: bytes/s; 0: no limit
 * @seed: seed of the random numbers; STATE_SEED_NONE: none, or they are not used
 */
struct state_end {
	bool down;
	uint32_t flap_down;
	uint32_t flap_period;
	uint64_t latency;
	uint64_t bandwidth;
	uint64_t loss;
	uint64_t corrupt;
	uint64_t duplicate;
	uint64_t delay;
	uint64_t jitter;
	uint64_t rate;
	uint64_t seed;
};

#define STATE_SEED_NONE UINT64_MAX

/**
 * struct state_number - a number of a link's end that is set independently of the other end
 * @key: its key in a file; NULL ends the table
 * @word: its keyword of "link set"
 * @at: offset of its member of struct state_end
 * @attr: its attribute, HYPERCUBE_A_LINK_*
 * @max: greatest value in a file
 * @first: default value
 * @text: converts it to text
 */
struct state_number {
	const char *key;
	const char *word;
	size_t at;
	int attr;
	uint64_t max;
	uint64_t first;
	const char *(*text)(char *buf, uint64_t v);
};

#define STATE_NUMBERS 9
extern const struct state_number state_numbers[STATE_NUMBERS + 1];

/**
 * struct state - the state of a fabric
 * @name: its name
 * @dim: its dimension; 0: the network is not a hypercube
 * @topo: its network
 * @peer: the table of peers that @topo uses, to be freed; NULL: @topo has no table
 * @shape: description of the network, see nl_fabric.shape
 * @fixed: subcube mask of this machine's partition
 * @base: subcube value of this machine's partition
 * @id: id of the fabric; 0: computed from the name
 * @segment: payload bytes of a segment; 0: the kernel's default
 * @stall_timeout: stall timeout of the fabric, ms
 * @node: the nodes
 * @end: ends of links; the end of link (u, d) at node u is entry u * topo.ports + d
 * @plan: the plans
 * @nplans: number of entries of @plan
 * @unkept: sentences that name the properties of the fabric which a file cannot hold
 * @nunkept: number of entries of @unkept
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

/* Return: true if a file lists link (@u, @d) at node @u. A link is listed at its lower node, or if
 * only one of its nodes is on this machine, at that node.
 */
static inline bool state_names(const struct state *s, uint32_t u, uint32_t d)
{
	uint32_t v = hc_peer(&s->topo, u, d);

	return u != v && state_has(s, u) && (u < v || !state_has(s, v));
}

/* Return: the number of entries of s->end. */
static inline uint32_t state_ends(const struct state *s)
{
	return s->topo.nodes * s->topo.ports;
}

/* Allocate nodes and link ends, and set them to their defaults. The caller has set s->dim or
 * s->topo.
 */
int state_init(struct hcctl *h, struct state *s);
void state_free(struct state *s);
/* A node with all values at their defaults. */
extern const struct state_node state_first_node;
int state_add_addr(struct hcctl *h, struct state_node *v, const struct nl_addr_in *addr);

/* --- state_link.c --- */
uint64_t *state_number_of(struct state_end *e, const struct state_number *n);
uint64_t state_number(const struct state_end *e, const struct state_number *n);
/* Return: true if the number must be set at an end that has the values @have. A seed that is not
 * known, or that stays the same, is not set, because setting it would restart the random numbers.
 */
bool state_number_changes(const struct state_end *have, const struct state_end *want,
			  const struct state_number *n);
/* Return: an end with all values at their defaults. */
struct state_end state_end_default(void);
/* Return: true if the end has impairments that use random numbers. */
bool state_uses_seed(const struct state_end *e);
/* Return: true if the two ends have the same impairments and parameters of the time model. Seeds
 * are compared only if @a has one.
 */
bool state_end_same(const struct state_end *a, const struct state_end *b);
bool state_end_is_default(const struct state_end *e);
/* Set the numbers of an end to those that the kernel has sent. */
void state_end_take(struct state_end *e, const struct nl_link *v);
/* Return: a request that sets the numbers of the end that differ, and has all of @want. */
struct nl_link_set state_end_changes(const struct state_end *have, const struct state_end *want);

/* The following functions return 0, or an exit status after printing an error. In both cases the
 * caller releases @s with state_free().
 */
int state_read(struct hcctl *h, const char *file, struct state *s);
/* The arrays of nodes, links and plans in a file. An array that the file does not have is NULL. */
struct state_parts {
	struct json_object *nodes;
	struct json_object *links;
	struct json_object *plans;
};

/* Read the arrays @p into the state @s, which state_init() has initialized. */
int state_take(struct hcctl *h, struct state *s, const struct state_parts *p);
int state_read_plan(struct hcctl *h, struct json_object *o, void *state);
/* Get the state of a live fabric. @endpoints: also get the state of the endpoints. Privileges are
 * required to enter their namespaces.
 */
int state_live(struct hcctl *h, const char *fabric, bool endpoints, struct state *s);
/* Return: true if the plan can be saved and installed again. A plan of an unknown type cannot, nor
 * can a broken plan, because of the fault that has broken it.
 */
bool state_keeps(const struct nl_plan *v);
/* Print the state as JSON, even if the user did not ask for JSON. */
void state_print(struct hcctl *h, const struct state *s);

/* Write an address with its prefix length, such as "10.16.0.1/16", into @buf. */
#define STATE_ADDR_BUF 64
const char *state_addr(char *buf, const struct nl_addr_in *a);

/* What a step changes. Steps are made in the order of this list. [i] and [j] stand for state_step.i
 * and .j: from STATE_NETNS to STATE_BYZANTINE, [i] is a node; from STATE_STEADY to
 * STATE_IMPAIR_BOTH, [i]:[j] is a link.
 */
enum state_kind {
	STATE_FABRIC,		/* make the fabric */
	STATE_STALL_TIMEOUT,	/* set the stall timeout */
	STATE_PLAN_DEL,		/* remove plan [i] of the current state */
	STATE_NETNS,		/* move the endpoint of node [i] */
	STATE_MTU,		/* set the MTU of an endpoint */
	STATE_QUEUE,		/* set the txqueuelen of an endpoint */
	STATE_ADDR_DEL,		/* remove address [j] of the current state from an endpoint */
	STATE_UP,		/* bring an endpoint up or down */
	STATE_ADDR,		/* add address [j] of the wanted state to an endpoint */
	STATE_OWNER,		/* set the owner of the node */
	STATE_BYZANTINE,	/* make the node Byzantine or honest */
	STATE_STEADY,		/* stop the flapping of link [i]:[j] */
	STATE_LINK,		/* take the link down or up */
	STATE_IMPAIR,		/* set impairments at one end of the link */
	STATE_IMPAIR_BOTH,	/* set impairments at both ends of the link */
	STATE_FAILED,		/* fail or restore node [i] */
	STATE_PLAN,		/* install plan [i] of the wanted state */
	STATE_FLAP,		/* make link [i]:[j] flap */
	STATE_KINDS
};

/* A step. @i and @j depend on @kind, see enum state_kind. @done: the step was made. */
struct state_step {
	enum state_kind kind;
	uint32_t i, j;
	bool done;
};

/**
 * struct state_diff - the steps from one state to another
 * @have: the current state; if its name is "", the fabric does not exist
 * @want: the wanted state
 * @faults: the steps change only which nodes have failed and which links are down
 * @keep_plans: the steps do not change plans
 * @step: the steps; most are a single request to the kernel
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

/* Compute the steps from d->have to d->want, in d->step, which is to be freed. */
int state_diff(struct hcctl *h, struct state_diff *d);
/* Return: true if the endpoint of node @u has the address @a, and no step removes it. */
bool state_addr_stays(const struct state_diff *d, uint32_t u, const struct nl_addr_in *a);
/* Print the steps as an object. Text: a line for each value that a step removes or adds. @dry: the
 * steps are not to be made.
 */
void state_diff_print(struct hcctl *h, const struct state_diff *d, bool dry);
/* Make the steps, up to the first one that fails, and print them. If the steps have made the fabric
 * and a later step fails, the fabric is removed.
 */
int state_apply(struct hcctl *h, struct state_diff *d);
/* Compute the steps from @d->have to @d->want. With @dry, only print them, otherwise make and print
 * them.
 */
int state_reach(struct hcctl *h, struct state_diff *d, bool dry);

#endif /* _HCCTL_STATE_H */
