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
	uint32_t index;		/* unique on this machine */
	uint32_t dim;		/* dimension; 0: the network is not a hypercube */
	uint32_t nodes;
	uint32_t ports;		/* greatest number of ports of a node; the dimension of a link is
				 * its port number
				 */
	char shape[HYPERCUBE_SHAPE_MAX + 1];	/* description by the user who made it; "":
						 * hypercube
						 */
	uint32_t segment;	/* payload bytes of a full data frame */
	uint32_t family;	/* address family of its sockets */
	uint32_t links_down;
	uint32_t nodes_failed;
	uint32_t node_size;	/* bytes of the module's own state of an endpoint */
	uint32_t dev_size;	/* bytes of an endpoint's net_device, without that state */
	uint32_t stall_timeout;	/* ms; 0: no timeout */
	uint32_t fixed;		/* subcube mask of this machine's partition, see
				 * HYPERCUBE_A_FABRIC_SUBCUBE_MASK
				 */
	uint32_t base;		/* subcube value of the partition */
	uint64_t trunks_ended;	/* number of trunks that have ended */
	uint32_t life;		/* random boot id; a fabric that is removed and made again has
				 * another one
				 */
};

/* Parameters of a new fabric. A number that is 0 means the kernel's default. */
struct nl_fabric_new {
	const char *name;
	uint32_t dim;
	const struct hc_topo *topo;	/* network, instead of @dim; NULL: a hypercube */
	const char *shape;
	uint32_t id;
	uint32_t segment;
	uint32_t fixed;			/* subcube mask of this machine's partition; 0: all nodes */
	uint32_t base;			/* subcube value of the partition */
};

static inline uint32_t nl_new_nodes(const struct nl_fabric_new *f)
{
	return f->topo ? f->topo->nodes : hc_nodes(f->dim);
}

#define NL_DROPS (HYPERCUBE_A_DROP_MAX + 1)

/* The frames in which a Byzantine node corrupts the data that it relays: those that @at lists, or
 * if the list is empty, random frames.
 */
struct nl_byzantine {
	uint32_t ppm;		/* if @at is empty: probability that a frame is corrupted, in
				 * millionths
				 */
	uint32_t seed;		/* seed of the random numbers */
	uint32_t n;		/* number of entries of @at */
	uint32_t at[HYPERCUBE_BYZANTINE_AT_MAX];	/* numbers of the frames to corrupt,
							 * ascending
							 */
};

#define NL_TASKS (HYPERCUBE_A_TASKS_MAX + 1)

struct nl_node {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t ifindex;
	char ifname[16];
	bool failed;
	bool bound;		/* a socket for collectives is bound to the node */
	uint32_t fault;		/* FAULT word: bit d is set if link d of the node is unusable */
	unsigned int nb;	/* number of entries of @nb_fault */
	uint32_t nb_fault[HYPERCUBE_PORTS_MAX];	/* FAULT word of the neighbour along each dimension
						 */
	uint32_t npeers;	/* number of entries of @peer; 0: the fabric is a hypercube */
	uint16_t peer[HYPERCUBE_PORTS_MAX];	/* neighbour at each port; the node itself: no such
						 * port
						 */
	uint32_t owner;		/* uid of the owner; NL_NONE: no owner */
	bool elsewhere;		/* the endpoint is in another network namespace, @netnsid */
	int32_t netnsid;
	bool away;		/* the node is on another machine */
	uint64_t host_frames;	/* frames that entered by the host port */
	uint64_t merged_bytes;	/* bytes that the node has merged */
	struct nl_byzantine byzantine;
	uint64_t corrupted;	/* frames that the node has corrupted, as a Byzantine node */
	uint64_t agreed;	/* datagrams of which all copies arrived and agreed */
	uint64_t disagreed;	/* datagrams of which some copies disagreed */
	uint64_t incomplete;	/* other datagrams, of which copies are missing */
	uint64_t tasks[NL_TASKS];	/* counters of the node's tasks, by HYPERCUBE_A_TASKS_* */
	uint64_t drops[NL_DROPS];	/* dropped frames, by HYPERCUBE_A_DROP_* */
};

