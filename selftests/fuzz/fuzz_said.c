// SPDX-License-Identifier: GPL-2.0
/*
 * Injects single frames, as a faulty or malicious neighbour could send them, and checks what
 * follows. Each test has a fabric of its own, of dimension 3.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "said.h"

#define INJECT	"/sys/kernel/debug/hypercube/inject"

/* --- memory --- */

/* A source sends more segments than its credits allow, while the sink has not contributed all of
 * its data. The operation must fail instead of filling memory.
 */
static bool source_is_bounded(void)
{
	unsigned int sink = said.c.plan.tree.sink, dim = said.c.plan.tree.order[0], i;
	struct hypercube_result res;
	char bytes[1024] = { 0 };

	if (!contribute(sink, LIVE_TREE, HYPERCUBE_REDUCE, 1 << 20, sizeof(bytes)))
		return false;
	for (i = 0; i < 1000; i++) {
		struct frame f;
		struct hc_wire_data *w = data(&f, sink, dim, LIVE_TREE, 0, HYPERCUBE_REDUCE);

		w->total = htobe64(1 << 20);
		w->offset = htobe64(i * sizeof(bytes));
		w->index = htonl(i);
		frame_put(&f, bytes, sizeof(bytes));
		if (say(&f))
			return false;
	}
	return end_of(sink, &res) == -ENOBUFS && res.cause_node == below_sink(0) &&
	       node_drops(sink, HYPERCUBE_A_DROP_QUEUE_FULL) > 0;
}

/* A frame may have a payload of up to four segments, which the chunks of exchanges need. A longer
 * payload is malformed. A payload of more than one segment is a protocol error in an operation
 * without chunks.
 */
static bool segment_is_bounded(void)
{
	unsigned int sink = said.c.plan.tree.sink, dim = said.c.plan.tree.order[0];
	uint64_t before = link_drops(sink, dim, HYPERCUBE_A_DROP_MALFORMED);
	static const char bytes[4 * 1024 + 8];
	struct hypercube_result res;
	struct frame f;

	if (!contribute(sink, LIVE_TREE, HYPERCUBE_REDUCE, 1 << 20, 1024))
		return false;
	data(&f, sink, dim, LIVE_TREE, 0, HYPERCUBE_REDUCE)->total = htobe64(1 << 20);
	frame_put(&f, bytes, sizeof(bytes));
	if (say(&f) || !link_drops_are(sink, dim, HYPERCUBE_A_DROP_MALFORMED, before + 1))
		return false;
	data(&f, sink, dim, LIVE_TREE, 0, HYPERCUBE_REDUCE)->total = htobe64(1 << 20);
	frame_put(&f, bytes, 1024 + 8);
	return !say(&f) && end_of(sink, &res) == -EPROTO && res.cause_node == below_sink(0);
}

/* The node at one end of a link merges its own data into a received frame, while the node at the
 * other end uses the frame again. They must not share the data of the frame.
 */
static bool shared_in_doubling(void)
{
	static const unsigned int lens[] = { 64, 1024 };
	unsigned int dim = said.c.doubling.order[0], i;
	char bytes[1024] = { 1 };
	struct hc_wire_data *w;
	struct frame f;

	for (i = 0; i < 4; i++) {
		unsigned int node = i % 2 ? 1u << dim : 0, len = lens[i / 2];

		live_reset(&said.c, &said.m, false);
		live_bind(&said.c);
		if (!contribute(node, LIVE_DOUBLING, HYPERCUBE_ALLREDUCE, len, len))
			return false;
		usleep(50000);
		w = data(&f, node, dim, LIVE_DOUBLING, 0, HYPERCUBE_ALLREDUCE);
		w->flags = HC_DATA_F_LAST;
		w->total = htobe64(len);
		frame_put(&f, bytes, len);
		f.rec.flags |= HC_INJECT_F_SHARED | (len > 512 ? HC_INJECT_F_PAGES : 0);
		if (say(&f))
			return false;
	}
	return true;
}

/* Nodes may share the payload of a block: a node forwards a block with the received payload and
 * another header.
 */
