// SPDX-License-Identifier: GPL-2.0
/*
 * Link-state database: what nodes know about faults at other nodes, so that unicast takes shortest
 * paths.
 *
 * A node whose FAULT word changes gives it the next version number and sends an entry {node, FAULT
 * word, version} to its neighbours. A node that receives an entry with a newer version than its own
 * entry of that node adopts it and forwards it over its other usable links; it ignores any other
 * entry. When a link comes up its two ends send each other all their entries. They also request all
 * entries from each other, since frames of one end are dropped until the other end is up, too. A
 * node may receive a wrong FAULT word of itself, left over from a time when it could not send. It
 * then gives its FAULT word a version that is newer than the wrong one, and sends it. That happens
 * a few times at most, unless another machine has a node with the same number (claims.c).
 *
 * The exchange ends, because a node adopts each version at most once. And it converges. Once links
 * do not change any more, the last version of each node is the greatest. By induction on the
 * distance from its origin every node in the component of healthy links receives this version and
 * adopts it: an entry that could not cross a link while the link was down crosses it when the link
 * comes up, and a node whose end of a link is down when a frame is received requests all entries of
 * the other end again. (If an entry could not be sent or stored for lack of memory, this is tried
 * again, after a time that doubles with each further failure.) Entries of nodes outside the
 * component do not matter: every link that leads out of the component is faulty in the FAULT word
 * of the end that is in the component.
 *
 * lsdb_paths.c finds paths and spanning trees with the entries.
 *
 * No frame is made before it can be sent. For each link and each node a bit is set while the node's
 * entry is still to be sent over the link. The frame is made when the limits of the link allow it
 * (fabric/own.c), and gets the entries as they are at that time. So a storm of changes costs no
 * memory, and a change that was undone meanwhile is not sent.
 *
 * Costs at each node: 8 bytes for each node that ever had a faulty link, one byte for each node in
 * the table of first hops, and a bit for each node and each link. A change of a FAULT word crosses
 * each link at most twice.
 */
#include <linux/bitmap.h>
#include <linux/jhash.h>
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/own.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "notifier.h"
#include "route/claims.h"
#include "route/lsdb.h"

#define CHUNK		256U	/* most entries in a frame */
#define HEAD		(sizeof(struct hc_hdr) + sizeof(struct hc_wire_lsa_head))
/* Delay after which a failed allocation is tried again; doubled with each further failure. */
#define RETRY_MIN	msecs_to_jiffies(20)
#define RETRY_MAX	msecs_to_jiffies(5000)

/* ------------------------------------------------------------ lack of memory */

void hc_lsdb_retry(struct hc_node *node, unsigned int what)
{
	struct hc_lsdb_retry *r = node->fabric->lsdb_retry;

	set_bit(what, &node->memory_wait);
	queue_delayed_work(system_long_wq, &r->work, READ_ONCE(r->wait));
}

/* Let the node's poll try again what has failed. Entries and requests that could not be sent are
 * still recorded as outstanding, so for them it is enough that the poll runs. If the node's own
 * FAULT word is to get a new version (HC_OWN_AGAIN), the poll needs an event.
 */
static void node_retry(struct hc_node *node)
{
	unsigned long waits = READ_ONCE(node->memory_wait) ? xchg(&node->memory_wait, 0) : 0;

	if (waits & BIT(HC_OWN_AGAIN))
		hc_node_kick(node, HC_EV_LINKS);
	else if (waits)
		hc_node_run(node);
}

/* Retry at all nodes. If a poll that runs because of this lacks memory again, it queues this work
 * item again, with the new delay.
 */
static void retry_work(struct work_struct *work)
{
	struct hc_lsdb_retry *r = container_of(to_delayed_work(work), struct hc_lsdb_retry, work);
	const struct hc_fabric *fabric = r->fabric;
	struct hc_node *node;

	/* If the last failure was long ago, this failure counts as the first one. */
	if (time_after(jiffies, r->ran + 3 * r->wait))
		r->wait = RETRY_MIN;
	WRITE_ONCE(r->wait, min(2 * r->wait, RETRY_MAX));
	r->ran = jiffies;
	hc_each_node(fabric, node) {
		node_retry(node);
		cond_resched();
	}
}

