// SPDX-License-Identifier: GPL-2.0
/*
 * Some of the members of a plan whose other members are on other machines.
 *
 *	hc_member [-KIND] FABRIC PLAN MEMBERS ROUNDS COUNT NODE..
 *
 * The members of the plan are the nodes 0 to MEMBERS - 1. The program acts for the nodes NODE.. of
 * this machine; each has a process of its own. In each of ROUNDS rounds they run the operations of
 * KIND, with COUNT numbers for each member, and check the results:
 *	sums		an allreduce, and a barrier (the default)
 *	bcast		node 0 sends the same numbers to all: a broadcast
 *	gather		each member sends the same numbers to all: an allgather
 *	collect		all members send numbers to node 0: a gather
 *	exchange	each member sends different numbers to each: an alltoall
 *	scatter		node 0 sends different numbers to each
 *	messages	each member sends a message to the most distant node
 *	copies		as messages, in two copies over paths that share no node
 *	sets		an allreduce of a bit for each member and of the round's number; node 0
 *			prints the set of members in the sum when it changes; no member may return
 *	strict		as sets, but an operation fails if a member is missing
 *	returns		as sets, but members may return, and their rounds are not checked
 * The program prints "right" if all results were right; otherwise what is wrong, or which operation
 * has failed and why.
 *
 * HC_BEGUN=FILE: each member adds a byte to FILE when it has finished its first round.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libhypercube.h"

/**
 * struct member - a member, and its data in a round
 * @h: its library handle
 * @p: parameters of its operations
 * @node: its node
 * @members: number of members
 * @round: number of the round
 * @count: numbers per member
 * @returns: members may return
 * @in: memory for @count numbers of each member
 * @out: as @in
 */
struct member {
	struct hcl *h;
	struct hcl_params p;
	uint32_t node;
	uint32_t members;
	uint32_t round;
	uint32_t count;
	bool returns;
	uint64_t *in;
	uint64_t *out;
};

/* Return: the number with index @i of those that node @from sends to node @to in this round. */
static uint64_t number(const struct member *m, uint32_t from, uint32_t to, uint32_t i)
{
	return (from + 1) * UINT64_C(1000003) + m->round * 17 + i * (from + 3) + to * 7919;
}

static size_t bytes(const struct member *m)
{
	return m->count * sizeof(*m->in);
}

/* Write to @v the numbers that this member sends to node @to. */
static void say(const struct member *m, uint64_t *v, uint32_t to)
{
	uint32_t i;

	for (i = 0; i < m->count; i++)
		v[i] = number(m, m->node, to, i);
}

/* Check the numbers that node @from has sent to node @to. Return: 0, or 1 if one is wrong. */
static int received(const struct member *m, const uint64_t *v, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = 0; i < m->count; i++)
		if (v[i] != number(m, from, to, i)) {
			printf("node %u round %u: number %u of %u is wrong\n", m->node, m->round, i,
			       from);
			return 1;
		}
	return 0;
}

static int failed(struct hcl *h, uint32_t node, uint32_t round, int err)
{
	char text[256];

	printf("node %u round %u: %s: %s\n", node, round, strerror(-err),
	       hcl_explain(h, text, sizeof(text)));
	return 1;
}

/* The functions below run one round each. Return: 0, a negative errno, or 1 if a result is wrong.
 */
static int sums(struct member *m)
{
	struct hypercube_result res;
	uint32_t i, u;
	int rc;

	say(m, m->in, 0);
	rc = hcl_allreduce(m->h, &m->p, m->in, bytes(m), m->out, bytes(m), &res);
	if (rc >= 0)
		rc = hcl_barrier(m->h, m->p.plan, &res);
	for (i = 0; i < m->count && rc >= 0; i++) {
		uint64_t all = 0;

		for (u = 0; u < m->members; u++)
			all += number(m, u, 0, i);
		if (m->out[i] != all) {
			printf("node %u round %u: sum %u is wrong\n", m->node, m->round, i);
			return 1;
		}
	}
	return rc;
}

static int bcast(struct member *m)
{
	int rc;

	say(m, m->in, 0);
	rc = hcl_bcast(m->h, m->p.plan, 0, m->in, bytes(m), m->node ? 0 : HYPERCUBE_F_NOTIFY,
		       NULL);
	return rc < 0 ? rc : received(m, m->in, 0, 0);
}

/* Check the numbers that each member has sent. @mine: each member has sent those for this node;
 * otherwise those for node 0, which a member sends if all members get the same numbers.
 */
static int received_all(const struct member *m, bool mine)
{
	uint32_t u;
	int rc = 0;

	for (u = 0; u < m->members && !rc; u++)
		rc = received(m, m->out + u * m->count, u, mine ? m->node : 0);
	return rc;
}

static int gather(struct member *m)
{
	int rc;

	say(m, m->in, 0);
	rc = hcl_allgather(m->h, m->p.plan, m->in, bytes(m), m->out, m->members * bytes(m), 0,
			   NULL);
	return rc < 0 ? rc : received_all(m, false);
}

static int collect(struct member *m)
{
	int rc;

	say(m, m->in, 0);
	rc = hcl_gather(m->h, m->p.plan, m->in, bytes(m), m->node ? NULL : m->out,
			m->node ? 0 : m->members * bytes(m), NULL);
	return rc < 0 || m->node ? rc : received_all(m, false);
}

/* Write to @m->in the numbers for each member; they differ from member to member. */
static void say_each(struct member *m)
{
	uint32_t u;

	for (u = 0; u < m->members; u++)
		say(m, m->in + u * m->count, u);
}

static int exchange(struct member *m)
{
	int rc;

	say_each(m);
	rc = hcl_alltoall(m->h, m->p.plan, m->in, m->members * bytes(m), m->out,
			  m->members * bytes(m), NULL);
	return rc < 0 ? rc : received_all(m, true);
}