static bool shared_in_gather(void)
{
	unsigned int node = below_sink(2), stage;
	char bytes[64] = { 1 };

	if (!contribute(node, LIVE_TREE, HYPERCUBE_GATHER, sizeof(bytes), sizeof(bytes)))
		return false;
	usleep(50000);
	for (stage = 0; stage < 2; stage++) {
		unsigned int dim = said.c.plan.tree.order[stage];
		struct frame f;
		struct hc_wire_data *w = data(&f, node, dim, LIVE_TREE, stage, HYPERCUBE_GATHER);

		w->flags = HC_DATA_F_LAST;
		w->total = htobe64(sizeof(bytes));
		w->block = htons(node ^ 1u << dim);
		frame_put(&f, bytes, sizeof(bytes));
		f.rec.flags |= HC_INJECT_F_SHARED;
		if (say(&f))
			return false;
	}
	return true;
}

/* In a gather, a source sends its block with the flags that request a result and a notification.
 * The node that forwards the block must not forward these flags.
 */
static bool flags_stay_behind(void)
{
	unsigned int node = below_sink(2), dim = said.c.plan.tree.order[0], u;
	struct hypercube_result res;
	char bytes[64] = { 1 };
	struct hc_wire_data *w;
	struct frame f;

	for (u = 0; u < said.c.nodes; u++)
		if (u != (node ^ 1u << dim) &&
		    !contribute(u, LIVE_TREE, HYPERCUBE_GATHER, sizeof(bytes), sizeof(bytes)))
			return false;
	w = data(&f, node, dim, LIVE_TREE, 0, HYPERCUBE_GATHER);
	w->flags = HC_DATA_F_LAST | HC_DATA_F_WANT | HC_DATA_F_NOTIFY;
	w->total = htobe64(sizeof(bytes));
	w->block = htons(node ^ 1u << dim);
	frame_put(&f, bytes, sizeof(bytes));
	return !say(&f) && !end_of(said.c.plan.tree.sink, &res);
}

/* A block of a node that does not exist arrives. The error must name the node that sent the block
 * first, not a node that forwarded it.
 */
static bool blocks_are_of_nodes(void)
{
	static const unsigned short blocks[] = { 8, 200, 0xffff };
	unsigned int node = below_sink(2), dim = said.c.plan.tree.order[0], i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		struct hypercube_result res = { 0 };
		char bytes[64] = { 1 };
		struct hc_wire_data *w;
		struct frame f;
		int status;

		live_reset(&said.c, &said.m, false);
		live_bind(&said.c);
		if (!contribute(node, LIVE_TREE, HYPERCUBE_GATHER, sizeof(bytes), sizeof(bytes)))
			return false;
		w = data(&f, node, dim, LIVE_TREE, 0, HYPERCUBE_GATHER);
		w->flags = HC_DATA_F_LAST;
		w->total = htobe64(sizeof(bytes));
		w->block = htons(blocks[i]);
		frame_put(&f, bytes, sizeof(bytes));
		status = say(&f) ?: end_of(node, &res);
		if (status != -EPROTO || res.cause_node != (node ^ 1u << dim)) {
			fz_note("block %u: status %d, cause %u", blocks[i], status, res.cause_node);
			return false;
		}
	}
	return true;
}

/* --- ends --- */

/* Make a STOP for a broken plan, with the cause @cause at link (@node, @dim). */
static struct hc_wire_stop *broken(struct frame *f, unsigned int node, unsigned int dim,
				   unsigned int cause)
{
	struct hc_wire_stop *w = part_begin(f, node, dim, HC_FRAME_STOP, LIVE_TREE);

	w->status = htonl(ENOLINK);
	w->node = htons(cause);
	w->dim = htons(HC_CAUSE_NONE);
	w->flags = htonl(HC_STOP_F_OVER);
	return w;
}

/* A member that is notified of the failure of a broadcast's message must still receive the next
 * message.
 */