void hc_lsdb_retry_init(struct hc_fabric *fabric)
{
	fabric->lsdb_retry->fabric = fabric;
	fabric->lsdb_retry->wait = RETRY_MIN;
	INIT_DELAYED_WORK(&fabric->lsdb_retry->work, retry_work);
}

void hc_lsdb_retry_exit(struct hc_fabric *fabric)
{
	cancel_delayed_work_sync(&fabric->lsdb_retry->work);
}

/* ------------------------------------------------------------ the list */

/* Return: the index of the first entry whose node number is @u or greater. */
static unsigned int state_index(const struct hc_node *node, u32 u)
{
	unsigned int low = 0, high = node->lsdb->n;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (node->lsdb->list[mid].node < u)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Return: true if the database has @version of node @u's FAULT word. */
static bool state_is_known(const struct hc_node *node, u32 u, u32 version)
{
	unsigned int i = state_index(node, u);

	return i < node->lsdb->n && node->lsdb->list[i].node == u &&
	       node->lsdb->list[i].version == version;
}

/* Make sure that the list has memory for another entry. Return: false if there is no memory. */
static bool state_grow(struct hc_node *node)
{
	u32 room = node->lsdb->room ? 2 * node->lsdb->room : 8;
	struct hc_lsdb_entry *v;

	if (node->lsdb->n < node->lsdb->room)
		return true;
	v = hc_poll_alloc(node->fabric, room * sizeof(*v));
	if (!v) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		return false;
	}
	if (node->lsdb->n)
		memcpy(v, node->lsdb->list, node->lsdb->n * sizeof(*v));
	swap(node->lsdb->list, v);
	hc_poll_free(node->fabric, v, node->lsdb->room * sizeof(*v));
	node->lsdb->room = room;
	return true;
}

/* Return: the hash of node @u's FAULT word. The XOR of these hashes over all nodes is the digest of
 * a database. Two databases with the same FAULT words have the same digest; two databases with
 * different FAULT words have the same digest with a probability of 1 in 2^32. A node without faults
 * does not contribute to the digest, nor does a node without an entry.
 */
static u32 word_hash(u32 u, u32 word)
{
	return word ? jhash_2words(u, word, 0) : 0;
}

/* Store FAULT word @word of node @u if its @version is newer than the version in the database.
 * Return: 1 if it was stored, 0 if it is not newer, or -ENOMEM. Versions are compared modulo 2^32,
 * so that a node always has a next version with which it can correct its entry at other nodes.
 */
static int state_write(struct hc_node *node, u32 u, u32 word, u32 version)
{
	unsigned int i = state_index(node, u);
	struct hc_lsdb_entry *s;

	if (i == node->lsdb->n || node->lsdb->list[i].node != u) {
		if (!state_grow(node))
			return -ENOMEM;
		memmove(&node->lsdb->list[i + 1], &node->lsdb->list[i],
			(node->lsdb->n - i) * sizeof(*s));
		node->lsdb->list[i].word = 0;
		WRITE_ONCE(node->lsdb->n, node->lsdb->n + 1);
	} else if ((s32)(version - node->lsdb->list[i].version) <= 0) {
		return 0;
	}
	s = &node->lsdb->list[i];
	node->lsdb->digest ^= word_hash(u, s->word) ^ word_hash(u, word);
	*s = (struct hc_lsdb_entry){ .node = u, .word = word, .version = version };
	node->lsdb->hops_stale = true;
	node->lsdb->tree_stale = true;
	return 1;
}

/* Do state_write() under the lock, which readers in other contexts take. */
static int state_adopt(struct hc_node *node, u32 u, u32 word, u32 version)
{
	int ret;

	spin_lock(&node->lsdb->lock);
	ret = state_write(node, u, word, version);
	spin_unlock(&node->lsdb->lock);
	return ret;
}

u32 hc_lsdb_word(const struct hc_node *node, u32 u)
{
	unsigned int i = state_index(node, u);

	if (u == node->id)
		return node->fault;
	return i < node->lsdb->n && node->lsdb->list[i].node == u ? node->lsdb->list[i].word : 0;
}