/* Impairments of one direction of a link. */
struct nl_impairments {
	uint32_t loss;		/* ppm of frames that are lost */
	uint32_t corrupt;	/* ppm of frames in which a bit is flipped */
	uint32_t duplicate;	/* ppm of frames that are sent twice */
	uint32_t seed;		/* seed of the random numbers */
	uint64_t delay;		/* ns */
	uint64_t jitter;	/* ns by which @delay varies */
	uint64_t rate;		/* bytes/s; 0: no limit */
};

struct nl_link {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t node;
	uint32_t dim;
	uint32_t peer;		/* the node at the other end */
	uint32_t state;		/* mask of HYPERCUBE_LINK_F_*; 0: the link is usable */
	uint64_t latency;	/* ns; @latency and @bandwidth count only in the time model */
	uint64_t bandwidth;	/* bytes/s; 0: infinite */
	struct nl_impairments imp;
	uint32_t flap_down;	/* ms that the link is down in each period */
	uint32_t flap_period;	/* ms; 0: the link does not flap */
	uint64_t replays;	/* failed attempts to deliver a frame */
	uint64_t corrupted;
	uint64_t duplicated;
	uint64_t delayed;	/* frames that had to wait for @imp.delay or @imp.rate */
	uint32_t queued;	/* frames that wait for @imp.delay or @imp.rate now */
	uint32_t queued_bytes;	/* bytes of these frames */
	uint64_t tx_frames;
	uint64_t tx_bytes;
	uint64_t rx_frames;
	uint64_t rx_bytes;
	uint64_t drops[NL_DROPS];	/* dropped frames, by HYPERCUBE_A_DROP_* */
};

/* The path of a detour: the dimensions of its links, in order. */
struct nl_way {
	unsigned int hops;
	uint8_t *dims;
};

struct nl_plan {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t epoch;
	uint32_t type;		/* enum hypercube_plan_type */
	uint32_t sink;		/* root of a tree */
	uint32_t source;	/* root of a broadcast */
	uint32_t base;		/* lowest node of recursive doubling */
	uint8_t *sequence;	/* dimension of each step; for a spanning tree: the port of each
				 * node that leads to its parent
				 */
	uint32_t steps;		/* number of entries of @sequence */
	unsigned int stages;	/* number of entries of @order */
	uint8_t order[HC_LIB_DIM_MAX];	/* dimension of each stage */
	uint32_t *members;	/* set of nodes */
	uint32_t member_words;	/* number of 32-bit words of @members */
	struct hc_detour *detours;
	uint32_t ndetours;
	struct nl_way *ways;	/* paths of @detours; the kernel may send only the first of them */
	uint32_t nways;
	struct hc_ring *rings;
	uint32_t nrings;
	uint16_t *ring_nodes;	/* the nodes of all rings, ring after ring */
	uint32_t nring_nodes;
	uint32_t *fault;	/* FAULT words of all nodes, for which the plan was made */
	uint32_t nfault;
	bool broken;		/* a fault has broken the plan */
	bool repair;		/* the plan was installed with REPAIR */
	uint32_t repairs;	/* how often the plan has repaired itself */
	uint32_t guard;		/* ms that members wait for the next epoch; 0: the plan is not
				 * guarded
				 */
	char recipe[HYPERCUBE_RECIPE_MAX + 1];	/* how a guard makes the plan again; "": unknown */
	uint32_t guard_uid;	/* user who may guard the plan; NL_NONE: none */
	uint32_t *grant;	/* set of nodes that @guard_uid may make members; NULL: unknown */
	uint32_t grant_words;	/* number of 32-bit words of @grant */
	uint32_t cause_node;	/* node that broke the plan, or an end of the link that did;
				 * NL_NONE: unknown
				 */
	uint32_t cause_dim;	/* dimension of the link; NL_NONE: the node itself is the cause */
	uint32_t cause_status;	/* positive errno of the cause, or 0 */
};

