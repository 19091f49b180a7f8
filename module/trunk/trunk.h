/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trunks. A trunk is a connected stream socket that carries all links along one dimension between
 * the nodes of this machine and the nodes of another machine.
 *
 * User space has connected the socket. The socket's protocol handles loss, order, congestion and,
 * if wanted, encryption.
 *
 * Lifetime. Configuration makes a trunk. The trunk ends when configuration removes it, when its
 * socket is closed, when the peer is silent for too long or sends something invalid, or when its
 * fabric is removed. In all these cases hc_trunk_break() is called, in any context; only the first
 * call has an effect. It queues the work item hc_trunk.reap, which detaches the trunk from its
 * links, waits for the polls that may still use it, restores the socket's callbacks, cancels the
 * other work items and frees the trunk. This work item is the only one that is never cancelled.
 * trunks_end() waits for it.
 *
 * Locks. hc_fabric.lock protects the list of trunks and the assignment of links to trunks.
 * hc_trunk_tx.lock protects the queues; it is taken with bottom halves disabled. Only work items
 * take the socket's own lock, and only when no process has the socket any more: a process could
 * hold that lock for as long as it takes to fault in a user page. sk_callback_lock protects the
 * callbacks of the socket. The receive work takes hc_fabric.lock to apply the state of a link's
 * remote end, so no context may wait for the receive work while it holds hc_fabric.lock.
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

struct hc_transport_ops;
struct hc_fabric;
struct hc_node;
struct hc_port;
struct net;
struct netlink_ext_ack;
struct sock;
struct socket;

/**
 * struct hc_trunk_end - the local end of a link to another machine (hc_port.end)
 * @trunk: the trunk that carries the link, or NULL; written under hc_fabric.lock, read under RCU
 * @lock: protects the members below; writers hold hc_fabric.lock, too
 * @version: version of @down, see struct hc_wire_end
 * @down: configuration has taken the link down, at this end or at the other end
 * @flags: HC_END_F_* to be sent to the peer
 * @flap_down: hc_port.flap_down, to be sent to the peer
 * @flap_period: hc_port.flap_period, to be sent to the peer
 */
struct hc_trunk_end {
	struct hc_trunk __rcu *trunk;
	spinlock_t lock;
	u32 version;
	bool down;
	u8 flags;
	u32 flap_down;
	u32 flap_period;
};

/**
 * struct hc_trunks - the trunks of a fabric
 * @list: the trunks; under hc_fabric.lock
 * @broken: number of trunks that have ended; under hc_fabric.lock
 * @n: number of trunks that are not freed yet
 * @last: hc_trunk.nr of the newest trunk; under hc_fabric.lock
 */
struct hc_trunks {
	struct list_head list;
	u64 broken;
	atomic_t n;
	u32 last;
};

/**
 * struct hc_trunk_note - a record that carries no frame, and may be sent over several trunks
 * @ref: reference count
 * @what: enum hc_record_what
 * @len: bytes of @data
 * @data: the record's bytes behind struct hc_wire_record
 */
struct hc_trunk_note {
	refcount_t ref;
	u8 what;
	u32 len;
	u8 data[] __aligned(8);
};

/* Most notes that may wait at a trunk. A peer that follows the protocol never causes so many. */
#define HC_TRUNK_NOTES	32

/* Most memory areas of which a record may consist: its head, and the fragments of a frame. */
#define HC_TRUNK_VEC	(2 + 2 * MAX_SKB_FRAGS)

/**
 * struct hc_trunk_tx - the sending side of a trunk
 * @lock: protects the queues
 * @notes: queued notes
 * @nnotes: number of entries of @notes
 * @frames: queued frames, except Ethernet frames
 * @eth: queued Ethernet frames
 * @eth_bytes: memory of @eth, bytes of truesize
 * @eth_next: the next frame is taken from @eth, if that is not empty
 * @hello: HELLO is still to be sent
 * @head: head of the present record, which is being sent
 * @skb: the frame in the present record, or NULL
 * @note: the note in the present record, or NULL
 * @vec: memory areas of the present record
 * @nvec: number of entries of @vec
 * @len: bytes of the present record; 0: no record is being sent
 * @copied: number of bytes at the beginning of the present record that the socket copies; it sends
 *	the other bytes from their pages. 0: it copies the whole record
 * @done: number of bytes of the present record that were sent
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
	struct bio_vec vec[HC_TRUNK_VEC];
	unsigned int nvec;
	unsigned int len;
	unsigned int copied;
	unsigned int done;
};

/**
 * struct hc_trunk_rx - the receiving side of a trunk; used by the receive work alone
 * @head: head of the present record, which is being received; if the record has a frame, up to the
 *	end of struct hc_hdr
 * @want: number of bytes of @head that are needed for the next check
 * @have: number of bytes of @head that were received
 * @established: HELLO was received
 * @skb: the frame in the present record, or NULL
 * @note: the note in the present record, or NULL
 * @done: number of bytes of @skb or @note that were received
 */