static bool messages_go_on(void)
{
	unsigned int dim = said.c.bcast.sequence[0], node = said.c.bcast.bcast.source ^ 1u << dim;
	struct hypercube_result res;
	struct hc_wire_data *w;
	struct hc_wire_stop *e;
	char bytes[8] = { 0 };
	struct frame f;

	e = part_begin(&f, node, dim, HC_FRAME_END, LIVE_BCAST);
	e->plan.op = htobe64(3);
	e->status = htonl(ECONNRESET);
	e->node = htons(node ^ 1u << dim);
	e->dim = htons(HC_CAUSE_NONE);
	f.says |= SAY_OP;
	if (say(&f) || end_of(node, &res) != -ECONNRESET || res.op != 3)
		return false;
	w = data(&f, node, dim, LIVE_BCAST, 0, HYPERCUBE_BCAST);
	w->plan.op = htobe64(4);
	f.gen = 1;
	w->flags = HC_DATA_F_DOWN | HC_DATA_F_LAST;
	w->total = htobe64(sizeof(bytes));
	frame_put(&f, bytes, sizeof(bytes));
	f.says |= SAY_OP;
	return !say(&f) && !end_of(node, &res) && res.op == 4;
}

/* In a plan without detours, the sink accepts control messages only from its peers. */
static bool end_of_strangers(void)
{
	const unsigned char way[] = { said.c.plan.tree.order[0], said.c.plan.tree.order[1] };
	unsigned int sink = said.c.plan.tree.sink, src = below_sink(0) ^ 1u << way[1];
	struct frame f;

	broken(&f, sink, way[1], src);
	routed(&f, src, sink, way, 2);
	return !say(&f) && node_drops_are(sink, HYPERCUBE_A_DROP_UNEXPECTED, 1) &&
	       !cube_reduce(&said.c, LIVE_TREE, NULL);
}

static bool end_of_nowhere(void)
{
	unsigned int sink = said.c.plan.tree.sink;
	struct frame f;

	broken(&f, sink, said.c.plan.tree.order[0], 1 << 10);
	return !say(&f) && node_drops_are(sink, HYPERCUBE_A_DROP_MALFORMED, 1) &&
	       !cube_reduce(&said.c, LIVE_TREE, NULL);
}

/* A child may report that the plan is broken, but not that a single operation has ended. */
static bool end_of_peer(void)
{
	unsigned int sink = said.c.plan.tree.sink;
	struct hypercube_result res;
	struct hc_wire_stop *w;
	struct frame f;

	if (!contribute(sink, LIVE_TREE, HYPERCUBE_REDUCE, 8, 8))
		return false;
	w = part_begin(&f, sink, said.c.plan.tree.order[0], HC_FRAME_END, LIVE_TREE);
	w->status = htonl(EPROTO);
	w->node = htons(sink);
	w->dim = htons(HC_CAUSE_NONE);
	if (say(&f) || !node_drops_are(sink, HYPERCUBE_A_DROP_UNEXPECTED, 1))
		return false;
	broken(&f, sink, said.c.plan.tree.order[0], below_sink(0));
	return !say(&f) && end_of(sink, &res) == -ENOLINK && res.op == 0;
}

/* A source reports that its process has left, or that the source is cut off. Operations that other
 * members have begun must end.
 */
static bool stop_of_peer(void)
{
	static const unsigned int flags[] = {
		0, HC_STOP_F_SOFT, HC_STOP_F_IDLE, HC_STOP_F_OVER,
		HC_STOP_F_OVER | HC_STOP_F_NO_DATA,
	};
	unsigned int sink = said.c.plan.tree.sink, i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		struct hypercube_result res = { 0 };
		struct frame f;
		int status;

		live_reset(&said.c, &said.m, false);
		live_bind(&said.c);
		if (!contribute(sink, LIVE_TREE, HYPERCUBE_REDUCE, 8, 8))
			return false;
		usleep(50000);
		broken(&f, sink, said.c.plan.tree.order[0], below_sink(0))->flags = htonl(flags[i]);
		status = say(&f) ?: end_of(sink, &res);
		if (status != -ENOLINK || res.op || res.cause_node != below_sink(0)) {
			fz_note("flags %x: status %d, operation %llu", flags[i], status,
				(unsigned long long)res.op);
			return false;
		}
	}
	return true;
}

/* A frame names a plan that avoids faults, but it arrives over a failed link, or is routed to a
 * failed node. No member of this plan can have sent it. It must be dropped without harm.
 */