bool hc_lsdb_any(const struct hc_node *node)
{
	return READ_ONCE(node->lsdb->n) || READ_ONCE(node->fault);
}

void hc_lsdb_words(struct hc_node *node, u16 *words)
{
	unsigned int i;

	spin_lock_bh(&node->lsdb->lock);
	for (i = 0; i < node->lsdb->n; i++)
		words[node->lsdb->list[i].node] = node->lsdb->list[i].word;
	spin_unlock_bh(&node->lsdb->lock);
	words[node->id] = READ_ONCE(node->fault);
}

void hc_lsdb_newest(struct hc_node *node, struct hc_lsdb_received *received)
{
	unsigned int i;

	spin_lock_bh(&node->lsdb->lock);
	for (i = 0; i < node->lsdb->n; i++) {
		const struct hc_lsdb_entry *e = &node->lsdb->list[i];
		struct hc_lsdb_received *h = &received[e->node];

		if (!h->any || (s32)(e->version - h->version) > 0)
			*h = (struct hc_lsdb_received){ true, e->word, e->version };
	}
	spin_unlock_bh(&node->lsdb->lock);
}

void hc_lsdb_init(struct hc_lsdb *s)
{
	spin_lock_init(&s->lock);
	s->hops_stale = true;
	s->tree_stale = true;
}

/* ------------------------------------------------------------ entries to be sent */

static size_t owed_size(const struct hc_node *node)
{
	return node->fabric->topo.ports * BITS_TO_LONGS(node->fabric->topo.nodes) * sizeof(long);
}

/* Return: the bitmap of the nodes whose entries are still to be sent along @dim. */
static unsigned long *owed_along(const struct hc_node *node, unsigned int dim)
{
	return node->lsdb->owed + dim * BITS_TO_LONGS(node->fabric->topo.nodes);
}

static bool owed_make(struct hc_node *node)
{
	if (!node->lsdb->owed)
		node->lsdb->owed = hc_poll_alloc(node->fabric, owed_size(node));
	return node->lsdb->owed;
}

/* Record that the entry of node @u is to be sent to all neighbours except the neighbour along
 * @from, from which it was received. Neighbours whose link is down are included: the link may come
 * up again before this node detects that it was down.
 */
static void news_add(struct hc_node *node, u32 u, unsigned int from)
{
	u32 dims = hc_node_ports(node);
	unsigned int d;

	if (from < node->fabric->topo.ports)
		dims &= ~hc_bit(from);
	if (!owed_make(node)) {
		node->lsdb->all |= dims;
		return;
	}
	node->lsdb->owes |= dims;
	for (d = 0; d < node->fabric->topo.ports; d++)
		if (dims & hc_bit(d))
			__set_bit(u, owed_along(node, d));
}

/* Record that the neighbour along @dim has the same entry of node @u as this node, so that the
 * entry need not be sent there.
 */
static void news_known(struct hc_node *node, u32 u, unsigned int dim)
{
	if (node->lsdb->owed)
		__clear_bit(u, owed_along(node, dim));
}

void hc_lsdb_meet(struct hc_node *node, u32 dims)
{
	node->lsdb->all |= dims;
	node->lsdb->asks |= dims;
}

/* Return: true if the outstanding entries may be sent: all frames have been processed that were
 * queued when a poll first tried to send them. In a storm of changes thousands of frames are
 * queued, of which one poll processes only a few. Because of this wait only the last of a node's
 * changes is sent, and one frame carries the changes of many nodes.
 */
static bool news_complete(struct hc_node *node)
{
	const struct hc_queue *q = &node->rxq;

	if (!node->lsdb->news_waits) {
		node->lsdb->news_waits = true;
		node->lsdb->news_at = q->taken + skb_queue_len_lockless(&q->list);
	}
	return (s32)(q->taken - node->lsdb->news_at) >= 0;
}

/* Record that all entries are to be sent along @dim. Return: false if there is no memory for the
 * bitmap.
 */