struct nl_op {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t plan;
	uint32_t epoch;
	uint32_t node;
	uint64_t nr;		/* number of the operation in which the member waits */
	uint32_t wait;		/* what the member waits for, enum hypercube_wait */
	uint32_t peer;		/* the member for which it waits, if @wait is for a member */
	uint64_t since;		/* how long this wait has lasted, ns */
	uint64_t next;		/* number of the member's next contribution */
	uint64_t done;		/* all operations below this number are complete, as far as the
				 * member knows
				 */
	uint32_t gen;		/* generation of the member */
	int32_t status;		/* outcome of the operation: 0 or a negative errno (events only) */
	uint32_t cause_node;	/* node of the fault that caused the failure; NL_NONE: unknown */
	uint32_t cause_dim;	/* dimension of the faulty link; NL_NONE: the node itself is the
				 * cause
				 */
	uint32_t steps;		/* steps that the operation took */
	uint64_t time;		/* time of the operation in the time model, ns */
};

#define NL_PEER_SIZE 128

struct nl_trunk {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t dim;
	uint32_t fixed;		/* subcube mask of the nodes at the other end */
	uint32_t base;		/* subcube value of these nodes */
	uint32_t keep;		/* keepalive time, ms */
	uint32_t links;		/* number of links that the trunk carries */
	bool established;	/* the other end has sent HELLO */
	bool no_plans;		/* plans that arrive over the trunk are refused */
	uint32_t digest;	/* 1: records have a CRC32C, otherwise 0 */
	uint32_t life;		/* nl_fabric.life at the other end; 0: not known */
	uint32_t silence;	/* ms since data was last received over the trunk */
	uint32_t family;	/* address family of the socket */
	uint8_t peer[NL_PEER_SIZE];	/* struct sockaddr of the other end */
	uint32_t peer_len;
	uint64_t tx_frames;
	uint64_t tx_bytes;
	uint64_t rx_frames;
	uint64_t rx_bytes;
	uint64_t dropped;	/* frames that could not be queued or sent */
	uint32_t error;		/* positive errno that has ended the trunk, or 0 */
	char why[128];		/* why the trunk has ended, or what is wrong with it */
};

enum nl_digest { NL_DIGEST_DEFAULT, NL_DIGEST_OFF, NL_DIGEST_ON };

/* Parameters of a trunk. */
struct nl_trunk_new {
	int fd;			/* connected stream socket */
	uint32_t dim;		/* dimension of the links */
	bool far;		/* @fixed and @base are set; otherwise the kernel computes them */
	uint32_t fixed;		/* subcube mask of the nodes at the other end */
	uint32_t base;		/* subcube value of these nodes */
	uint32_t keep;		/* keepalive time, ms; 0: the default */
	bool no_plans;		/* refuse plans that arrive over the trunk */
	enum nl_digest digest;
	bool replace;		/* end the trunk that carries the same links, if there is one */
};

struct nl_detect {
	uint32_t found;		/* number of links newly found silent */
	uint32_t nlinks;
	struct link_ref *links;	/* these links, each named at its lower end */
};

void nl_leave(struct hcctl *h);
/* Open the network namespace @name, which is a name of ip-netns(8). Return: a descriptor or a
 * negative errno. @path is set to the path of the namespace.
 */
int nl_netns_open(const char *name, char *path, size_t size);

/* Return: the id that the current namespace has for the namespace with descriptor @fd, or -1. */
int nl_netns_id(struct hcctl *h, int fd);

/* An address, and the prefix length of its network. Family 0: no address. */
struct nl_addr_in {
	uint8_t family;
	uint8_t prefix;
	uint8_t bytes[16];
};

