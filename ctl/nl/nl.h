/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests to the kernel, and its replies as plain structs. Each function prints its own error
 * messages (with the kernel's message if there is one), and returns 0 or a negative errno.
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
	uint32_t dim;		/* 0: the network is not a hypercube */
	uint32_t nodes;
	uint32_t ports;		/* greatest number of ports of a node; the dimension of a link is
				 * its port number
				 */
	char shape[HYPERCUBE_SHAPE_MAX + 1];	/* as its maker wrote it; "": a hypercube */
	uint32_t segment;
	uint32_t family;
	uint32_t links_down;
	uint32_t nodes_failed;
	uint32_t node_size;	/* bytes of the module's own state of one endpoint */
	uint32_t dev_size;	/* bytes of a net_device, without that state */
	uint32_t stall_timeout;	/* ms; 0: wait for ever */
	uint32_t fixed;		/* subcube mask of this machine's partition, see
				 * HYPERCUBE_A_FABRIC_SUBCUBE_MASK
				 */
	uint32_t base;		/* subcube value of the partition */
	uint64_t trunks_ended;
	uint32_t life;		/* random boot id; a fabric that is made again has another */
};

/* Parameters of a new fabric; 0: the kernel's default. */
struct nl_fabric_new {
	const char *name;
	uint32_t dim;
	const struct hc_topo *topo;	/* instead of a dimension, or NULL */
	const char *shape;
	uint32_t id;
	uint32_t segment;
	uint32_t fixed;
	uint32_t base;
};

static inline uint32_t nl_new_nodes(const struct nl_fabric_new *f)
{
	return f->topo ? f->topo->nodes : hc_nodes(f->dim);
}

#define NL_DROPS (HYPERCUBE_A_DROP_MAX + 1)

/* When a Byzantine node corrupts the data that it relays: in the frames that @at lists, or if there
 * are none, at random, with probability @ppm in millionths.
 */
struct nl_byzantine {
	uint32_t ppm;
	uint32_t seed;
	uint32_t n;		/* number of entries of @at, which are ascending */
	uint32_t at[HYPERCUBE_BYZANTINE_AT_MAX];
};

#define NL_TASKS (HYPERCUBE_A_TASKS_MAX + 1)