static bool all_owe(struct hc_node *node, unsigned int dim)
{
	unsigned int i;

	if (!owed_make(node))
		return false;
	for (i = 0; i < node->lsdb->n; i++)
		__set_bit(node->lsdb->list[i].node, owed_along(node, dim));
	node->lsdb->all &= ~hc_bit(dim);
	node->lsdb->owes |= hc_bit(dim);
	return true;
}

/* Fill @v with @n of the entries that are to be sent along @dim, and clear their bits. Each frame
 * begins with the node number after the last entry of the previous frame, so no entry waits for
 * ever, however often other entries change.
 */
static void states_put(struct hc_node *node, unsigned int dim, struct hc_wire_lsa *v, u32 n)
{
	unsigned long *owed = owed_along(node, dim);
	u32 nodes = node->fabric->topo.nodes, u = node->lsdb->next[dim];
	const struct hc_lsdb_entry *s;

	for (; n; n--, v++, u++) {
		u = find_next_bit(owed, nodes, u);
		if (u == nodes)
			u = find_first_bit(owed, nodes);
		__clear_bit(u, owed);
		s = &node->lsdb->list[state_index(node, u)];
		*v = (struct hc_wire_lsa){
			.node = cpu_to_be16(s->node), .word = cpu_to_be16(s->word),
			.version = cpu_to_be32(s->version),
		};
	}
	node->lsdb->next[dim] = u;
}

/* Send one frame along @dim with entries that are outstanding there, and with the request for the
 * neighbour's entries if that is outstanding. Return: false if no frame was sent: nothing is
 * outstanding, hc_own_room() does not allow the frame, or there is no memory.
 */
static bool states_send(struct hc_node *node, unsigned int dim)
{
	u8 flags = node->lsdb->asks & hc_bit(dim) ? HC_LSA_F_SYNC : 0;
	struct sk_buff *skb;
	u32 n = 0;

	if (node->lsdb->owes & hc_bit(dim))
		n = min(bitmap_weight(owed_along(node, dim), node->fabric->topo.nodes), CHUNK);
	if (!n)
		node->lsdb->owes &= ~hc_bit(dim);
	if ((!n && !flags) || !hc_own_room(node, dim))
		return false;
	skb = hc_frame_alloc(node, HC_FRAME_LSA, n * sizeof(struct hc_wire_lsa), GFP_ATOMIC);
	if (!skb) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		hc_lsdb_retry(node, dim);
		return false;
	}
	states_put(node, dim, (struct hc_wire_lsa *)(skb->data + HEAD), n);
	hc_wire_lsa_head_of(skb)->flags = flags;
	hc_hdr(skb)->dst = cpu_to_be16(hc_node_peer(node, dim));
	node->lsdb->asks &= ~hc_bit(dim);
	hc_link_send(node, dim, skb);
	node->spent++;
	return true;
}

/* Send all outstanding entries along @dim, as far as hc_own_room() allows. */
static void link_flush(struct hc_node *node, unsigned int dim)
{
	if (node->lsdb->all & hc_bit(dim) && !all_owe(node, dim)) {
		hc_drop_count(node, NULL, HYPERCUBE_A_DROP_NO_MEMORY);
		hc_lsdb_retry(node, dim);
		return;
	}
	while (states_send(node, dim))
		;
}

void hc_lsdb_flush(struct hc_node *node)
{
	unsigned long dims = hc_lsdb_owes(node->lsdb) &
			     ~(node->fault | READ_ONCE(node->own_wait) |
			       READ_ONCE(node->memory_wait));
	unsigned int d;

	if (dims && !news_complete(node))
		return;
	node->lsdb->news_waits = false;
	for_each_set_bit(d, &dims, node->fabric->topo.ports)
		if (hc_link_usable(node, d))
			link_flush(node, d);
}

/* ------------------------------------------------------------ events */

/* Return: the newest version of the node's own FAULT word that any node is known to have. */
static u32 own_last(const struct hc_node *node)
{
	s32 newer = node->lsdb->claims.newest - node->lsdb->version;

	return newer > 0 ? node->lsdb->claims.newest : node->lsdb->version;
}

/* Give the node's own FAULT word the version after @version, and let it be sent to all neighbours.
 * Return: false if there is no memory to store it.
 */