struct hc_trunk_rx {
	u8 head[sizeof(struct hc_wire_record) + sizeof(struct hc_wire_offload) +
		sizeof(struct hc_hdr)] __aligned(8);
	unsigned int want;
	unsigned int have;
	bool established;
	struct sk_buff *skb;
	struct hc_trunk_note *note;
	unsigned int done;
};

/* hc_trunk.flags */
enum {
	HC_TRUNK_BROKEN,	/* the trunk ends; the context that sets this bit queues .reap */
	HC_TRUNK_ESTABLISHED,	/* the peer's HELLO was received */
	HC_TRUNK_DUE,		/* a keepalive record is due */
	HC_TRUNK_BEGUN,		/* no process has the socket any more; the callbacks are set */
	HC_TRUNK_NO_PLANS,	/* plans that are received over this trunk are refused */
	HC_TRUNK_DIGEST,	/* records have digests; before ESTABLISHED: this end wants them */
	HC_TRUNK_TWICE,		/* another machine behind the trunk has this machine's nodes, too */
	HC_TRUNK_DIGEST_AUTO,	/* this end wants digests unless the socket has TLS */
};

/* ms: if a timer runs later than this after it was due, the machine was suspended. */
#define HC_STOOD_STILL	1000

/**
 * struct hc_trunk - a trunk
 * @list: entry in hc_trunks.list, under hc_fabric.lock
 * @fabric: the fabric, to which the trunk holds a reference
 * @id: number of the trunk, unique among the fabric's present trunks
 * @nr: number of the trunk, unique among all trunks that the fabric has ever had; not 0
 * @dim: dimension of the trunk's links
 * @fixed: subcube mask of the nodes at the other end
 * @base: subcube value of the nodes at the other end
 * @nlinks: number of the trunk's links
 * @keep: keepalive of this end: ms of silence after which the trunk ends
 * @keep_there: keepalive of the other end in ms, 0: not known
 * @flags: HC_TRUNK_*
 * @error: why the trunk ends, -errno; written by the context that sets BROKEN
 * @why: why the trunk ends, as a sentence, or NULL
 * @text: memory for @why, if it is not a literal, and for the text of TWICE; under hc_fabric.lock
 * @life: boot id of the machine at the other end, 0: not known
 * @established: when HELLO was received, jiffies
 * @sock: the socket; the trunk holds a reference to its file
 * @takes_pages: the socket can send pages without a copy; valid once BEGUN is set
 * @whom: address of the socket's peer
 * @whom_len: bytes of @whom, 0: not known
 * @data_ready: original sk_data_ready callback of the socket
 * @write_space: original sk_write_space callback of the socket
 * @state_change: original sk_state_change callback of the socket
 * @tx: sending side
 * @rx: receiving side
 * @send: work item that sends
 * @receive: work item that receives
 * @beat: work item that sends and checks keepalives
 * @reap: work item that ends the trunk
 * @last_rx: when data was last received, jiffies
 * @due: when @beat is to run, jiffies; used by @beat alone
 * @tell: bitmap of the local nodes whose end of a link is to be described to the peer by STATE
 * @awaited: the peer's answer to a question is awaited (commit.c); under hc_fabric.lock
 * @tx_frames: frames sent
 * @tx_bytes: bytes of records sent
 * @rx_frames: frames received
 * @rx_bytes: bytes of records received
 * @dropped: frames that could not be queued or sent
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
	unsigned long established;
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
	unsigned long last_rx;
	unsigned long due;
	unsigned long *tell;
	bool awaited;
	atomic64_t tx_frames;
	atomic64_t tx_bytes;
	atomic64_t rx_frames;
	atomic64_t rx_bytes;
	atomic64_t dropped;
};

/* Whether this end wants digests of records. */
enum hc_trunk_digest {
	HC_TRUNK_DIGEST_DEFAULT,	/* yes, unless the socket has TLS */
	HC_TRUNK_DIGEST_OFF,
	HC_TRUNK_DIGEST_ON,
};

