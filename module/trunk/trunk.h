/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trunks: a connected stream socket that carries all links along one dimension between the nodes
 * of this machine and those of another one.
 *
 * The socket is one that user space has connected.  Its transport does loss, order, congestion
 * and, if it is wanted, encryption.
 *
 * Lifetime.  A trunk is made by configuration.  It ends when configuration says so, when its
 * socket does, when the other end is silent for too long or says what makes no sense, and with
 * its fabric: hc_trunk_break() may be called by anybody, and the first one counts.  A work item
 * then takes the trunk from its links, waits for the polls that may still see it, gives the
 * socket its functions back, ends the other work items and frees the trunk.  That work is the
 * only one that nobody cancels.  hc_trunks_exit() waits for it.
 *
 * Locks.  hc_fabric.lock: which trunks there are, and which links they carry.  hc_trunk_tx.lock:
 * the queues; bottom halves are off.  The socket's own lock is taken by works alone, and only when
 * nobody else has the socket: who could hold it as long as a user's page takes to come is not
 * there any more.  sk_callback_lock: the functions of the socket.  The work that
 * receives takes hc_fabric.lock to hear what the other end says of a link: nobody waits for
 * that work under this lock.
 */
#ifndef _HC_TRUNK_H
#define _HC_TRUNK_H

#include <linux/bvec.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/socket.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/hypercube.h>

#include "wire.h"
#include "wire_trunk.h"

struct hc_fabric;
struct hc_node;
struct hc_port;
struct net;
struct netlink_ext_ack;
struct sock;
struct socket;

/**
 * struct hc_trunk_end - the near end of a link to another machine, of a port
 * @trunk: what carries it, or NULL; under hc_fabric.lock, and read under RCU
 * @lock: of what follows; hc_fabric.lock is held by writers, too
 * @version: of .said.down, see struct hc_wire_end
 * @down: what both ends have last agreed on
 * @flags: HC_END_F_* that are to be told
 * @flap_down: the same
 * @flap_period: the same
 * @life: of the machine at the other end, or 0: it has not said; hc_fabric.lock is held by writers
 */
struct hc_trunk_end {
	struct hc_trunk __rcu *trunk;
	spinlock_t lock;
	u32 version;
	bool down;
	u8 flags;
	u32 flap_down;
	u32 flap_period;
	u32 life;
};

/**
 * struct hc_trunk_note - a record that is no frame, and may go to several trunks
 * @ref: who has it
 * @what: enum hc_record_what
 * @len: bytes of @data
 * @data: what is behind struct hc_wire_record
 */
struct hc_trunk_note {
	refcount_t ref;
	u8 what;
	u32 len;
	u8 data[] __aligned(8);
};

/* Notes that may wait at a trunk: more than machines have to say that keep to the rules. */
#define HC_TRUNK_NOTES	32

/**
 * struct hc_trunk_tx - what is sent
 * @lock: of the queues
 * @notes: they wait
 * @nnotes: how many
 * @frames: those of operations and what else nodes say
 * @eth: Ethernet frames
 * @eth_bytes: memory of these
 * @eth_next: an Ethernet frame is next, if there is one
 * @hello: it is to be said yet
 * @head: the record's beginning
 * @skb: the frame in it, or NULL
 * @note: the note in it, or NULL
 * @vec: where the record lies
 * @nvec: entries of it
 * @len: bytes of the record; 0: there is none
 * @copied: those that the socket copies; it is given the pages of what follows
 * @done: how many of them are sent
 */
struct hc_trunk_tx {
	spinlock_t lock;
	struct hc_trunk_note *notes[HC_TRUNK_NOTES];
	unsigned int nnotes;
	struct sk_buff_head frames;
	struct sk_buff_head eth;
	u32 eth_bytes;
	bool eth_next;
	bool hello;
	u8 head[sizeof(struct hc_wire_record) + sizeof(struct hc_wire_hello)];
	struct sk_buff *skb;
	struct hc_trunk_note *note;
	struct bio_vec vec[MAX_SKB_FRAGS + 2];
	unsigned int nvec;
	unsigned int len;
	unsigned int copied;
	unsigned int done;
};

/**
 * struct hc_trunk_rx - what is received; of the work alone
 * @head: the record's beginning: of a frame up to the end of struct hc_hdr
 * @want: bytes of it that are wanted
 * @have: and that have come
 * @greeted: HELLO has come
 * @skb: the frame, or NULL
 * @note: the note, or NULL
 * @done: bytes of one of these that have come
 */
