// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver of datagrams that are sent in copies: it stores the copies until it can compare
 * them.
 *
 * Copies belong to one datagram if their headers have the same origin, the same number and exactly
 * the same list of paths, no two of which share a node. Each copy that differs from the original
 * has a Byzantine node in its path, and no node between origin and receiver is in the paths of two
 * copies (route/copy.c). So with k copies, t Byzantine nodes and an honest origin:
 *
 * - if t < k / 2, a payload that more than half of the k copies have is the original: at most t
 *   copies have another payload, and a missing copy counts for no payload;
 * - if t < k, a payload that all k copies have is the original: at least one copy has no Byzantine
 *   node in its path;
 * - a Byzantine node may forge the origin, a smaller k, or other paths in the header of a copy.
 *   Such a copy belongs to another datagram, of which at most t copies arrive. So the receiver must
 *   rely on the least k that it accepts (hc_collect_set.least), not on the k in the header of a
 *   copy;
 * - a Byzantine node may drop copies: these copies are missing.
 *
 * Memory. All stored copies are charged to the receive buffer of the socket, as are datagrams that
 * have not been read. A copy that arrives when the buffer is full is dropped, unless it equals
 * another copy of its datagram: such a copy is not stored. To make room, datagrams that have been
 * delivered, and are stored only to be compared with copies that arrive later, are dropped, the
 * oldest first. At most DATAGRAMS_MAX datagrams wait for copies at a time: when there is one more,
 * the wait for the oldest ends.
 */
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "compat.h"
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "notifier.h"
#include "route/copy.h"
#include "sock/collect.h"
#include "sock/sock.h"
#include "sock/socks.h"
#include "trace.h"

#define WAIT_DEFAULT	1000	/* ms */
#define DATAGRAMS_MAX	1024
#define BUCKET_BITS	6
/* Maximum number of expired datagrams that one run of the timer ends, and the time until the next
 * run if there are more.
 */
#define EXPIRE_BATCH	64
#define EXPIRE_PAUSE	(100 * NSEC_PER_USEC)

/**
 * struct said - a payload that some copies of a datagram have
 * @by: the copies that have this payload, as a mask: bit i for copy i
 * @skb: the first of these copies; NULL if the skb is in the receive queue
 */
struct said {
	u32 by;
	struct sk_buff *skb;
};

/**
 * struct datagram - a datagram of which copies have arrived
 * @list: entry in hc_collector.list
 * @hash: entry in hc_collector.hash
 * @key: see copy_key()
 * @src: origin of the datagram
 * @nr: number of the datagram
 * @due: time at which the wait for its copies ends, ns
 * @came: mask of the copies that have arrived
 * @copies: number of copies that were sent
 * @nsaid: number of different payloads among the copies that have arrived
 * @delivered: true if the datagram has been delivered to the reader
 * @said: the different payloads
 * @path: the path of each copy
 */
struct datagram {
	struct list_head list;
	struct hlist_node hash;
	u32 key;
	u32 src;
	u64 nr;
	u64 due;
	u32 came;
	u8 copies;
	u8 nsaid;
	bool delivered;
	struct said said[HC_COPIES_MAX];
	struct hc_path_dims path[];
};

/**
 * struct hc_collector - the datagrams of a socket that wait for copies. All fields but @set are
 *	accessed under @lock
 * @lock: taken by the poll, the timer, setsockopt() and close()
 * @hsk: the socket; constant
 * @set: options of the socket
 * @list: the datagrams, oldest first
 * @n: number of datagrams
 * @closed: true if the socket is closed: no copies are accepted any more
 * @armed: true if @timer has been started
 * @timer: expires when the wait for the copies of the oldest datagram ends
 * @seed: random seed of the keys in @hash; constant
 * @hash: the datagrams, by key
 */
struct hc_collector {
	spinlock_t lock;
	struct hc_sock *hsk;
	struct hc_collect_set set;
	struct list_head list;
	u32 n;
	bool closed;
	bool armed;
	struct hrtimer timer;
	u32 seed;
	struct hlist_head hash[BIT(BUCKET_BITS)];
};