struct nl_node {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t ifindex;
	char ifname[16];
	bool failed;
	bool bound;		/* a socket for collectives is bound to the node */
	uint32_t fault;		/* FAULT word: bit d: its link d is unusable */
	unsigned int nb;	/* number of entries of @nb_fault */
	uint32_t nb_fault[HYPERCUBE_PORTS_MAX];	/* FAULT words of the neighbours, by dimension */
	uint32_t npeers;	/* entries in @peer; 0: a node of a hypercube */
	uint16_t peer[HYPERCUBE_PORTS_MAX];	/* by port; the node itself: no such port */
	uint32_t owner;		/* uid; NL_NONE: no owner */
	bool elsewhere;		/* the endpoint is in another network namespace, @netnsid */
	int32_t netnsid;
	bool away;		/* the node is on another machine */
	uint64_t host_frames;
	uint64_t merged_bytes;
	struct nl_byzantine byzantine;
	uint64_t corrupted;
	uint64_t agreed;	/* datagrams with copies, by the outcome of the vote on them */
	uint64_t disagreed;
	uint64_t incomplete;
	uint64_t tasks[NL_TASKS];	/* counters of the node's tasks, by HYPERCUBE_A_TASKS_* */
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
	uint32_t peer;
	uint32_t state;
	uint64_t latency;	/* ns, in the time model only; so is the bandwidth, in bytes/s */
	uint64_t bandwidth;
	struct nl_impairments imp;
	uint32_t flap_down;	/* ms; the same for @flap_period */
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

/* The path of a detour: the dimensions of its links. */
struct nl_way {
	unsigned int hops;
	uint8_t *dims;
};

struct nl_plan {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t epoch;
	uint32_t type;
	uint32_t sink;		/* root of a tree */
	uint32_t source;	/* root of a broadcast */
	uint32_t base;		/* lowest node of recursive doubling */
	uint8_t *sequence;	/* dimension of each step; of a spanning tree: for each node the
				 * port to its parent
				 */
	uint32_t steps;
	unsigned int stages;
	uint8_t order[HC_LIB_DIM_MAX];
	uint32_t *members;	/* set of nodes */
	uint32_t member_words;
	struct hc_detour *detours;
	uint32_t ndetours;
	struct nl_way *ways;	/* paths of the first detours: those that the kernel has sent */
	uint32_t nways;
	struct hc_ring *rings;
	uint32_t nrings;
	uint16_t *ring_nodes;
	uint32_t nring_nodes;
	uint32_t *fault;	/* FAULT words of all nodes for which the plan was made */
	uint32_t nfault;
	bool broken;
	bool repair;		/* the plan was installed with REPAIR */
	uint32_t repairs;	/* how often the plan has repaired itself */
	uint32_t guard;		/* ms that members wait for the next epoch; 0: not guarded */
	char recipe[HYPERCUBE_RECIPE_MAX + 1];	/* how the guard plans it again; "": unknown */
	uint32_t guard_uid;	/* user who may guard the plan; NL_NONE: none */
	uint32_t *grant;	/* set of nodes that @guard_uid may make members; NULL: unknown */
	uint32_t grant_words;
	uint32_t cause_node;	/* NL_NONE: unknown */
	uint32_t cause_dim;
	uint32_t cause_status;	/* positive errno, or 0 */
};

struct nl_op {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t plan;
	uint32_t epoch;
	uint32_t node;
	uint64_t nr;		/* number of the operation that the member waits in */
	uint32_t wait;		/* what the member waits for, enum hypercube_wait */
	uint32_t peer;		/* the member that it waits for, if @wait names one */
	uint64_t since;		/* how long this wait has lasted, ns */
	uint64_t next;		/* number of the member's next contribution */
	uint64_t done;		/* the member knows all operations below to be complete */
	uint32_t gen;		/* generation */
	int32_t status;
	uint32_t cause_node;	/* NL_NONE: unknown */
	uint32_t cause_dim;
	uint32_t steps;
	uint64_t time;
};

#define NL_PEER_SIZE 128

struct nl_trunk {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t dim;
	uint32_t fixed;		/* subcube mask of the nodes at the other end */
	uint32_t base;		/* subcube value of these nodes */
	uint32_t keep;		/* keepalive time, ms */
	uint32_t links;
	bool established;
	bool no_plans;
	uint32_t digest;	/* 1: records have a CRC32C */
	uint32_t life;		/* nl_fabric.life at the other end; 0: not known */
	uint32_t silence;	/* ms since data was last received */
	uint32_t family;
	uint8_t peer[NL_PEER_SIZE];
	uint32_t peer_len;
	uint64_t tx_frames;
	uint64_t tx_bytes;
	uint64_t rx_frames;
	uint64_t rx_bytes;
	uint64_t dropped;
	uint32_t error;		/* positive errno that has ended the trunk, or 0 */
	char why[128];
};

enum nl_digest { NL_DIGEST_DEFAULT, NL_DIGEST_OFF, NL_DIGEST_ON };

/* Parameters of a trunk. @far: @fixed and @base are set; they are the subcube mask and value at the
 * other end. @keep: the keepalive time in ms; 0: the default.
 */
struct nl_trunk_new {
	int fd;
	uint32_t dim;
	bool far;
	uint32_t fixed;
	uint32_t base;
	uint32_t keep;
	bool no_plans;
	enum nl_digest digest;
	bool replace;		/* replace a trunk that carries the same links */
};

struct nl_detect {
	uint32_t found;
	uint32_t nlinks;
	struct link_ref *links;
};

void nl_leave(struct hcctl *h);
/* Open a named network namespace. Return: a descriptor or a negative errno; @path is set to its
 * path.
 */
int nl_netns_open(const char *name, char *path, size_t size);

/* Return: the id of namespace @fd in the current namespace, or -1. */
int nl_netns_id(struct hcctl *h, int fd);

/* An address and the prefix length of its network; family 0: none. */
struct nl_addr_in {
	uint8_t family;
	uint8_t prefix;
	uint8_t bytes[16];
};

/* Attributes that an address has besides those in struct nl_addr_in: a mask of these. */
enum {
	NL_ADDR_PEER = 1 << 0,
	NL_ADDR_BROADCAST = 1 << 1,
	NL_ADDR_SCOPE = 1 << 2,
	NL_ADDR_LABEL = 1 << 3,
	NL_ADDR_LIFETIME = 1 << 4,
	NL_ADDR_METRIC = 1 << 5,
	NL_ADDR_FLAGS = 1 << 6,
};

/* An interface of the current namespace, and an address of such an interface. */
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
	uint32_t beside;	/* mask of NL_ADDR_*: what the address has besides @addr */
};