static bool state_own(struct hc_node *node, u32 version)
{
	if (state_adopt(node, node->id, node->fault, version + 1) < 0)
		return false;
	node->lsdb->version = version + 1;
	hc_claims_notified(node, version + 1);
	news_add(node, node->id, HC_DIM_HOST);
	hc_notify_faults_known(node);
	return true;
}

/* Handle a version of the node's own FAULT word that was received over link @dim and that this node
 * has never sent: send a newer version, at once or, if hc_claims_add() returns false, after a
 * while.
 */
static void own_claimed(struct hc_node *node, unsigned int dim, u32 version)
{
	if (!hc_claims_add(node, dim, version) || !state_own(node, own_last(node)))
		hc_lsdb_retry(node, HC_OWN_AGAIN);
}

void hc_lsdb_links(struct hc_node *node)
{
	u32 healed = node->lsdb->announced & ~node->fault;
	u32 last = own_last(node);

	if (node->lsdb->announced == node->fault && last == node->lsdb->version)
		return;
	if (!state_own(node, last)) {
		hc_lsdb_retry(node, HC_OWN_AGAIN);
		return;
	}
	node->lsdb->announced = node->fault;
	hc_lsdb_meet(node, healed);
}

/* Process one entry of an LSA frame that was received over link @dim. */
static void state_take(struct hc_node *node, unsigned int dim, const struct hc_wire_lsa *w)
{
	u32 u = be16_to_cpu(w->node), word = be16_to_cpu(w->word);
	u32 version = be32_to_cpu(w->version);

	if (u >= node->fabric->topo.nodes || word & ~hc_ports_mask(&node->fabric->topo))
		return;
	if (hc_is_here(node->fabric, u))
		hc_claims_brought(node, dim, u, version);
	if (state_is_known(node, u, version))
		news_known(node, u, dim);
	if (u != node->id) {
		int news = state_adopt(node, u, word, version);

		if (news > 0)
			news_add(node, u, dim);
		/* The entry could not be stored for lack of memory: request all entries again. */
		if (news < 0) {
			node->lsdb->asks |= hc_bit(dim);
			hc_lsdb_retry(node, dim);
		}
		return;
	}
	if ((s32)(version - own_last(node)) > 0 ||
	    (version == node->lsdb->version && word != node->lsdb->announced))
		own_claimed(node, dim, version);
}

/* The frame's data may be shared with clones, so it is only read. */
void hc_lsdb_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb)
{
	u32 len = be32_to_cpu(hc_hdr(skb)->len);
	u8 flags = hc_wire_lsa_head_of(skb)->flags;
	u32 digest = node->lsdb->digest;
	unsigned int off;

	if (len % sizeof(struct hc_wire_lsa) || len > CHUNK * sizeof(struct hc_wire_lsa)) {
		hc_drop(node, &node->ports[dim], skb, HYPERCUBE_A_DROP_MALFORMED);
		return;
	}
	for (off = 0; off < len; off += sizeof(struct hc_wire_lsa)) {
		struct hc_wire_lsa buf, *w;

		w = skb_header_pointer(skb, HEAD + off, sizeof(buf), &buf);
		if (w)
			state_take(node, dim, w);
	}
	if (flags & HC_LSA_F_SYNC)
		node->lsdb->all |= hc_bit(dim);
	if (node->lsdb->digest != digest)
		hc_notify_faults_known(node);
	consume_skb(skb);
}

/* The frame's entries are lost: the link was down at this end, perhaps only for a moment that the
 * other end has not detected. So request all entries of the other end.
 */
void hc_lsdb_undeliverable(struct hc_node *node, unsigned int dim, struct sk_buff *skb,
			   unsigned int why)
{
	node->lsdb->asks |= hc_bit(dim);
}

void hc_lsdb_free(struct hc_node *node)
{
	struct hc_lsdb *s = node->lsdb;

	hc_poll_free(node->fabric, s->list, s->room * sizeof(*s->list));
	hc_poll_free(node->fabric, s->owed, owed_size(node));
	hc_poll_free(node->fabric, s->hops, node->fabric->topo.nodes);
}