/* Bits of nl_addr.beside: the attributes that an address has besides those in struct nl_addr_in. */
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
	uint32_t queue;		/* its txqueuelen, frames */
};

struct nl_addr {
	uint32_t index;		/* index of the interface that has the address */
	struct nl_addr_in addr;
	uint32_t beside;	/* mask of NL_ADDR_*: further attributes of the address */
};

int nl_devs(struct hcctl *h, struct nl_dev **v, size_t *n);
int nl_addrs(struct hcctl *h, struct nl_addr **v, size_t *n);

/* nl_dev_mark() sets the alias of the loopback interface, and brings the interface up.
 * nl_dev_start() adds an address to an interface (none if @addr is NULL), and brings the interface
 * up. Both act in the current namespace.
 */
int nl_dev_mark(struct hcctl *h, const char *alias);
int nl_dev_start(struct hcctl *h, const char *ifname, const struct nl_addr_in *addr);
int nl_dev_address(struct hcctl *h, const char *ifname, const struct nl_addr_in *addr, bool add);
int nl_dev_up(struct hcctl *h, const char *ifname, bool up);
int nl_dev_mtu(struct hcctl *h, const char *ifname, uint32_t mtu);
int nl_dev_queue(struct hcctl *h, const char *ifname, uint32_t frames);
/* Get the alias of an interface. Return: false if there is no such interface, it has no alias, or
 * the alias does not fit @alias.
 */
bool nl_dev_alias(struct hcctl *h, const char *ifname, char *alias, size_t size);

/* Get all objects of a kind in one consistent dump. *@v is set to an array, to be freed. */
int nl_fabrics(struct hcctl *h, struct nl_fabric **v, size_t *n);
int nl_nodes(struct hcctl *h, const char *fabric, struct nl_node **v, size_t *n);
int nl_links(struct hcctl *h, const char *fabric, struct nl_link **v, size_t *n);
int nl_ops(struct hcctl *h, const char *fabric, struct nl_op **v, size_t *n);
/* Get the pending operations of a plan: that of member @node, or if @node is NL_NONE, those of all
 * members.
 */
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
 * none. With @seed, the random numbers start again from set->seed.
 */
int nl_node_byzantine(struct hcctl *h, const char *fabric, uint32_t node,
		      const struct nl_byzantine *set, bool seed);
/* Move an endpoint to the network namespace with descriptor @fd, or if @fd is -1, to that of
 * process @pid.
 */
int nl_node_netns(struct hcctl *h, const char *fabric, uint32_t node, int fd, uint32_t pid);

/* Changes to a link. Each set_* flag selects the member of that name, or of @imp, that is to be
 * set; set_flap selects both @flap_* members.
 */
struct nl_link_set {
	bool set_down, set_flap, set_latency, set_bandwidth;
	bool set_loss, set_corrupt, set_duplicate, set_delay, set_jitter, set_rate, set_seed;
	bool one_way;		/* change only this end of the link */
	bool down;
	uint32_t flap_down;	/* ms that the link is down in each period */
	uint32_t flap_period;	/* ms; 0: the link does not flap */
	uint64_t latency;	/* ns */
	uint64_t bandwidth;	/* bytes/s */
	struct nl_impairments imp;
};

int nl_link_set(struct hcctl *h, const char *fabric, struct link_ref link,
		const struct nl_link_set *s);
int nl_trunk_add(struct hcctl *h, const char *fabric, const struct nl_trunk_new *t);
int nl_trunk_del(struct hcctl *h, const char *fabric, uint32_t id);
int nl_fault_clear(struct hcctl *h, const char *fabric);
/* Release d->links with free(). */
int nl_detect(struct hcctl *h, const char *fabric, uint32_t timeout, struct nl_detect *d);
/* The path of a frame: the dimensions of the links that it crossed. @dim is to be freed. */
struct nl_route {
	uint8_t *dim;
	uint32_t hops;
};