static u32 all_copies(const struct datagram *d)
{
	return BIT(d->copies) - 1;
}

static size_t datagram_size(unsigned int copies)
{
	return struct_size_t(struct datagram, path, copies);
}

/* Return: a hash of all header fields that the copies of a datagram have in common. The seed is
 * secret, so a Byzantine node cannot choose the contents of forged copies such that all are in the
 * same bucket.
 */
static u32 copy_key(const struct hc_collector *c, const struct sk_buff *skb)
{
	const struct hc_wire_copy *w = hc_wire_copy_of(skb);
	u64 nr = be64_to_cpu(w->nr);
	u32 key = jhash_3words(lower_32_bits(nr), upper_32_bits(nr),
			       be16_to_cpu(hc_hdr(skb)->src) << 8 | w->copies, c->seed);

	return jhash(w + 1, be16_to_cpu(w->paths), key);
}

static struct hlist_head *bucket(struct hc_collector *c, u32 key)
{
	return &c->hash[hash_32(key, BUCKET_BITS)];
}

/* ------------------------------------------------------------ voting */

/* Return: the payload that most copies have. If several payloads have the same number of copies,
 * this is the one that has arrived first.
 */
static struct said *most(struct datagram *d)
{
	struct said *best = &d->said[0];
	unsigned int i;

	for (i = 1; i < d->nsaid; i++)
		if (hweight32(d->said[i].by) > hweight32(best->by))
			best = &d->said[i];
	return best;
}

static void vote_conclude(struct datagram *d, struct hypercube_vote *v)
{
	u32 by = most(d)->by;
	bool more = 2 * hweight32(by) > d->copies;

	*v = (struct hypercube_vote){
		.copies = d->copies,
		.mismatch = d->came & ~(more ? by : d->said[0].by),
		.missing = all_copies(d) & ~d->came,
		.nr = d->nr,
	};
	if (!more)
		v->outcome = HYPERCUBE_VOTE_OUTCOME_UNDECIDED;
	else if (v->mismatch)
		v->outcome = HYPERCUBE_VOTE_OUTCOME_OUTVOTED;
	else
		v->outcome = v->missing ? HYPERCUBE_VOTE_OUTCOME_INCOMPLETE :
			       HYPERCUBE_VOTE_OUTCOME_AGREED;
}

/* Return: true if a datagram with vote @v must be delivered now. @over: true if the wait for copies
 * ends now.
 */
static bool wanted(const struct hc_collector *c, const struct hypercube_vote *v, bool over)
{
	switch (READ_ONCE(c->set.deliver)) {
	case HYPERCUBE_DELIVER_MAJORITY:
		return v->outcome != HYPERCUBE_VOTE_OUTCOME_UNDECIDED;
	case HYPERCUBE_DELIVER_REPORT:
		return over;
	default:
		return v->outcome == HYPERCUBE_VOTE_OUTCOME_AGREED;
	}
}

/* Deliver datagram @d with vote @v to the reader. @over: true if the wait for copies ends now. If
 * it is false, deliver a clone and store the payload, with which later copies are compared.
 */
static void tell(struct hc_collector *c, struct datagram *d, const struct hypercube_vote *v,
		 bool over)
{
	bool decided = v->outcome != HYPERCUBE_VOTE_OUTCOME_UNDECIDED;
	struct said *said = decided ? most(d) : &d->said[0];
	struct sk_buff *skb = over ? said->skb : skb_clone(said->skb, GFP_ATOMIC | __GFP_NOWARN);
	struct sock *sk = &c->hsk->sk;
	struct hc_dgram_cb *cb;

	/* If there is no memory for the clone, the datagram is delivered when the next copy
	 * arrives, or when the wait for copies ends.
	 */
	if (!skb)
		return;
	if (over)
		said->skb = NULL;
	cb = hc_cb_as(struct hc_dgram_cb, skb);
	cb->vote = *v;
	cb->src = d->src;
	cb->own = false;
	cb->said = decided ? hc_copy_said(skb) : skb->len;
	skb_orphan(skb);
	skb_set_owner_r(skb, sk);
	skb_queue_tail(&sk->sk_receive_queue, skb);
	sk->sk_data_ready(sk);
	d->delivered = true;
}