struct hc_trunk_rx {
	u8 head[sizeof(struct hc_wire_record) + sizeof(struct hc_wire_offload) +
		sizeof(struct hc_hdr)] __aligned(8);
	unsigned int want;
	unsigned int have;
	bool greeted;
	struct sk_buff *skb;
	struct hc_trunk_note *note;
	unsigned int done;
};

/* hc_trunk.flags */
enum {
	HC_TRUNK_BROKEN,	/* it ends; whoever sets it has queued @reap */
	HC_TRUNK_GREETED,	/* the other end has said HELLO */
	HC_TRUNK_DUE,		/* a sign of life is due */
	HC_TRUNK_BEGUN,		/* nobody else has the socket, whose functions are ours */
	HC_TRUNK_NO_PLANS,	/* plans that come by it are refused */
	HC_TRUNK_DIGEST,	/* records have digests; before GREETED: this end wants them */
	HC_TRUNK_TWICE,		/* it leads to another machine with these nodes; @text says so */
	HC_TRUNK_DIGEST_AUTO,	/* this end wants them unless the socket has TLS */
};

/* ms: a timer that is later than this is of a machine that has stood still. */
#define HC_STOOD_STILL	1000

/**
 * struct hc_trunk - a trunk
 * @list: in hc_fabric.trunks, under hc_fabric.lock
 * @fabric: its fabric, one reference
 * @id: unique in the fabric
 * @nr: the same, and never that of another one before or after it; not 0
 * @dim: dimension of its links
 * @fixed: bits that the nodes at the other end share
 * @base: what they are
 * @nlinks: how many links it carries
 * @keep: ms of silence that end it
 * @keep_there: the same of the other end, 0: not known
 * @flags: HC_TRUNK_*
 * @error: why it ends; written by whoever sets BROKEN
 * @why: the same in a sentence, or NULL
 * @text: one that is no literal, for @why; under hc_fabric.lock
 * @life: of the machine at the other end, 0: not known
 * @greeted: when that has said HELLO, jiffies
 * @sock: the socket, by a reference of its file
 * @takes_pages: it sends pages that it is given as they are; valid once BEGUN
 * @whom: the address of its other end
 * @whom_len: 0: not known
 * @data_ready: functions that the socket had
 * @write_space: the same
 * @state_change: the same
 * @tx: what is sent
 * @rx: what is received
 * @send: sends it
 * @receive: receives
 * @beat: looks at the clock
 * @reap: ends the trunk
 * @heard: when something came last, jiffies
 * @due: when @beat is to look at the clock, jiffies; of @beat alone
 * @tell: ends of links of which the other end has to be told, by node
 * @awaited: an answer to what all machines are asked (commit.c); under hc_fabric.lock
 * @tx_frames: counters of frames and bytes of records
 * @tx_bytes: the same
 * @rx_frames: the same
 * @rx_bytes: the same
 * @dropped: frames for which there was no room
 */
struct hc_trunk {
	struct list_head list;
	struct hc_fabric *fabric;
	u32 id;
	u32 nr;
	u32 dim;
	u32 fixed;
	u32 base;
	u32 nlinks;
	u32 keep;
	u32 keep_there;
	unsigned long flags;
	int error;
	const char *why;
	char text[112];
	u32 life;
	unsigned long greeted;
	struct socket *sock;
	bool takes_pages;
	struct sockaddr_storage whom;
	int whom_len;
	void (*data_ready)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	struct hc_trunk_tx tx;
	struct hc_trunk_rx rx;
	struct work_struct send;
	struct delayed_work receive;
	struct delayed_work beat;
	struct work_struct reap;
	unsigned long heard;
	unsigned long due;
	unsigned long *tell;
	bool awaited;
	atomic64_t tx_frames;
	atomic64_t tx_bytes;
	atomic64_t rx_frames;
	atomic64_t rx_bytes;
	atomic64_t dropped;
};

/* Does this end want digests of records? */
enum hc_trunk_digest {
	HC_TRUNK_DIGEST_DEFAULT,	/* yes, unless the socket has TLS */
	HC_TRUNK_DIGEST_OFF,
	HC_TRUNK_DIGEST_ON,
};

/**
 * struct hc_trunk_params - what a trunk is made of
 * @fd: a descriptor of the socket
 * @dim: dimension of its links
 * @fixed: see struct hc_trunk
 * @base: the same
 * @far: these two are given; else the nodes there are those that the nodes here have as neighbours
 * @keep: ms, 0: default
 * @no_plans: plans that come by it are refused
 * @replace: end the trunk that carries the same links
 * @digest: what this end wants
 */
struct hc_trunk_params {
	int fd;
	u32 dim;
	u32 fixed;
	u32 base;
	bool far;
	u32 keep;
	bool no_plans;
	bool replace;
	enum hc_trunk_digest digest;
};