/* Find the path that a frame from @src to @dst takes. If there is no path, return -ENOLINK and
 * print no error.
 */
int nl_route(struct hcctl *h, const char *fabric, uint32_t src, uint32_t dst,
	     struct nl_route *r);

/**
 * struct nl_shape - the attributes of a plan of any type; NULL pointers: not present
 * @root_attr: attribute that carries @root, such as HYPERCUBE_A_PLAN_SINK; 0: the plan has no root
 *	of its own, and @root is not sent
 * @root: its root
 * @order: dimensions, @stages entries
 * @stages: number of stages
 * @sequence: dimensions, or ports to parents, @steps entries
 * @sequence_attr: attribute that carries @sequence, such as HYPERCUBE_A_PLAN_PARENTS; 0:
 *	HYPERCUBE_A_PLAN_SEQUENCE
 * @steps: length of @sequence
 * @members: set of the members; NULL: they follow from the rest
 * @detours: the detours, @ndetours entries
 * @ndetours: number of detours
 * @rings: the rings, as a tree of rings
 * @repair: install it with REPAIR
 * @epoch: the epoch that the plan is to have; 0: the next one
 * @local: install it on this machine only
 * @guard: how long members of a guarded plan wait for its next epoch, in ms; 0: the plan is not
 *	guarded
 * @recipe: of a guarded plan: how a guard makes the next epoch, or NULL
 * @guard_uid: of a guarded plan: the user who may guard it; NULL: no user; or with @prev, the user
 *	who may guard the present epoch
 * @prev: fail with -ESTALE unless this is the epoch of the installed plan; 0: replace any epoch
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

/* Install a plan in a fabric of @nodes nodes. @fault has the FAULT words for which the plan was
 * made. @may_fail: print no error if the faults have changed (-ESTALE) or machines are busy
 * (-EBUSY).
 */
int nl_plan_add(struct hcctl *h, const char *fabric, uint32_t id, uint32_t type,
		const struct nl_shape *s, uint32_t nodes, const uint32_t *fault,
		bool may_fail);
/* Move up to @count tasks of @node to its neighbour along @dim. */
int nl_task_move(struct hcctl *h, const char *fabric, uint32_t node, uint32_t dim, uint64_t count);
/* Maximum number of attempts if the kernel refuses a request temporarily. nl_pause(try) waits
 * before the next attempt, the longer the greater @try is.
 */
#define NL_TRIES 10
void nl_pause(int try);
int nl_plan_del(struct hcctl *h, const char *fabric, uint32_t id, bool local);
/* Set the user who may guard a plan; NL_NONE: none. */
int nl_plan_guard_uid(struct hcctl *h, const char *fabric, uint32_t id, uint32_t uid);

/* Event: the copies of a datagram disagree. */
struct nl_vote {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t node;			/* node that received the copies */
	uint32_t src;			/* origin that the datagram names */
	uint64_t nr;			/* number of the datagram among those of its origin */
	uint32_t outcome;		/* enum hypercube_vote_outcome */
	uint32_t copies;		/* number of copies that were sent */
	unsigned int npaths;
	struct hypercube_path path[HYPERCUBE_DIM_MAX];	/* paths of the copies that mismatch or are
							 * missing
							 */
};

/* Maximum number of task ids in an event. */
#define NL_TASK_IDS 32

/* Event: tasks were lost, or may be lost (see @loss). */
struct nl_tasks_lost {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t node;	/* node at which the tasks were */
	uint32_t loss;	/* enum hypercube_task_loss */
	uint64_t count;	/* number of tasks */
	unsigned int n;	/* number of entries of @id; some tasks may have no entry */
	struct hypercube_task id[NL_TASK_IDS];
};