/* ------------------------------------------------------------ ending a datagram */

static void count(struct hc_node *node, const struct datagram *d,
		  const struct hypercube_vote *v)
{
	atomic64_inc(d->nsaid > 1 ? &node->socks->disagreed : v->missing ?
		     &node->socks->incomplete : &node->socks->agreed);
	trace_hc_vote(node, d->src, v);
	if (d->nsaid > 1 || v->outcome == HYPERCUBE_VOTE_OUTCOME_UNDECIDED)
		hc_notify_disagreement(node, d->src, v, d->path);
}

static void datagram_free(struct hc_collector *c, struct datagram *d)
{
	hlist_del(&d->hash);
	list_del(&d->list);
	c->n--;
	atomic_sub(datagram_size(d->copies), &c->hsk->sk.sk_rmem_alloc);
	kfree(d);
}

/* Free all payloads of a datagram. Those that have not been delivered count as drops, because
 * copies disagree or are missing.
 */
static void said_drop(struct hc_node *node, struct datagram *d)
{
	unsigned int why = d->nsaid > 1 ? HYPERCUBE_A_DROP_COPY_MISMATCH :
					  HYPERCUBE_A_DROP_TOO_FEW_COPIES, i;
	const struct said *best = most(d);

	for (i = 0; i < d->nsaid; i++) {
		struct said *s = &d->said[i];

		if (s->skb && node && !(d->delivered && s == best))
			hc_drop(node, NULL, s->skb, why);
		else
			consume_skb(s->skb);
	}
}

/* End a datagram: all its copies have arrived, or the wait for them ends. Deliver it if it has not
 * been delivered and its vote allows that. @node: the node, or NULL if the socket has lost its
 * node.
 */
static void datagram_end(struct hc_collector *c, struct hc_node *node, struct datagram *d)
{
	struct hypercube_vote v;

	lockdep_assert_held(&c->lock);
	vote_conclude(d, &v);
	if (!d->delivered && wanted(c, &v, true))
		tell(c, d, &v, true);
	if (node)
		count(node, d, &v);
	said_drop(node, d);
	datagram_free(c, d);
}

static enum hrtimer_restart collect_timer(struct hrtimer *timer)
{
	struct hc_collector *c = container_of(timer, struct hc_collector, timer);
	unsigned int n = EXPIRE_BATCH;
	u64 now = ktime_get_ns();
	struct datagram *d;

	rcu_read_lock();
	spin_lock(&c->lock);
	while ((d = list_first_entry_or_null(&c->list, struct datagram, list)) && n--) {
		if (d->due > now)
			break;
		datagram_end(c, rcu_dereference(c->hsk->node), d);
	}
	/* If other datagrams have expired, too, the pause lets other softirqs run before the next
	 * batch.
	 */
	if (d)
		hrtimer_set_expires(timer, ns_to_ktime(max(d->due, now + EXPIRE_PAUSE)));
	else
		c->armed = false;
	spin_unlock(&c->lock);
	rcu_read_unlock();
	return d ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* ------------------------------------------------------------ a copy arrives */

static bool paths_same(const struct datagram *d, const struct sk_buff *skb)
{
	struct hc_copy_reader r;
	struct hc_path_dims path;
	unsigned int i;

	hc_copy_paths_read(skb, &r);
	for (i = 0; i < d->copies; i++)
		if (!hc_copy_path_next(&r, &path) || memcmp(&path, &d->path[i], sizeof(path)))
			return false;
	return r.end - r.at < 8;
}

static struct datagram *datagram_find(struct hc_collector *c, const struct sk_buff *skb, u32 key)
{
	const struct hc_wire_copy *w = hc_wire_copy_of(skb);
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	u64 nr = be64_to_cpu(w->nr);
	struct datagram *d;