/**
 * struct hc_trunk_params - parameters of a new trunk
 * @fd: a descriptor of the socket
 * @dim: dimension of the trunk's links
 * @fixed: subcube mask of the nodes at the other end, if @far
 * @base: subcube value of the nodes at the other end, if @far
 * @far: user space has set @fixed and @base; else the nodes at the other end are the neighbours of
 *	all local nodes along @dim
 * @keep: keepalive, ms, 0: default
 * @no_plans: refuse plans that are received over this trunk
 * @replace: end the trunk that carries the same links, if there is one
 * @digest: whether this end wants digests
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

/**
 * hc_trunks_wanted() - tell whether the module's parameter "trunks" allows trunks
 *
 * Context: any
 * Return: true if so
 */
bool hc_trunks_wanted(void);

/**
 * hc_trunk_add() - make a trunk from a connected socket
 * @fabric: the fabric
 * @p: the socket, the dimension, and the nodes at the other end
 * @extack: set to a sentence on error, or NULL
 *
 * Context: config, under hc_fabric.lock
 * Return: 0 or -errno
 */
int hc_trunk_add(struct hc_fabric *fabric, const struct hc_trunk_params *p,
		 struct netlink_ext_ack *extack);

/**
 * hc_trunk_find() - find a trunk by its id
 * @fabric: the fabric
 * @id: hc_trunk.id
 *
 * Context: config, under hc_fabric.lock
 * Return: the trunk, or NULL if there is none with this id or it is ending
 */
struct hc_trunk *hc_trunk_find(struct hc_fabric *fabric, u32 id);

/**
 * hc_trunk_del() - end a trunk by configuration; its links have no carrier when this returns
 * @trunk: the trunk
 *
 * Context: config, under hc_fabric.lock
 */
void hc_trunk_del(struct hc_trunk *trunk);

/**
 * hc_trunk_has() - tell whether a trunk carries a link of a node
 * @trunk: the trunk
 * @u: number of a node, or any other number
 *
 * Context: any
 * Return: true if @u is the number of a local node, and the trunk carries a link of this node
 */
bool hc_trunk_has(const struct hc_trunk *trunk, u32 u);

/**
 * hc_trunk_break() - end a trunk; only the first call has an effect
 * @trunk: the trunk
 * @error: negative errno, for user space
 * @why: a sentence that lives as long as the trunk, or NULL
 *
 * Context: any
 */
void hc_trunk_break(struct hc_trunk *trunk, int error, const char *why);

/**
 * hc_trunk_module_init() - register trunks with the fabric
 *
 * Context: the module's init
 * Return: 0 or -ENOMEM
 */
int hc_trunk_module_init(void);

/**
 * hc_trunk_module_exit() - undo hc_trunk_module_init()
 *
 * Context: the module's exit, after all fabrics have been removed
 */
void hc_trunk_module_exit(void);

extern struct workqueue_struct *hc_trunk_wq;

/* --- sock.c --- */

/**
 * hc_trunk_sock_get() - take a socket that user space has connected
 * @trunk: a trunk that is being made
 * @fd: descriptor of the socket
 * @extack: set to a sentence on error, or NULL
 *
 * Context: config
 * Return: 0 or -errno
 */
int hc_trunk_sock_get(struct hc_trunk *trunk, int fd, struct netlink_ext_ack *extack);

/**
 * hc_trunk_sock_quiet() - restore the socket's original callbacks; no callback of the trunk runs
 *	after this returns
 * @trunk: the trunk
 *
 * Context: process
 */
void hc_trunk_sock_quiet(struct hc_trunk *trunk);

/**
 * hc_trunk_sock_put() - release the socket, and close it if the trunk has used it
 * @trunk: a trunk after hc_trunk_sock_quiet()
 *
 * Context: process
 */
void hc_trunk_sock_put(struct hc_trunk *trunk);

/**
 * hc_trunk_sock_begin() - begin to use the socket
 * @trunk: the trunk
 *
 * Context: keepalive work of the trunk
 * Return: 0; -EAGAIN if user space still holds the socket; -ENOTCONN if the socket can no longer
 *	carry a trunk; or -EBUSY if another part of the kernel uses it
 */
int hc_trunk_sock_begin(struct hc_trunk *trunk);

/**
 * hc_trunk_tx_init() - set up the sending side of a trunk
 * @trunk: a trunk that is being made
 *
 * Context: config
 */
void hc_trunk_tx_init(struct hc_trunk *trunk);

/**
 * hc_trunk_tx_exit() - drop the frames and records that a trunk has not sent
 * @trunk: a trunk whose work items have ended
 *
 * Context: process
 */
void hc_trunk_tx_exit(struct hc_trunk *trunk);

/**
 * hc_trunk_send_work() - write records to the socket
 * @work: hc_trunk.send
 *
 * Context: workqueue
 */
void hc_trunk_send_work(struct work_struct *work);