static int scatter(struct member *m)
{
	int rc;

	say_each(m);
	rc = hcl_scatter(m->h, m->p.plan, m->node ? NULL : m->in,
			 m->node ? 0 : m->members * bytes(m), m->out, bytes(m), NULL);
	return rc < 0 ? rc : received(m, m->out, 0, m->node);
}

static int messages(struct member *m)
{
	uint32_t to = m->members - 1 - m->node, from;
	long rc;

	say(m, m->in, to);
	rc = hcl_send(m->h, to, m->in, bytes(m));
	if (rc < 0)
		return rc;
	rc = hcl_recv(m->h, &from, m->out, bytes(m));
	return rc < 0 ? rc : received(m, m->out, to, m->node);
}

/* Return: the set of members that the library reports as missing in the result @res. */
static uint64_t missing(struct member *m, const struct hypercube_result *res)
{
	uint32_t node[64];
	uint64_t set = 0;
	int i, n = hcl_pending_members(m->h, res->cookie, node, 64);

	for (i = 0; i < n; i++)
		set |= UINT64_C(1) << node[i];
	return set;
}

static int sets(struct member *m)
{
	uint64_t all = (UINT64_C(1) << m->members) - 1, before = *m->in, sum[2], set;
	uint64_t mine[2] = { UINT64_C(1) << m->node, m->round };
	struct hypercube_result res;
	int rc = hcl_allreduce(m->h, &m->p, mine, sizeof(mine), sum, sizeof(sum), &res);

	if (rc < 0)
		return rc;
	set = sum[0];
	if (!(set & mine[0]) || missing(m, &res) != (all & ~set) ||
	    (!m->returns && ((m->round && set & ~before) ||
			     sum[1] != m->round * (uint64_t)__builtin_popcountll(set)))) {
		printf("node %u round %u: set %#" PRIx64 " is wrong\n", m->node, m->round, set);
		return 1;
	}
	if (!m->node && (!m->round || set != before))
		printf("set %#" PRIx64 "\n", set);
	*m->in = set;
	return 0;
}

static int strict(struct member *m)
{
	m->p.flags = HYPERCUBE_F_ALL_OR_NOTHING;
	return sets(m);
}

static int returns(struct member *m)
{
	int rc;

	m->returns = true;
	/* The plan may take in the node later. On a machine that was cut off it is broken, and then
	 * replaced.
	 */
	while ((rc = sets(m)) && !m->round &&
	       (rc == -ENOTCONN || rc == -ENOLINK || rc == -EHOSTDOWN || rc == -ESTALE))
		usleep(20000);
	return rc;
}

/**
 * struct kind - a kind of round; see the list at the top of this file
 * @name: its name on the command line
 * @copies: number of copies of each message; 0 if the round sends no messages
 * @round: runs a round
 */
static const struct kind {
	const char *name;
	unsigned int copies;
	int (*round)(struct member *m);
} kinds[] = {
	{ "sums", 0, sums },
	{ "bcast", 0, bcast },
	{ "gather", 0, gather },
	{ "collect", 0, collect },
	{ "exchange", 0, exchange },
	{ "scatter", 0, scatter },
	{ "messages", 1, messages },
	{ "copies", 2, messages },
	{ "sets", 0, sets },
	{ "strict", 0, strict },
	{ "returns", 0, returns },
};

/* Open a handle for messages, and wait until all members have opened theirs: a message to a node
 * that has no handle yet would be lost.
 */
static int open_messages(struct member *m, const char *fabric, unsigned int copies)
{
	int rc = hcl_open_dgram(&m->h, fabric, m->node);

	rc = rc ?: hcl_set_copies(m->h, copies, copies);
	sleep(1);
	return rc;
}

/* Add a byte to the file HC_BEGUN. Return: 0, or 1 if that failed. */
static int say_begun(void)
{
	const char *name = getenv("HC_BEGUN");
	int fd = name ? open(name, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
	bool said = !name || write(fd, "1", 1) == 1;

	if (!said)
		perror(name);
	if (fd >= 0)
		close(fd);
	return !said;
}

static int member(const struct kind *kind, char **argv, uint32_t node)
{
	struct member m = {
		.p = { .plan = atoi(argv[2]), .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64 },
		.node = node, .members = atoi(argv[3]), .count = atoi(argv[5]),
	};
	uint32_t rounds = atoi(argv[4]), numbers = m.members * m.count;
	int rc;

	m.in = calloc(2 * numbers, sizeof(*m.in));
	m.out = m.in + numbers;
	rc = !m.in ? -ENOMEM : kind->copies ? open_messages(&m, argv[1], kind->copies) :
					      hcl_open_plan(&m.h, argv[1], node, m.p.plan);
	if (rc)
		return failed(NULL, node, 0, rc);
	for (; m.round < rounds && !rc; m.round++) {
		rc = kind->round(&m);
		if (rc < 0)
			rc = failed(m.h, node, m.round, rc);
		else if (!m.round)
			rc = say_begun();
	}
	hcl_close(m.h);
	free(m.in);
	return rc;
}

static const struct kind *kind_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(name, kinds[i].name))
			return &kinds[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct kind *kind = kinds;
	int i, status, bad = 0;

	if (argc > 1 && *argv[1] == '-') {
		kind = kind_of(argv[1] + 1);
		argc--;
		argv++;
	}
	if (argc < 7 || !kind)
		return 2;
	setlinebuf(stdout);
	for (i = 6; i < argc; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			return member(kind, argv, atoi(argv[i]));
		}
	while (wait(&status) > 0)
		bad |= status;
	if (!bad)
		puts("right");
	return !!bad;
}