	hlist_for_each_entry(d, bucket(c, key), hash)
		if (d->key == key && d->nr == nr && d->src == src && d->copies == w->copies &&
		    paths_same(d, skb))
			return d;
	return NULL;
}

/* Read the paths of the datagram from @skb, its first copy that has arrived. Return: false if the
 * header has fewer paths than there are copies, if bytes follow the paths, or if two paths share a
 * node.
 */
static bool paths_take(const struct hc_node *node, const struct sk_buff *skb, struct datagram *d)
{
	u32 room[HC_NODES_MAX / 32];
	struct hc_copy_reader r;
	unsigned int i;

	hc_copy_paths_read(skb, &r);
	for (i = 0; i < d->copies; i++)
		if (!hc_copy_path_next(&r, &d->path[i]))
			return false;
	if (r.end - r.at >= 8)
		return false;
	while (r.at < r.end)
		if (*r.at++)
			return false;
	return hc_disjoint_check(&node->fabric->topo, d->src, node->id, d->path, d->copies, room);
}

/* Set *@new to a new datagram, of which @skb is the first copy that has arrived. Return: 0, or the
 * reason for which the caller must drop @skb.
 */
static unsigned int datagram_new(struct hc_collector *c, struct hc_node *node,
				 const struct sk_buff *skb, u32 key, struct datagram **new)
{
	const struct hc_wire_copy *w = hc_wire_copy_of(skb);
	struct datagram *d;

	d = kzalloc(datagram_size(w->copies), GFP_ATOMIC | __GFP_NOWARN);
	if (!d)
		return HYPERCUBE_A_DROP_NO_MEMORY;
	d->key = key;
	d->nr = be64_to_cpu(w->nr);
	d->src = be16_to_cpu(hc_hdr(skb)->src);
	d->copies = w->copies;
	if (!paths_take(node, skb, d)) {
		kfree(d);
		return HYPERCUBE_A_DROP_MALFORMED;
	}
	if (c->n == DATAGRAMS_MAX)
		datagram_end(c, node, list_first_entry(&c->list, struct datagram, list));
	d->due = ktime_get_ns() + READ_ONCE(c->set.wait) * (u64)NSEC_PER_MSEC;
	atomic_add(datagram_size(d->copies), &c->hsk->sk.sk_rmem_alloc);
	list_add_tail(&d->list, &c->list);
	hlist_add_head(&d->hash, bucket(c, d->key));
	c->n++;
	if (!c->armed) {
		c->armed = true;
		hrtimer_start(&c->timer, ns_to_ktime(d->due), HRTIMER_MODE_ABS_SOFT);
	}
	*new = d;
	return 0;
}

static bool says_the_same(const struct sk_buff *a, const struct sk_buff *b)
{
	unsigned int at = hc_copy_said(a);

	/* Both copies have the same list of paths, so their payloads begin at the same offset. */
	return a->len == b->len && !memcmp(a->data + at, b->data + at, a->len - at);
}

/* Return: the payload in @d that is equal to that of @skb, or NULL. */
static struct said *said_find(struct datagram *d, const struct sk_buff *skb)
{
	unsigned int i;

	for (i = 0; i < d->nsaid; i++)
		if (says_the_same(d->said[i].skb, skb))
			return &d->said[i];
	return NULL;
}

/* Add the copy @skb to datagram @d: to its payload @said, which is equal to that of @skb, or as a
 * new payload if @said is NULL. Consumes @skb.
 */
static void said_add(struct hc_collector *c, struct datagram *d, struct said *said,
		     struct sk_buff *skb)
{
	u32 bit = BIT(hc_wire_copy_of(skb)->copy);