int nl_devs(struct hcctl *h, struct nl_dev **v, size_t *n);
int nl_addrs(struct hcctl *h, struct nl_addr **v, size_t *n);

/* Both act in the current namespace. nl_dev_mark() sets an alias of the loopback interface and
 * brings it up. nl_dev_start() adds an address to an interface (none if @addr is NULL) and brings
 * it up.
 */
int nl_dev_mark(struct hcctl *h, const char *alias);
int nl_dev_start(struct hcctl *h, const char *ifname, const struct nl_addr_in *addr);
int nl_dev_address(struct hcctl *h, const char *ifname, const struct nl_addr_in *addr, bool add);
int nl_dev_up(struct hcctl *h, const char *ifname, bool up);
int nl_dev_mtu(struct hcctl *h, const char *ifname, uint32_t mtu);
int nl_dev_queue(struct hcctl *h, const char *ifname, uint32_t frames);
/* Return: false if there is no such interface, or its alias does not fit. */
bool nl_dev_alias(struct hcctl *h, const char *ifname, char *alias, size_t size);

/* Get all objects of a kind in one consistent dump. *@v is set to an array, to be freed. */
int nl_fabrics(struct hcctl *h, struct nl_fabric **v, size_t *n);
int nl_nodes(struct hcctl *h, const char *fabric, struct nl_node **v, size_t *n);
int nl_links(struct hcctl *h, const char *fabric, struct nl_link **v, size_t *n);
int nl_ops(struct hcctl *h, const char *fabric, struct nl_op **v, size_t *n);
/* Get the operations of one plan: of member @node, or if @node is NL_NONE, of all members. */
int nl_plan_ops(struct hcctl *h, const char *fabric, uint32_t plan, uint32_t node,
		struct nl_op **v, size_t *n);
/* Get all plans; release them with nl_plans_free(). */
int nl_plans(struct hcctl *h, const char *fabric, struct nl_plan **v, size_t *n);
void nl_plans_free(struct nl_plan *v, size_t n);

int nl_trunks(struct hcctl *h, const char *fabric, struct nl_trunk **v, size_t *n);

/* Get a single object. Release a plan with nl_plan_clear(). */
int nl_plan(struct hcctl *h, const char *fabric, uint32_t id, struct nl_plan *v);
void nl_plan_clear(struct nl_plan *v);
int nl_fabric(struct hcctl *h, const char *name, struct nl_fabric *f);
int nl_node(struct hcctl *h, const char *fabric, uint32_t node, struct nl_node *v);
int nl_link(struct hcctl *h, const char *fabric, uint32_t node, uint32_t dim,
	    struct nl_link *v);