static bool lost_elsewhere(void)
{
	const unsigned char way[] = { 0 };
	struct frame f;
	char bytes[8] = { 0 };

	if (cube_fail_link(&said.c, 4, 1) || cube_fail_node(&said.c, 7) ||
	    cube_plan_to(&said.c, LIVE_TREE, 0) ||
	    said.c.plan.tree.ndetours)
		return false;
	live_plans(&said.c, &said.m);
	data(&f, 4, 1, LIVE_TREE, 0, HYPERCUBE_REDUCE)->total = htobe64(sizeof(bytes));
	frame_put(&f, bytes, sizeof(bytes));
	if (say(&f))
		return false;
	data(&f, 0, 0, LIVE_TREE, 0, HYPERCUBE_REDUCE)->total = htobe64(sizeof(bytes));
	routed(&f, 1, 7, way, 1);
	frame_put(&f, bytes, sizeof(bytes));
	return !say(&f) && !cube_reduce(&said.c, LIVE_TREE, NULL) && !cube_heal(&said.c);
}

/* --- scatter --- */

static bool want_of_nothing(void)
{
	unsigned int sink = said.c.plan.tree.sink;
	struct hypercube_result res;
	struct frame f;

	if (!contribute(sink, LIVE_TREE, HYPERCUBE_SCATTER, 64, 64))
		return false;
	data(&f, sink, said.c.plan.tree.order[0], LIVE_TREE, 0, HYPERCUBE_SCATTER)->flags =
		HC_DATA_F_WANT | HC_DATA_F_LAST;
	return !say(&f) && end_of(sink, &res) == -EPROTO && res.cause_node == below_sink(0);
}

static bool down_before_asked(void)
{
	unsigned int node = below_sink(2), i;
	char bytes[8] = { 0 };

	for (i = 0; i < 2; i++) {
		struct frame f;
		struct hc_wire_data *w = data(&f, node, said.c.plan.tree.order[2], LIVE_TREE, 2,
					      HYPERCUBE_SCATTER);

		w->flags = HC_DATA_F_DOWN;
		w->total = htobe64(sizeof(bytes));
		w->block = htons(node);
		frame_put(&f, bytes, sizeof(bytes));
		if (say(&f) || !node_drops_are(node, HYPERCUBE_A_DROP_UNEXPECTED, i + 1))
			return false;
		if (!i && !contribute(node, LIVE_TREE, HYPERCUBE_SCATTER, 0, 0))
			return false;
	}
	return true;
}

/* In an allgather, a source sends a block of the sink, although the sink is not below it in the
 * tree. The first node that receives the block must name the source as the cause; if it forwarded
 * the block, the sink would name that first node.
 */
static bool sink_is_not_below(void)
{
	unsigned int node = below_sink(2), stage, from;
	struct hypercube_result res = { 0 };
	char bytes[1 + 16] = { 0 };
	struct frame f;
	int status;

	if (!contribute(node, LIVE_TREE, HYPERCUBE_ALLGATHER, 8, 8))
		return false;
	for (stage = 0; stage < 2; stage++) {
		unsigned int dim = said.c.plan.tree.order[stage];
		struct hc_wire_data *w = data(&f, node, dim, LIVE_TREE, stage, HYPERCUBE_ALLGATHER);

		w->flags = HC_DATA_F_LAST | HC_DATA_F_WANT;
		w->total = htobe64(8);
		from = node ^ 1u << dim;
		bytes[0] = (char)(1u << from | (stage ? 0 : 1u << said.c.plan.tree.sink));
		frame_put(&f, bytes, stage ? 9 : 17);
		if (say(&f))
			return false;
	}
	from = node ^ 1u << said.c.plan.tree.order[0];
	status = end_of(node, &res);
	if (status == -EPROTO && res.cause_node == from)
		return true;
	fz_note("status %d, cause %u instead of %u", status, res.cause_node, from);
	return false;
}

/* --- all tests --- */