	d->came |= bit;
	if (said) {
		said->by |= bit;
		consume_skb(skb);
		return;
	}
	skb_orphan(skb);
	skb_set_owner_r(skb, &c->hsk->sk);
	d->said[d->nsaid++] = (struct said){ .by = bit, .skb = skb };
}

/* Return: true if the receive buffer has room for another copy of datagram @of (NULL: of a new
 * datagram). To make room, end the oldest datagrams, as long as they have been delivered.
 */
static bool collect_room(struct hc_collector *c, struct hc_node *node, const struct datagram *of)
{
	struct datagram *d;

	while (!hc_sock_recv_room(&c->hsk->sk)) {
		d = list_first_entry_or_null(&c->list, struct datagram, list);
		if (!d || !d->delivered || d == of)
			return false;
		datagram_end(c, node, d);
	}
	return true;
}

/* Process a copy that has arrived. Return: 0, or the reason for which the caller must drop it. */
static unsigned int copy_take(struct hc_collector *c, struct hc_node *node, struct sk_buff *skb)
{
	struct hypercube_vote v;
	struct datagram *d;
	struct said *said;
	unsigned int why;
	u32 key;

	if (c->closed)
		return HYPERCUBE_A_DROP_NO_SOCKET;
	key = copy_key(c, skb);
	d = datagram_find(c, skb, key);
	if (d && d->came & BIT(hc_wire_copy_of(skb)->copy))
		return HYPERCUBE_A_DROP_DUPLICATE;
	said = d ? said_find(d, skb) : NULL;
	/* A copy with a payload that another copy has had takes no memory, and may complete a
	 * datagram, which frees memory.
	 */
	if (!said && !collect_room(c, node, d))
		return HYPERCUBE_A_DROP_QUEUE_FULL;
	why = d ? 0 : datagram_new(c, node, skb, key, &d);
	if (why)
		return why;
	said_add(c, d, said, skb);
	if (d->came == all_copies(d)) {
		datagram_end(c, node, d);
		return 0;
	}
	vote_conclude(d, &v);
	if (!d->delivered && wanted(c, &v, false))
		tell(c, d, &v, false);
	return 0;
}

void hc_collect_rx(struct hc_node *node, struct sk_buff *skb)
{
	struct hc_collector *c;
	unsigned int why;
	struct sock *sk;

	rcu_read_lock();
	sk = rcu_dereference(node->socks->dgram);
	if (!sk) {
		why = HYPERCUBE_A_DROP_NO_SOCKET;
	} else if (hc_wire_copy_of(skb)->copies < READ_ONCE(hc_sk(sk)->collector->set.least)) {
		why = HYPERCUBE_A_DROP_TOO_FEW_COPIES;
	} else if (skb_linearize(skb)) {
		why = HYPERCUBE_A_DROP_NO_MEMORY;
	} else {
		c = hc_sk(sk)->collector;
		spin_lock(&c->lock);
		why = copy_take(c, node, skb);
		spin_unlock(&c->lock);
	}
	rcu_read_unlock();
	if (why)
		hc_drop(node, NULL, skb, why);
}

/* ------------------------------------------------------------ the reader */

unsigned int hc_collect_paths(const struct sk_buff *skb, const struct hypercube_vote *v,
			      struct hypercube_path *path)
{
	struct hc_path_dims dims;
	struct hc_copy_reader r;
	unsigned int i, n = 0;