/**
 * hc_trunk_xmit() - queue a frame for the other end of a link; consumes the frame
 * @trunk: the trunk
 * @node: sending node
 * @port: the sending node's end of the link
 * @skb: the frame
 *
 * Context: that of hc_transport_ops.xmit, in an RCU read section
 */
void hc_trunk_xmit(struct hc_trunk *trunk, struct hc_node *node, struct hc_port *port,
		   struct sk_buff *skb);

/**
 * hc_trunk_notify() - let the state of a link's local end be sent to the peer
 * @trunk: the trunk
 * @u: number of the local node
 *
 * Context: config, under hc_fabric.lock
 */
void hc_trunk_notify(struct hc_trunk *trunk, u32 u);

/**
 * hc_trunk_tx_busy() - check whether frames, other than Ethernet, wait to be sent
 * @trunk: the trunk
 *
 * Context: any; a snapshot
 * Return: true if so
 */
bool hc_trunk_tx_busy(const struct hc_trunk *trunk);

/* Bytes of a note. The allocation of a note of at most SMALL bytes never fails; no note is longer
 * than MAX.
 */
#define HC_TRUNK_NOTE_SMALL	1024
#define HC_TRUNK_NOTE_MAX	(64 * 1024)

/**
 * hc_trunk_note_new() - allocate a note
 * @fabric: the fabric, whose memory cgroup is charged
 * @what: enum hc_record_what
 * @len: bytes of data
 *
 * Context: process
 * Return: the note, or NULL if there is no memory; never NULL if @len is at most
 *	HC_TRUNK_NOTE_SMALL
 */
struct hc_trunk_note *hc_trunk_note_new(const struct hc_fabric *fabric, u8 what, u32 len);

/**
 * hc_trunk_note_put() - drop a reference to a note
 * @note: the note, or NULL
 *
 * Context: any
 */
void hc_trunk_note_put(struct hc_trunk_note *note);

/**
 * hc_trunk_note_say() - queue a note for sending; end the trunk if too many notes wait, because the
 *	peer does not read them
 * @trunk: the trunk
 * @note: the note, to which the trunk takes a reference of its own
 *
 * Context: config, under hc_fabric.lock
 */
void hc_trunk_note_say(struct hc_trunk *trunk, struct hc_trunk_note *note);

/* --- receive.c --- */

/**
 * hc_record_head_digest() - compute the digest of a record's header
 * @w: the header
 *
 * Context: any
 * Return: CRC32C of the members before the two digests
 */
u32 hc_record_head_digest(const struct hc_wire_record *w);

/**
 * hc_trunk_rx_init() - set up the receiving side of a trunk
 * @trunk: a trunk that is being made
 *
 * Context: config
 */
void hc_trunk_rx_init(struct hc_trunk *trunk);

/**
 * hc_trunk_rx_exit() - drop a partly received record
 * @trunk: a trunk whose work items have ended
 *
 * Context: process
 */
void hc_trunk_rx_exit(struct hc_trunk *trunk);

/**
 * hc_trunk_receive_work() - read records from the socket
 * @work: hc_trunk.receive
 *
 * Context: workqueue
 */
void hc_trunk_receive_work(struct work_struct *work);

/* --- transport.c --- */
extern const struct hc_transport_ops hc_trunk_transport;

/**
 * hc_trunk_end_received() - apply a STATE record, which describes the remote end of a link
 * @node: node of the local end
 * @dim: dimension of the link
 * @w: the state
 *
 * Context: config, under hc_fabric.lock
 */
void hc_trunk_end_received(struct hc_node *node, unsigned int dim, const struct hc_wire_end *w);

/**
 * hc_trunk_end_lives() - record the boot id of the machine at the remote end of a link
 * @node: node of the local end
 * @dim: dimension of the link
 * @life: boot id of that machine
 *
 * Context: config, under hc_fabric.lock
 */
void hc_trunk_end_lives(struct hc_node *node, unsigned int dim, u32 life);

/**
 * hc_trunk_end_forget() - forget the state of a link's remote end, after the trunk has ended
 * @node: node of the local end
 * @dim: dimension of the link
 *
 * Context: config, under hc_fabric.lock
 */
void hc_trunk_end_forget(struct hc_node *node, unsigned int dim);

/**
 * hc_trunk_end_fill() - write the state of the local end of a link into a STATE record
 * @node: node of the local end
 * @dim: dimension of the link
 * @w: filled in
 *
 * Context: config, under hc_fabric.lock
 */
void hc_trunk_end_fill(struct hc_node *node, unsigned int dim, struct hc_wire_end *w);

#endif /* _HC_TRUNK_H */