int nl_fabric_add(struct hcctl *h, const struct nl_fabric_new *f);
int nl_fabric_del(struct hcctl *h, const char *name);
int nl_fabric_stall_timeout(struct hcctl *h, const char *name, uint32_t ms);
int nl_node_fail(struct hcctl *h, const char *fabric, uint32_t node, bool fail);
int nl_node_owner(struct hcctl *h, const char *fabric, uint32_t node, uint32_t uid);
/* Make a node Byzantine: it corrupts the frames that @set lists, or random frames if @set lists
 * none. @seed: restart the random numbers.
 */
int nl_node_byzantine(struct hcctl *h, const char *fabric, uint32_t node,
		      const struct nl_byzantine *set, bool seed);
/* Move an endpoint to the network namespace with descriptor @fd, or if @fd is -1, to that of
 * process @pid.
 */
int nl_node_netns(struct hcctl *h, const char *fabric, uint32_t node, int fd, uint32_t pid);

/* Changes to a link. The set_* flags select the other members that are to be set. */
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
/* The dimensions of the links that a frame crossed; @dim is to be freed. */
struct nl_route {
	uint8_t *dim;
	uint32_t hops;
};

/* Find the path of a frame. If there is none, the return value is -ENOLINK, and no error is
 * printed.
 */
int nl_route(struct hcctl *h, const char *fabric, uint32_t src, uint32_t dst,
	     struct nl_route *r);

/**
 * struct nl_shape - the attributes of a plan of any type; NULL pointers: not present
 * @root_attr: attribute of its root, as HYPERCUBE_A_PLAN_SINK; 0: the root follows from the
 *	rest
 * @root: its root
 * @order: dimensions, @stages entries
 * @stages: number of stages
 * @sequence: dimensions, or ports, @steps entries
 * @sequence_attr: attribute of @sequence, as HYPERCUBE_A_PLAN_PARENTS; 0:
 *	HYPERCUBE_A_PLAN_SEQUENCE
 * @steps: length of @sequence
 * @members: set of the members; NULL: they follow from the rest
 * @detours: @ndetours entries
 * @ndetours: number of detours
 * @rings: the rings, as a tree of rings
 * @repair: install it with REPAIR
 * @epoch: the epoch that the plan is to have; 0: the next one
 * @local: install it on this machine only
 * @guard: how long members wait for its next epoch, in ms; 0: it is not guarded
 * @recipe: with @guard: how the guard plans it again, or NULL
 * @guard_uid: with @guard: the user who may guard it; NULL: none, or with @prev the previous one
 * @prev: the epoch that the installed plan must have to be replaced, otherwise -ESTALE; 0: any
 */
struct nl_shape {
	int root_attr;
	uint32_t root;
	const uint8_t *order;
	unsigned int stages;
	const uint8_t *sequence;
	int sequence_attr;
	uint32_t steps;
	const uint32_t *members;
	const struct hc_detour *detours;
	uint32_t ndetours;
	const struct hc_ring_tree *rings;
	bool repair;
	uint32_t epoch;
	bool local;
	uint32_t guard;
	const char *recipe;
	const uint32_t *guard_uid;
	uint32_t prev;
};

/* Install a plan in a fabric of @nodes nodes. @fault has the faults for which it was made.
 * @may_fail: do not print an error if the faults have changed (-ESTALE) or machines are busy
 * (-EBUSY).
 */
int nl_plan_add(struct hcctl *h, const char *fabric, uint32_t id, uint32_t type,
		const struct nl_shape *s, uint32_t nodes, const uint32_t *fault,
		bool may_fail);
/* Move tasks to the neighbour along @dim. */
int nl_task_move(struct hcctl *h, const char *fabric, uint32_t node, uint32_t dim, uint64_t count);
/* Maximum number of attempts, if the kernel refuses a request temporarily. nl_pause() waits between
 * two attempts.
 */