	hc_copy_paths_read(skb, &r);
	for (i = 0; i < v->copies && hc_copy_path_next(&r, &dims); i++)
		if ((v->mismatch | v->missing) & BIT(i))
			hc_path_notify(&path[n++], v, i, &dims);
	return n;
}

static void least_in_collector(struct hc_collector *c, struct hc_node *node, u32 least)
{
	struct datagram *d, *more;

	spin_lock_bh(&c->lock);
	list_for_each_entry_safe(d, more, &c->list, list) {
		if (d->copies >= least)
			continue;
		said_drop(node, d);
		datagram_free(c, d);
	}
	spin_unlock_bh(&c->lock);
}

static void least_in_queue(struct sk_buff_head *queue, struct hc_node *node, u32 least)
{
	struct sk_buff *skb, *more;
	struct sk_buff_head list;
	unsigned long flags;

	__skb_queue_head_init(&list);
	spin_lock_irqsave(&queue->lock, flags);
	skb_queue_walk_safe(queue, skb, more) {
		const struct hc_dgram_cb *cb = hc_cb_as(struct hc_dgram_cb, skb);

		if (cb->own || max(cb->vote.copies, 1U) >= least)
			continue;
		__skb_unlink(skb, queue);
		__skb_queue_tail(&list, skb);
	}
	spin_unlock_irqrestore(&queue->lock, flags);
	while ((skb = __skb_dequeue(&list))) {
		if (node)
			hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_TOO_FEW_COPIES);
		else
			kfree_skb(skb);
	}
}

void hc_collect_least(struct hc_sock *hsk, u32 least)
{
	struct hc_collector *c = hsk->collector;
	u32 before = xchg(&c->set.least, least);
	struct hc_node *node;

	/* A socket that is not bound has received nothing. */
	if (least <= before || !hc_sock_fabric(hsk))
		return;
	/* After a grace period, no poll uses the old value any more. */
	synchronize_net();
	rcu_read_lock();
	node = rcu_dereference(hsk->node);
	least_in_collector(c, node, least);
	least_in_queue(&hsk->sk.sk_receive_queue, node, least);
	rcu_read_unlock();
}

void hc_collect_wait(struct hc_sock *hsk, u32 wait)
{
	struct hc_collector *c = hsk->collector;
	struct datagram *d;
	u64 due;

	spin_lock_bh(&c->lock);
	WRITE_ONCE(c->set.wait, wait);
	due = ktime_get_ns() + wait * (u64)NSEC_PER_MSEC;
	/* The order of the list does not change: it is sorted by .due. */
	list_for_each_entry(d, &c->list, list)
		d->due = min(d->due, due);
	spin_unlock_bh(&c->lock);
	hrtimer_cancel(&c->timer);
	spin_lock_bh(&c->lock);
	/* While the timer was not active, a poll may have started it with the new time; then this
	 * function must leave it alone, and .armed stays true. A poll must not start the timer
	 * while the timer's function runs, because that function restarts the timer, too.
	 */
	if (!hrtimer_active(&c->timer)) {
		d = list_first_entry_or_null(&c->list, struct datagram, list);
		c->armed = d;
		if (d)
			hrtimer_start(&c->timer, ns_to_ktime(d->due), HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock_bh(&c->lock);
}

struct hc_collect_set *hc_collect_set(const struct hc_sock *hsk)
{
	return &hsk->collector->set;
}

int hc_collect_open(struct hc_sock *hsk)
{
	struct hc_collector *c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);

	if (!c)
		return -ENOMEM;
	spin_lock_init(&c->lock);
	c->hsk = hsk;
	c->seed = get_random_u32();
	c->set = (struct hc_collect_set){
		.least = 1, .wait = WAIT_DEFAULT, .deliver = HYPERCUBE_DELIVER_AGREED,
	};
	INIT_LIST_HEAD(&c->list);
	hc_timer_setup(&c->timer, collect_timer);
	hsk->collector = c;
	return 0;
}

void hc_collect_close(struct hc_sock *hsk)
{
	struct hc_collector *c = hsk->collector;
	struct datagram *d, *more;

	if (!c)
		return;
	spin_lock_bh(&c->lock);
	c->closed = true;
	list_for_each_entry_safe(d, more, &c->list, list) {
		said_drop(NULL, d);
		datagram_free(c, d);
	}
	spin_unlock_bh(&c->lock);
	/* Nothing starts the timer any more, since .closed is set. */
	hrtimer_cancel(&c->timer);
}

void hc_collect_free(struct hc_sock *hsk)
{
	kfree(hsk->collector);
}