/* --- trunk.c --- */
/* May the machine have trunks at all?  The module's parameter "trunks" says so. */
bool hc_trunks_wanted(void);
/* Configuration, under hc_fabric.lock. */
int hc_trunk_add(struct hc_fabric *fabric, const struct hc_trunk_params *p,
		 struct netlink_ext_ack *extack);
struct hc_trunk *hc_trunk_find(struct hc_fabric *fabric, u32 id);
/* Its links are without carrier when this returns. */
void hc_trunk_del(struct hc_trunk *trunk);
/* Does node @u of this machine have a link that the trunk carries? */
bool hc_trunk_has(const struct hc_trunk *trunk, u32 u);
/* End it, for the reason @error; @why: a string literal, or NULL.  Any context. */
void hc_trunk_break(struct hc_trunk *trunk, int error, const char *why);
/* Trunk @nr leads to another machine that has a node of a number that is here, too.  Poll. */
void hc_trunks_accuse(struct hc_fabric *fabric, u32 nr);
void hc_trunks_init(struct hc_fabric *fabric);
/* End all of them; there are no others after that. */
void hc_trunks_exit(struct hc_fabric *fabric);
int hc_trunk_module_init(void);
void hc_trunk_module_exit(void);
extern struct workqueue_struct *hc_trunk_wq;

/* --- sock.c --- */
/* Take the socket: 0 or an error, said in @extack. */
int hc_trunk_sock_get(struct hc_trunk *trunk, int fd, struct netlink_ext_ack *extack);
/* No function of the socket calls us any more. */
void hc_trunk_sock_quiet(struct hc_trunk *trunk);
void hc_trunk_sock_put(struct hc_trunk *trunk);
/* Begin to use the socket: 0, -EAGAIN: somebody else has it yet, or why it is of no use. */
int hc_trunk_sock_begin(struct hc_trunk *trunk);

/* --- send.c --- */
void hc_trunk_tx_init(struct hc_trunk *trunk);
void hc_trunk_tx_exit(struct hc_trunk *trunk);
void hc_trunk_send_work(struct work_struct *work);
/* A frame over the link of @node; consumes.  The context of hc_carrier_ops.xmit, under RCU. */
void hc_trunk_xmit(struct hc_trunk *trunk, struct hc_node *node, struct hc_port *port,
		   struct sk_buff *skb);
/* Tell the other end of the link of node @u what is said here. */
void hc_trunk_tell(struct hc_trunk *trunk, u32 u);
bool hc_trunk_tx_busy(const struct hc_trunk *trunk);
/* With room for @len bytes, charged to the fabric, or NULL; never if they are few. */
#define HC_TRUNK_NOTE_SMALL	1024
#define HC_TRUNK_NOTE_MAX	(64 * 1024)
struct hc_trunk_note *hc_trunk_note_new(const struct hc_fabric *fabric, u8 what, u32 len);
void hc_trunk_note_put(struct hc_trunk_note *note);
/* Say it; a machine that does not listen to so much of it has no trunk any more. */
void hc_trunk_note_say(struct hc_trunk *trunk, struct hc_trunk_note *note);

/* --- receive.c --- */
/* CRC32C of what is before the digests of a record. */
u32 hc_record_head_digest(const struct hc_wire_record *w);
void hc_trunk_rx_init(struct hc_trunk *trunk);
void hc_trunk_rx_exit(struct hc_trunk *trunk);
void hc_trunk_receive_work(struct work_struct *work);

/* --- fabric/carrier_trunk.c --- */
/* What the other end says of the link of @node.  hc_fabric.lock is held. */
void hc_trunk_end_heard(struct hc_node *node, unsigned int dim, const struct hc_wire_end *w);
/* The machine there lives since @life, as it says.  The same. */
void hc_trunk_end_lives(struct hc_node *node, unsigned int dim, u32 life);
/* That number once the link has been found usable, or 0: nobody has said it, or there is no other
 * machine.  Poll.
 */
u32 hc_trunk_end_life(const struct hc_node *node, unsigned int dim);
/* hc_trunk.nr of the trunk that carries the link, or 0.  Poll. */
u32 hc_trunk_end_nr(const struct hc_node *node, unsigned int dim);
/* Nothing leads to the other end any more: what it has said of itself is no longer true. */
void hc_trunk_end_forget(struct hc_node *node, unsigned int dim);
/* What this end says of it. */
void hc_trunk_end_fill(struct hc_node *node, unsigned int dim, struct hc_wire_end *w);

#endif /* _HC_TRUNK_H */