static const struct {
	bool (*holds)(void);
	const char *what;
} tests[] = {
	{ source_is_bounded, "what a source sends ahead is bounded at its receiver" },
	{ segment_is_bounded, "no segment is longer than the fabric's" },
	{ shared_in_doubling, "a doubling writes to no frame of others" },
	{ shared_in_gather, "a gather writes to no header of others" },
	{ flags_stay_behind, "a gather does not say what a source has said" },
	{ blocks_are_of_nodes, "a gather has blocks of nodes that there are" },
	{ end_of_strangers, "a member that is no peer ends nothing" },
	{ end_of_nowhere, "a cause lies in the fabric" },
	{ end_of_peer, "a source does not say what is complete" },
	{ stop_of_peer, "a source that stops ends what others have begun" },
	{ messages_go_on, "messages go on behind one that failed" },
	{ lost_elsewhere, "what is lost on no way of a plan does not break it" },
	{ type_of_nothing, "a frame of no type is dropped" },
	{ parts_are_whole, "a frame whose parts are not what came is dropped" },
	{ flood_of_words, "nothing but Ethernet is flooded" },
	{ walk_unannounced, "a way that no flag announces is none" },
	{ words_are_bare, "what has its say in its parts has no payload" },
	{ seq_skips, "a number that is skipped takes the link down" },
	{ seq_repeats, "numbers that are repeated are dropped" },
	{ version_heals, "states go on after a wrong version" },
	{ src_is_behind, "nobody speaks for whom he does not lead to" },
	{ copies_are_whole, "a copy that is not of its path is dropped" },
	{ copies_of_one_are_one, "a neighbour is believed one copy" },
	{ task_is_whole, "a task is what its segments can be" },
	{ task_is_once, "a handover that is decided brings no task" },
	{ task_is_its_own, "two tasks of one id are two" },
	{ copy_is_whole, "a copy is what its segments can be" },
	{ copy_is_kept_for_one, "a copy is kept for the neighbour that has sent it" },
	{ copies_have_their_share, "a neighbour's copies take no more than their share" },
	{ drops_are_bounded, "what a neighbour does not drop takes no more than so much" },
	{ round_is_whole, "a round is said in frames of its kind" },
	{ round_counts_no_more_than_all, "a round has no more members than there are nodes" },
	{ round_is_not_held, "nobody holds up a round for ever" },
	{ round_has_one_method, "a round has one method" },
	{ round_is_begun_by_its_node, "a round is begun by its node alone" },
	{ rounds_come_one_by_one, "rounds do not follow each other without a pause" },
	{ numbers_of_rounds_last, "nobody uses up the numbers of rounds" },
	{ round_gets_what_it_wants, "nobody gives more than he was asked for" },
	{ round_gives_what_it_has, "a node gives what it has, and once" },
	{ rounds_keep_all_tasks, "lies in rounds lose no tasks" },
	{ segments_are_of_each, "a slice of rings has a segment of each member" },
	{ segments_come_their_way, "a segment of a ring comes by half of it, or round" },
	{ messages_of_coordinators_are_valid, "a repair coordinator says what can be" },
	{ assignments_fit_the_links, "a repair coordinator has no say on links that others have" },
	{ coordinator_knows_no_future, "a repair coordinator knows of no far future" },
	{ numbers_of_rings_last, "a repair coordinator cannot use up the numbers of a plan" },
	{ failures_follow_the_assignments, "a member with new rings hears of failures in them" },
	{ want_of_nothing, "who asks for blocks names members" },
	{ down_before_asked, "nobody gets blocks before he has asked" },
	{ sink_is_not_below, "nobody below the sink has its block" },
};

/* Run test number @i with a fabric of its own. */
static bool run(unsigned int i)
{
	bool ok = live_open(&said.c, &said.m, 3) && live_reset(&said.c, &said.m, false);

	if (!ok)
		fz_note("no fabric, or a plan was refused");
	live_bind(&said.c);
	ok = ok && tests[i].holds();
	if (!cube_del(&said.c))
		return ok;
	fz_note("the fabric stays");
	return false;
}

int main(int argc, char **argv)
{
	struct fz_args a = fz_parse(argc, argv);
	struct cover cover;
	unsigned int i;

	if (cover_open(&cover) && cover_polls(&cover))
		cover_begin(&cover);
	said.inject = open(INJECT, O_WRONLY | O_CLOEXEC);
	if (said.inject < 0) {
		fz_note("no way in for frames: %s", strerror(errno));
		return 4;
	}
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		fz_result(run(i), tests[i].what);
		cover_end(&cover);
		cover_begin(&cover);
	}
	if (a.cover)
		cover_write(a.cover);
	return fz_end();
}