/* Event: a round of load balancing has ended. */
struct nl_round {
	uint64_t nr;
	uint32_t node;		/* the node that began the round */
	uint32_t method;	/* enum hypercube_balance */
	uint32_t trigger;	/* enum hypercube_trigger: why the node began the round */
	int32_t status;		/* 0 or a negative errno */
	uint32_t cause_node;	/* node of the fault that ended the round; NL_NONE: unknown */
	uint32_t cause_dim;	/* dimension of the faulty link; NL_NONE: the node itself is the
				 * cause
				 */
	uint32_t members;	/* number of nodes that took part */
	uint64_t moved;		/* sum of the links that moved tasks have crossed */
	uint64_t began;		/* time when the round began, ns since boot */
	uint64_t took;		/* duration, ns */
};

/* The load balancing of a fabric. In an event, @n is 1: @round has the round that has ended. */
struct nl_balance {
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t method;	/* enum hypercube_balance, for the rounds that nodes begin */
	uint32_t threshold;	/* a node with at most this many tasks begins a round */
	uint32_t period;	/* ms between periodic rounds; 0: no periodic rounds */
	uint64_t done;		/* number of rounds that have succeeded */
	uint64_t failed;	/* number of rounds that have failed */
	uint64_t superseded;	/* number of rounds that another round has superseded */
	uint64_t moved;		/* sum of nl_round.moved over all rounds that have succeeded */
	uint32_t epoch;		/* number of this topology, counted up; 0: no topology is installed
				 */
	uint32_t dims;		/* mask of the dimensions of the topology's subcube */
	uint32_t base;		/* lowest node of the subcube */
	uint32_t depth;		/* number of links from the deepest node up to the root */
	uint32_t nodes;		/* number of entries of @up, one for each node; 0: no topology is
				 * installed
				 */
	uint8_t up[1 << HYPERCUBE_DIM_MAX];	/* see struct hc_balance.up */
	unsigned int n;		/* number of entries of @round */
	struct nl_round round[HYPERCUBE_ROUNDS_KEPT];	/* the last rounds, the oldest first */
};

int nl_balance(struct hcctl *h, const char *fabric, struct nl_balance *v);
/* Settings of load balancing. A member that is NL_NONE is not changed; @threshold is changed if
 * @set_threshold.
 */
struct nl_balance_set {
	uint32_t method;
	uint32_t period;
	uint32_t threshold;
	bool set_threshold;
};

int nl_balance_set(struct hcctl *h, const char *fabric, const struct nl_balance_set *s);
/* Install a topology that was made for the faults @fault. @prev: NL_NONE, or the epoch of the
 * topology that it replaces: if another one is installed, the request fails with -ESTALE.
 */
int nl_balance_topology(struct hcctl *h, const char *fabric, const struct hc_balance *b,
			const uint32_t *fault, uint32_t prev);
/* Run a round of load balancing, and wait for its end. NL_NONE as @method or @node: the kernel
 * chooses it.
 */
int nl_balance_run(struct hcctl *h, const char *fabric, uint32_t method, uint32_t node,
		   struct nl_balance *v);

/* An event. @cmd is HYPERCUBE_CMD_*_NTF, and determines which other member is valid. */
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
/* Call @fn for each event, until a signal handler sets *@stop, or @fn returns another value than 0.
 * @ready, if not NULL, is called once, as soon as no event can be missed any more.
 */
int nl_events(struct hcctl *h, nl_event_fn fn, void *arg,
	      const volatile int *stop, void (*ready)(void));
/* As nl_events(), but also call @idle(h, @arg, lost) at the beginning and several times a second
 * between events, until it returns another value than 0. lost is true if events may have been
 * missed; in this case no error is printed.
 */
int nl_events_idle(struct hcctl *h, nl_event_fn fn,
		   int (*idle)(struct hcctl *h, void *arg, bool lost), void *arg,
		   const volatile int *stop);

/* Return: the name of a drop reason; NULL if there is no such reason. */
const char *nl_drop_name(unsigned int reason);

#endif /* _HCCTL_NL_H */