#define NL_TRIES 10
void nl_pause(int try);
int nl_plan_del(struct hcctl *h, const char *fabric, uint32_t id, bool local);
/* Set the user who may guard a plan; NL_NONE: none. */
int nl_plan_guard_uid(struct hcctl *h, const char *fabric, uint32_t id, uint32_t uid);

/* Event: copies of a datagram disagree. */
struct nl_vote {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t node;
	uint32_t src;
	uint64_t nr;
	uint32_t outcome;
	uint32_t copies;
	unsigned int npaths;
	struct hypercube_path path[HYPERCUBE_DIM_MAX];
};

/* Maximum number of task ids in an event. */
#define NL_TASK_IDS 32

/* Event: tasks were lost. */
struct nl_tasks_lost {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t node;
	uint32_t loss;
	uint64_t count;
	unsigned int n;
	struct hypercube_task id[NL_TASK_IDS];
};

/* Event: a round of load balancing has ended. */
struct nl_round {
	uint64_t nr;
	uint32_t node;		/* the node that began the round */
	uint32_t method;
	uint32_t trigger;
	int32_t status;
	uint32_t cause_node;	/* NL_NONE: unknown */
	uint32_t cause_dim;
	uint32_t members;
	uint64_t moved;		/* sum, over all moved tasks, of the links that each has crossed */
	uint64_t began;		/* time when the round began, ns */
	uint64_t took;		/* duration, ns */
};

/* The load balancing of a fabric. In an event, @round has one entry. */
struct nl_balance {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t method;
	uint32_t threshold;
	uint32_t period;	/* ms between rounds; 0: no periodic rounds */
	uint64_t done;
	uint64_t failed;
	uint64_t superseded;
	uint64_t moved;
	uint32_t epoch;		/* epoch of the topology; 0: no topology is installed */
	uint32_t dims;		/* dimensions of the topology's subcube */
	uint32_t base;		/* subcube value */
	uint32_t depth;
	uint32_t nodes;		/* number of entries of @up, one for each node; 0: no topology is
				 * installed
				 */
	uint8_t up[1 << HYPERCUBE_DIM_MAX];	/* see struct hc_balance.up */
	unsigned int n;
	struct nl_round round[HYPERCUBE_ROUNDS_KEPT];	/* the oldest first */
};

int nl_balance(struct hcctl *h, const char *fabric, struct nl_balance *v);
/* Settings of load balancing; NL_NONE: do not change the setting. */
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
/* Run a round, and wait for its end; @method, @node: NL_NONE for the kernel's default. */
int nl_balance_run(struct hcctl *h, const char *fabric, uint32_t method, uint32_t node,
		   struct nl_balance *v);

/* An event. @cmd is HYPERCUBE_CMD_*_NTF, which determines the valid member. */
struct nl_event {
	int cmd;
	struct nl_fabric fabric;
	struct nl_trunk trunk;
	struct nl_node node;
	struct nl_link link;
	struct nl_plan plan;
	struct nl_op op;
	struct nl_vote vote;
	struct nl_tasks_lost lost;
	struct nl_balance balance;
};

typedef int (*nl_event_fn)(struct hcctl *h, const struct nl_event *e, void *arg);
/* Call @fn for each event, until a signal handler sets *@stop or @fn returns other than 0. @ready
 * is called once, as soon as no event can be missed.
 */
int nl_events(struct hcctl *h, nl_event_fn fn, void *arg,
	      const volatile int *stop, void (*ready)(void));
/* As nl_events(), but also call @idle(h, @arg, lost) at the beginning and several times a second
 * between events, until it returns other than 0. lost: events may have been missed; no error is
 * printed for that.
 */
int nl_events_idle(struct hcctl *h, nl_event_fn fn,
		   int (*idle)(struct hcctl *h, void *arg, bool lost), void *arg,
		   const volatile int *stop);

/* Return: the name of a drop reason; NULL if there is no such reason. */
const char *nl_drop_name(unsigned int reason);

#endif /* _HCCTL_NL_H */
