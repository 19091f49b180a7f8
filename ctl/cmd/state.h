/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a fabric that can be kept, in files: state_read.c reads it from JSON and
 * state_plan.c the plans of that, state_print.c writes it, state_live.c asks the kernel for it,
 * state_diff.c finds what tells two states apart, state_apply.c changes the one into the other.
 */
#ifndef _HCCTL_STATE_H
#define _HCCTL_STATE_H

#include "json_read.h"
#include "planner.h"

/* In the file, and the number of its format. */
#define STATE_FORMAT	"hypercube-fabric"
#define STATE_VERSION	1

/**
 * struct state_node - a node that may not be as nodes are at first
 * @failed: it has
 * @up: its endpoint is
 * @lost: its endpoint is in a namespace that has no name
 * @owner: uid, or NL_NONE
 * @lie: when it lies about what it relays
 * @ifname: name of its endpoint, of what the kernel says
 * @netns: name of the namespace of its endpoint; NULL: that of the fabric
 * @addr: addresses of its endpoint
 * @naddr: how many
 * @mtu: of its endpoint
 * @queue: frames, the txqueuelen of its endpoint
 */
struct state_node {
	bool failed;
	bool up;
	bool lost;
	uint32_t owner;
	struct nl_lies lie;
	char ifname[16];
	char *netns;
	struct nl_addr_in *addr;
	size_t naddr;
	uint32_t mtu;
	uint32_t queue;
};

/* As the kernel makes an Ethernet interface. */
#define STATE_MTU_DEFAULT	1500
#define STATE_QUEUE_DEFAULT	1000

/**
 * struct state_end - an end of a link
 * @down: the link is, as is its other end
 * @seeded: imp.seed is to be that
 * @flap_down: ms, of the link
 * @flap_period: ms, or 0
 * @latency: ns
 * @bandwidth: bytes/s
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
 * struct state - of a fabric
 * @name: its name
 * @dim: its dimension
 * @fixed: bits that all nodes here share
 * @base: what they are
 * @id: its number; 0: the one that follows from the name
 * @segment: bytes; 0: what the kernel takes
 * @patience: ms
 * @node: nodes
 * @end: ends of links, that of node u and dimension d at u * dim + d
 * @plan: plans
 * @nplans: how many
 * @unkept: what the fabric has that no file can have, a sentence each
 * @nunkept: how many
 */
struct state {
	char name[HYPERCUBE_NAME_MAX];
	uint32_t dim;
	uint32_t fixed;
	uint32_t base;
	uint32_t id;
	uint32_t segment;
	uint32_t patience;
	struct state_node *node;
	struct state_end *end;
	struct nl_plan *plan;
	size_t nplans;
	char **unkept;
	size_t nunkept;
};

static inline struct state_end *state_end(const struct state *s, uint32_t u, uint32_t d)
{
	return &s->end[u * s->dim + d];
}

static inline bool state_has(const struct state *s, uint32_t u)
{
	return cmd_is_here(u, s->fixed, s->base);
}

/* A link is named by its lower end, or by the only one that is here. */
static inline bool state_names(const struct state *s, uint32_t u, uint32_t d)
{
	return state_has(s, u) && (!(u & hc_bit(d)) || !state_has(s, hc_neigh(u, d)));
}

static inline uint32_t state_ends(const struct state *s)
{
	return hc_nodes(s->dim) * s->dim;
}

/* Nodes and links as they are at first; s->dim is set. */
int state_init(struct hcctl *h, struct state *s);
void state_free(struct state *s);
/* What a node is at first. */
extern const struct state_node state_first_node;
int state_add_addr(struct hcctl *h, struct state_node *v, const struct nl_addr_in *addr);
/* Do random numbers decide the fate of frames? */
bool state_uses_seed(const struct nl_impairments *imp);
/* Are the ends impaired alike, and of one model?  A seed counts where @a has one. */
bool state_end_same(const struct state_end *a, const struct state_end *b);
bool state_end_is_default(const struct state_end *e);

/* All of these return 0 or have complained.  Release with state_free(), whatever they say. */
int state_read(struct hcctl *h, const char *file, struct state *s);
/* What a file says of nodes, links and plans: arrays, or NULL. */
struct state_parts {
	struct json_object *nodes;
	struct json_object *links;
	struct json_object *plans;
};

/* Into a state that state_init() has made. */
int state_take(struct hcctl *h, struct state *s, const struct state_parts *p);
int state_read_plan(struct hcctl *h, struct json_object *o, void *state);
/* Without @endpoints, not where these are: to look there takes privileges. */
int state_live(struct hcctl *h, const char *fabric, bool endpoints, struct state *s);
/* Can the plan be installed again?  A broken one cannot, for the faults that have broken it. */
bool state_keeps(const struct nl_plan *v);
/* Always JSON. */
void state_print(struct hcctl *h, const struct state *s);

/* "10.16.0.1/16" in @buf */
#define STATE_ADDR_BUF 64
const char *state_addr(char *buf, const struct nl_addr_in *a);

/* What a step changes, in the order in which they are made. */
enum state_kind {
	STATE_FABRIC,		/* make it */
	STATE_PATIENCE,
	STATE_PLAN_DEL,		/* [i] of those that there are */
	STATE_NETNS,		/* [i]: a node, as are the next ones */
	STATE_MTU,
	STATE_QUEUE,
	STATE_ADDR_DEL,		/* [j] of those that there are */
	STATE_UP,
	STATE_ADDR,		/* [j] of those that are wanted */
	STATE_OWNER,
	STATE_LIE,
	STATE_STEADY,		/* [i]: end of a link that flaps no more, as are the next ones */
	STATE_LINK,
	STATE_IMPAIR,
	STATE_IMPAIR_BOTH,
	STATE_FAILED,		/* [i]: a node */
	STATE_PLAN,		/* [i] of those that are wanted */
	STATE_FLAP,		/* [i]: end of a link */
	STATE_KINDS
};

struct state_step {
	enum state_kind kind;
	uint32_t i, j;
	bool done;
};

/**
 * struct state_diff - what is to be done
 * @have: the fabric as it is; without name: there is none
 * @want: as it is wanted
 * @faults: only failed nodes and links that are down
 * @keep_plans: plans stay as they are
 * @step: one request to the kernel each, mostly
 * @nsteps: how many
 */
struct state_diff {
	struct state *have;
	const struct state *want;
	bool faults;
	bool keep_plans;
	struct state_step *step;
	size_t nsteps;
};

/* Fills d->step, for free(). */
int state_diff(struct hcctl *h, struct state_diff *d);
/* Does the address stay as it is, whatever else is done to its endpoint? */
bool state_addr_stays(const struct state_diff *d, uint32_t u, const struct nl_addr_in *a);
/* An object; text: a line for each value that goes or comes. */
void state_diff_print(struct hcctl *h, const struct state_diff *d, bool dry);
/* Make the steps, up to the first that fails, and print them.  A fabric that is made so is removed
 * then.
 */
int state_apply(struct hcctl *h, struct state_diff *d);
/* Find out what is to be done, do it unless @dry, print it; @d has what there is and is wanted. */
int state_reach(struct hcctl *h, struct state_diff *d, bool dry);

#endif /* _HCCTL_STATE_H */
