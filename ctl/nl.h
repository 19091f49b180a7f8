/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel, in plain structs.  Every function prints its own complaint (the
 * kernel's sentence where there is one) and returns 0 or a negative errno.
 */
#ifndef _HCCTL_NL_H
#define _HCCTL_NL_H

#include "hcctl.h"
#include "hc_balance.h"
#include "hc_bcast.h"
#include "hc_doubling.h"
#include "hc_ring.h"
#include "hc_tree.h"

#define NL_NONE UINT32_MAX

struct nl_fabric {
	char name[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t index;
	uint32_t dim;
	uint32_t segment;
	uint32_t family;
	uint32_t links_down;
	uint32_t nodes_failed;
	uint32_t node_size;
	uint32_t dev_size;
	uint32_t patience;	/* ms, 0: for ever */
	uint32_t fixed;		/* bits that all nodes here share, see HYPERCUBE_A_FABRIC_FIXED */
	uint32_t base;
	uint64_t trunks_ended;
	uint32_t life;		/* another number for nodes that are made anew */
};

/* What a fabric is made with; 0: what the kernel takes. */
struct nl_fabric_new {
	const char *name;
	uint32_t dim;
	uint32_t id;
	uint32_t segment;
	uint32_t fixed;
	uint32_t base;
};

#define NL_DROPS (HYPERCUBE_A_DROP_MAX + 1)

/* When a node lies about what it relays. */
struct nl_lies {
	uint32_t ppm;
	uint32_t seed;
	uint32_t n;		/* of the frames in @at, which ascend */
	uint32_t at[HYPERCUBE_LIES_MAX];
};

#define NL_TASKS (HYPERCUBE_A_TASKS_MAX + 1)

struct nl_node {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t ifindex;
	char ifname[16];
	bool failed;
	bool bound;
	uint32_t fault;
	unsigned int nb;
	uint32_t nb_fault[HYPERCUBE_DIM_MAX];
	uint32_t owner;		/* NL_NONE: nobody */
	bool elsewhere;		/* in network namespace @netnsid */
	int32_t netnsid;
	bool away;		/* on another machine */
	uint64_t host_frames;
	uint64_t merged_bytes;
	struct nl_lies lie;
	uint64_t lies;
	uint64_t agreed;	/* datagrams in copies */
	uint64_t disagreed;
	uint64_t incomplete;
	uint64_t tasks[NL_TASKS];	/* numbers of its tasks, by HYPERCUBE_A_TASKS_* */
	uint64_t drops[NL_DROPS];
};

struct nl_impairments {
	uint32_t loss;
	uint32_t corrupt;
	uint32_t duplicate;
	uint32_t seed;
	uint64_t delay;
	uint64_t jitter;
	uint64_t rate;
};

struct nl_link {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t node;
	uint32_t dim;
	uint32_t state;
	uint64_t latency;	/* of the model, as is the bandwidth */
	uint64_t bandwidth;
	struct nl_impairments imp;
	uint32_t flap_down;	/* ms */
	uint32_t flap_period;
	uint64_t replays;
	uint64_t corrupted;
	uint64_t duplicated;
	uint64_t delayed;
	uint32_t queued;
	uint32_t queued_bytes;
	uint64_t tx_frames;
	uint64_t tx_bytes;
	uint64_t rx_frames;
	uint64_t rx_bytes;
	uint64_t drops[NL_DROPS];
};

/* The way of a detour: the dimensions of its links. */
struct nl_way {
	unsigned int hops;
	uint8_t *dims;
};

struct nl_plan {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t epoch;
	uint32_t type;
	uint32_t sink;		/* of a tree */
	uint32_t source;	/* of a broadcast */
	uint32_t base;		/* of a doubling */
	uint8_t *sequence;
	uint32_t steps;
	unsigned int stages;
	uint8_t order[HC_LIB_DIM_MAX];
	uint32_t *members;	/* set */
	uint32_t member_words;
	struct hc_detour *detours;
	uint32_t ndetours;
	struct nl_way *ways;	/* of the detours, as far as they were told */
	uint32_t nways;
	struct hc_ring *rings;
	uint32_t nrings;
	uint16_t *ring_nodes;
	uint32_t nring_nodes;
	uint32_t *fault;	/* 2^n words */
	uint32_t nfault;
	bool broken;
	bool repair;		/* it repairs itself */
	uint32_t repairs;	/* how often it has */
	uint32_t cause_node;	/* NL_NONE: not said */
	uint32_t cause_dim;
};

struct nl_op {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t plan;
	uint32_t epoch;
	uint32_t node;
	uint64_t nr;
	uint32_t wait;
	uint32_t peer;
	uint64_t since;
	uint64_t next;
	uint64_t done;
	uint32_t gen;
	int32_t status;
	uint32_t cause_node;	/* NL_NONE: not said */
	uint32_t cause_dim;
	uint32_t steps;
	uint64_t time;
};

#define NL_PEER_SIZE 128

struct nl_trunk {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t dim;
	uint32_t fixed;		/* of the nodes at the other end */
	uint32_t base;
	uint32_t keep;		/* ms */
	uint32_t links;
	bool greeted;
	bool no_plans;
	uint32_t digest;	/* 1: records have CRC32C */
	uint32_t life;		/* of the other end's fabric, 0: not known */
	uint32_t silence;	/* ms since something has come */
	uint32_t family;
	uint8_t peer[NL_PEER_SIZE];
	uint32_t peer_len;
	uint64_t tx_frames;
	uint64_t tx_bytes;
	uint64_t rx_frames;
	uint64_t rx_bytes;
	uint64_t dropped;
	uint32_t error;
	char why[128];
};

enum nl_digest { NL_DIGEST_DEFAULT, NL_DIGEST_OFF, NL_DIGEST_ON };

/* What a trunk is made of: @far: the nodes at the other end are said; keep: 0 for the default. */
struct nl_trunk_new {
	int fd;
	uint32_t dim;
	bool far;
	uint32_t fixed;
	uint32_t base;
	uint32_t keep;
	bool no_plans;
	enum nl_digest digest;
	bool replace;		/* the trunk that carries the same links */
};

struct nl_detect {
	uint32_t found;
	uint32_t nlinks;
	struct link_ref *links;
};

void nl_leave(struct hcctl *h);
/* Descriptor of a named network namespace or a negative errno; its path in @path. */
int nl_netns_open(const char *name, char *path, size_t size);

/* Its id here, or -1. */
int nl_netns_id(struct hcctl *h, int fd);

/* An address and the length of its network's prefix; family 0: none. */
struct nl_addr_in {
	uint8_t family;
	uint8_t prefix;
	uint8_t bytes[16];
};

/* What an address has beside that: a set of these. */
enum {
	NL_ADDR_PEER = 1 << 0,
	NL_ADDR_BROADCAST = 1 << 1,
	NL_ADDR_SCOPE = 1 << 2,
	NL_ADDR_LABEL = 1 << 3,
	NL_ADDR_LIFETIME = 1 << 4,
	NL_ADDR_METRIC = 1 << 5,
	NL_ADDR_FLAGS = 1 << 6,
};

/* An interface of the namespace that the process is in, and an address that one has there. */
struct nl_dev {
	uint32_t index;
	char name[16];
	bool up;
	uint32_t mtu;
	uint32_t queue;		/* frames, its txqueuelen */
};

struct nl_addr {
	uint32_t index;
	struct nl_addr_in addr;
	uint32_t beside;	/* NL_ADDR_* */
};

int nl_devs(struct hcctl *h, struct nl_dev **v, size_t *n);
int nl_addrs(struct hcctl *h, struct nl_addr **v, size_t *n);

/* In the namespace that the process is in: take the loopback interface up, with an
 * alias; give an interface an address (or NULL) and take it up.
 */
int nl_dev_mark(struct hcctl *h, const char *alias);
int nl_dev_start(struct hcctl *h, const char *ifname, const struct nl_addr_in *addr);
int nl_dev_address(struct hcctl *h, const char *ifname, const struct nl_addr_in *addr, bool add);
int nl_dev_up(struct hcctl *h, const char *ifname, bool up);
int nl_dev_mtu(struct hcctl *h, const char *ifname, uint32_t mtu);
int nl_dev_queue(struct hcctl *h, const char *ifname, uint32_t frames);
/* False if there is no such interface, or it has no alias that fits. */
bool nl_dev_alias(struct hcctl *h, const char *ifname, char *alias, size_t size);

/* Lists: all there are, in one consistent dump, in an array for free(). */
int nl_fabrics(struct hcctl *h, struct nl_fabric **v, size_t *n);
int nl_nodes(struct hcctl *h, const char *fabric, struct nl_node **v, size_t *n);
int nl_links(struct hcctl *h, const char *fabric, struct nl_link **v, size_t *n);
int nl_ops(struct hcctl *h, const char *fabric, struct nl_op **v, size_t *n);
/* Those of one plan; @node: of one member, or NL_NONE for all. */
int nl_plan_ops(struct hcctl *h, const char *fabric, uint32_t plan, uint32_t node,
		struct nl_op **v, size_t *n);
/* Plans: release with nl_plans_free(). */
int nl_plans(struct hcctl *h, const char *fabric, struct nl_plan **v, size_t *n);
void nl_plans_free(struct nl_plan *v, size_t n);

int nl_trunks(struct hcctl *h, const char *fabric, struct nl_trunk **v, size_t *n);

/* One; a plan is released with nl_plan_clear(). */
int nl_plan(struct hcctl *h, const char *fabric, uint32_t id, struct nl_plan *v);
void nl_plan_clear(struct nl_plan *v);
int nl_fabric(struct hcctl *h, const char *name, struct nl_fabric *f);
int nl_node(struct hcctl *h, const char *fabric, uint32_t node, struct nl_node *v);
int nl_link(struct hcctl *h, const char *fabric, uint32_t node, uint32_t dim,
	    struct nl_link *v);

int nl_fabric_add(struct hcctl *h, const struct nl_fabric_new *f);
int nl_fabric_del(struct hcctl *h, const char *name);
int nl_fabric_patience(struct hcctl *h, const char *name, uint32_t ms);
int nl_node_fail(struct hcctl *h, const char *fabric, uint32_t node, bool fail);
int nl_node_owner(struct hcctl *h, const char *fabric, uint32_t node, uint32_t uid);
/* By chance, or if @set names any, in those frames; @seed: and begin the random numbers anew. */
int nl_node_lie(struct hcctl *h, const char *fabric, uint32_t node, const struct nl_lies *set,
		bool seed);
/* @fd: descriptor of the namespace; or -1 and @pid */
int nl_node_netns(struct hcctl *h, const char *fabric, uint32_t node, int fd, uint32_t pid);

/* Changes to a link: set_* say which of the others are valid. */
struct nl_link_set {
	bool set_down, set_flap, set_latency, set_bandwidth;
	bool set_loss, set_corrupt, set_duplicate, set_delay, set_jitter, set_rate, set_seed;
	bool one_way;
	bool down;
	uint32_t flap_down;	/* ms */
	uint32_t flap_period;
	uint64_t latency;
	uint64_t bandwidth;
	struct nl_impairments imp;
};

int nl_link_set(struct hcctl *h, const char *fabric, struct link_ref link,
		const struct nl_link_set *s);
int nl_trunk_add(struct hcctl *h, const char *fabric, const struct nl_trunk_new *t);
int nl_trunk_del(struct hcctl *h, const char *fabric, uint32_t id);
int nl_fault_clear(struct hcctl *h, const char *fabric);
/* Release d->links with free(). */
int nl_detect(struct hcctl *h, const char *fabric, uint32_t timeout, struct nl_detect *d);
/* The dimensions that a frame crossed, for free(). */
struct nl_route {
	uint8_t *dim;
	uint32_t hops;
};

/* -ENOLINK (there is no path) is no complaint. */
int nl_route(struct hcctl *h, const char *fabric, uint32_t src, uint32_t dst,
	     struct nl_route *r);

/**
 * struct nl_shape - what a plan of any type is made of; NULL: it has no such thing
 * @root_attr: HYPERCUBE_A_PLAN_SINK, or what else its root is; 0: it follows from the rest
 * @root: its root
 * @order: dimensions, @stages entries
 * @stages: how many
 * @sequence: dimensions, @steps entries
 * @steps: how many
 * @members: set; NULL: they follow from the rest
 * @detours: @ndetours entries
 * @ndetours: how many
 * @rings: a tree of rings
 * @repair: that repairs itself
 * @epoch: the epoch that the plan is to have; 0: the next one
 * @here: on this machine alone
 */
struct nl_shape {
	int root_attr;
	uint32_t root;
	const uint8_t *order;
	unsigned int stages;
	const uint8_t *sequence;
	uint32_t steps;
	const uint32_t *members;
	const struct hc_detour *detours;
	uint32_t ndetours;
	const struct hc_ring_tree *rings;
	bool repair;
	uint32_t epoch;
	bool here;
};

/* Install a plan of a cube of dimension @dim for the faults of its nodes.  @may_fail: that
 * these have changed (-ESTALE), or machines are busy (-EBUSY), is no complaint.
 */
int nl_plan_add(struct hcctl *h, const char *fabric, uint32_t id, uint32_t type,
		const struct nl_shape *s, unsigned int dim, const uint32_t *fault,
		bool may_fail);
/* Hand over tasks along @dim. */
int nl_task_move(struct hcctl *h, const char *fabric, uint32_t node, uint32_t dim, uint64_t count);
/* How often what is refused for the moment is asked for, and the time in between. */
#define NL_TRIES 10
void nl_pause(int try);
int nl_plan_del(struct hcctl *h, const char *fabric, uint32_t id, bool here);

/* Copies of a datagram disagree. */
struct nl_verdict {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t node;
	uint32_t src;
	uint64_t nr;
	uint32_t judgement;
	uint32_t copies;
	unsigned int npaths;
	struct hypercube_path path[HYPERCUBE_DIM_MAX];
};

/* Ids that one event has room for. */
#define NL_TASK_IDS 32

/* Tasks that were lost. */
struct nl_tasks_lost {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t node;
	uint32_t loss;
	uint64_t count;
	unsigned int n;
	struct hypercube_task id[NL_TASK_IDS];
};

/* A round of balancing that has ended. */
struct nl_round {
	uint64_t nr;
	uint32_t node;		/* that has begun it */
	uint32_t method;
	uint32_t trigger;
	int32_t status;
	uint32_t cause_node;	/* NL_NONE: not said */
	uint32_t cause_dim;
	uint32_t members;
	uint64_t moved;		/* tasks times links */
	uint64_t began;		/* ns */
	uint64_t took;
};

/* Rounds of balancing of a fabric; in an event, one of them. */
struct nl_balance {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t method;
	uint32_t threshold;
	uint32_t period;	/* ms, 0: none */
	uint64_t done;
	uint64_t failed;
	uint64_t beaten;
	uint64_t moved;
	uint32_t epoch;		/* of the topology, 0: there is none */
	uint32_t dims;
	uint32_t base;
	uint32_t depth;
	uint32_t nodes;		/* that it is about: all */
	unsigned int n;
	struct nl_round round[HYPERCUBE_ROUNDS_KEPT];	/* the oldest first */
};

int nl_balance(struct hcctl *h, const char *fabric, struct nl_balance *v);
/* NL_NONE: it stays as it is. */
struct nl_balance_set {
	uint32_t method;
	uint32_t period;
	uint32_t threshold;
	bool set_threshold;
};

int nl_balance_set(struct hcctl *h, const char *fabric, const struct nl_balance_set *s);
/* Install a topology that was made for the faults @fault. */
int nl_balance_topology(struct hcctl *h, const char *fabric, const struct hc_balance *b,
			const uint32_t *fault);
/* Run a round, and wait for its end; @method, @node: NL_NONE for what the kernel takes. */
int nl_balance_run(struct hcctl *h, const char *fabric, uint32_t method, uint32_t node,
		   struct nl_balance *v);

/* An event: @cmd is HYPERCUBE_CMD_*_NTF and tells which member is valid. */
struct nl_event {
	int cmd;
	struct nl_fabric fabric;
	struct nl_trunk trunk;
	struct nl_node node;
	struct nl_link link;
	struct nl_plan plan;
	struct nl_op op;
	struct nl_verdict verdict;
	struct nl_tasks_lost lost;
	struct nl_balance balance;
};

typedef int (*nl_event_fn)(struct hcctl *h, const struct nl_event *e, void *arg);
/* Deliver events until @stop is set by a signal or @fn returns other than 0.
 * @ready is called once, when nothing can be missed any more.
 */
int nl_events(struct hcctl *h, nl_event_fn fn, void *arg,
	      const volatile int *stop, void (*ready)(void));

/* Names of drop reasons; NULL if there is none of that number. */
const char *nl_drop_name(unsigned int reason);

#endif /* _HCCTL_NL_H */
