// SPDX-License-Identifier: GPL-2.0
/*
 * One process. It relaxes its cell together with its neighbours. Then it
 *  - sends the neighbours its value, in copies over paths that share no node,
 *  - sends them its claim: its value, and the neighbours' values from which it has computed it,
 *  - forwards the claims of its neighbours to the cells at its corners.
 *
 * The process compares the claim of each neighbour with the rule, with the values that the
 * neighbour has sent, and with the values that it has sent to the neighbour. Of each cell at a
 * corner it gets two versions of the claim, forwarded by two of its neighbours, and compares these
 * with each other. Suppose that all neighbours and corners of a Byzantine process are honest, and
 * that none reports an error. Then the neighbours have received the same claim, as each two
 * adjacent ones meet at a corner. So all have received the same value, all values that the claim
 * quotes are those that were sent, and the rule holds for the Byzantine process as it does for all
 * others. The rule has only one solution, so all values are right.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "relax.h"

/* Number of steps whose messages are stored: no process is more than a few steps ahead of a
 * neighbour.
 */
#define SLOTS 8
/* Time to wait for copies in ms: a fault or a Byzantine node may lose a copy. */
#define COPIES_MS 20000

/**
 * struct note - a message
 * @step: the step to which it belongs, three times, as a relay may corrupt one bit
 * @claims: number of claims in @claim
 * @value: value of the sender
 * @claim: the claim of the sender, or the claims of two of its neighbours
 */
struct note {
	uint32_t step[3];
	uint32_t claims;
	double value;
	struct claim claim[2];
};

/* The message of a step. @here: the message has arrived. */
struct slot {
	bool here;
	uint32_t step;
	unsigned int claims;
	struct note note;
};

/* A process: its cell, its neighbours (@next), its value, and the values that it has received. */
struct process {
	const struct relax *run;
	struct report *report;
	struct hcl *h;
	unsigned int cell;
	int next[WAYS];
	double value, before;
	double got_news[WAYS];
	struct slot slot[WAYS][SLOTS];
};

const char *const flag_names[FLAGS] = {
	[FLAG_RULE] = "rule", [FLAG_NOTIFIED] = "told", [FLAG_QUOTED] = "quoted",
	[FLAG_VERSIONS] = "versions", [FLAG_RANGE] = "range", [FLAG_SILENT] = "silent",
};

/* Record that this process has detected an error of the cell @about. */
static void flag(struct process *p, unsigned int about, enum flag what)
{
	/* A Byzantine process reports no errors. */
	if (p->run->byz[p->cell].lie != HONEST)
		return;
	p->report->flags[about] |= 1u << what;
	p->report->flagged = true;
}

static int failed(const struct process *p, const char *what, long error)
{
	char text[200];

	hcl_explain(p->h, text, sizeof(text));
	fprintf(stderr, "cell %u: %s: %s (%s)\n", p->cell, what, text, strerror((int)-error));
	return (int)error;
}

/* Return: true if @v is possible. The solution lies between the coldest and the hottest temperature
 * of the border. During the relaxation, values may be outside of this range by up to @more.
 */
static bool possible(double v, double more)
{
	return v >= COLDEST - more && v <= HOTTEST + more;
}

/* ------------------------------------------------------------ messages */

static size_t note_size(unsigned int claims)
{
	return offsetof(struct note, claim) + claims * sizeof(struct claim);
}

/* Send message @n of a step to the neighbour in direction @to. */
static int say(struct process *p, uint32_t step, enum way to, struct note *n)
{
	int err;

	n->step[0] = step;
	n->step[1] = step;
	n->step[2] = step;
	err = hcl_send(p->h, mesh_node(&p->run->mesh, (unsigned int)p->next[to]), n,
		       note_size(n->claims));
	return err ? failed(p, "cannot send", err) : 0;
}

/* Record the paths of the mismatching copies of a message from node @from. */
static void learn(struct process *p, uint32_t from, const struct hcl_vote *v)
{
	unsigned int i, j;

	p->report->outvoted += v->vote.mismatch != 0;
	for (i = 0; i < v->npaths; i++) {
		uint32_t at = from;

		if (!v->path[i].mismatch)
			continue;
		p->report->paths++;
		for (j = 0; j + 1 < v->path[i].hops; j++) {
			at ^= 1u << v->path[i].dim[j];
			p->report->through[at % CELLS_MAX]++;
		}
	}
}

/* Store a message from direction @from in the slot of its step. If its step is not valid, it counts
 * as the message of @step, for which the process waits.
 */
static void sort_in(struct process *p, enum way from, uint32_t step, const struct note *n,
		    size_t size)
{
	const uint32_t *s = n->step;
	uint32_t said = (s[0] & s[1]) | (s[1] & s[2]) | (s[0] & s[2]);
	struct slot *slot;

	if (size < note_size(0)) {
		flag(p, (unsigned int)p->next[from], FLAG_SILENT);
		said = step;
	}
	slot = &p->slot[from][said % SLOTS];
	slot->here = true;
	slot->step = said;
	slot->claims = 0;
	slot->note = *n;
	/* A relay may corrupt the number of claims in the message, so it is computed from the
	 * length.
	 */
	if (size >= note_size(0))
		slot->claims = (unsigned int)((size - note_size(0)) / sizeof(struct claim));
	else
		slot->note.value = p->got_news[from];
}

/* Wait for the message of a step from direction @way. Return: NULL if the process cannot go on. */
static const struct slot *hear(struct process *p, uint32_t step, enum way way)
{
	struct slot *wanted = &p->slot[way][step % SLOTS];

	while (!wanted->here || wanted->step != step) {
		struct note n = { 0 };
		struct hcl_vote v;
		uint32_t from;
		enum way by;
		long size;

		size = hcl_recv_vote(p->h, &from, &n, sizeof(n), &v);
		if (size < 0) {
			failed(p, "nothing comes", size);
			return NULL;
		}
		learn(p, from, &v);
		for (by = 0; by < WAYS; by++)
			if (p->next[by] >= 0 &&
			    mesh_node(&p->run->mesh, (unsigned int)p->next[by]) == from)
				sort_in(p, by, step, &n, (size_t)size);
	}
	wanted->here = false;
	return wanted;
}

/* Wait for the message of the next neighbour, in direction *@way or a later direction. Return: 1 if
 * it has arrived; 0 if there is no further neighbour; or -ETIMEDOUT.
 */
static int receive_next(struct process *p, uint32_t step, enum way *way, const struct slot **s)
{
	while (*way < WAYS && p->next[*way] < 0)
		++*way;
	if (*way == WAYS)
		return 0;
	*s = hear(p, step, *way);
	return *s ? 1 : -ETIMEDOUT;
}

static int tell_value(struct process *p, uint32_t step, bool end)
{
	enum way way;
	int err = 0;

	for (way = 0; way < WAYS && !err; way++) {
		struct note n = { 0 };

		if (p->next[way] < 0)
			continue;
		n.value = lie_value(p->run, p->cell, way, p->value, end);
		err = say(p, step, way, &n);
	}
	return err;
}

static int receive_values(struct process *p, uint32_t step)
{
	const struct slot *s;
	enum way way;
	int more;

	for (way = 0; (more = receive_next(p, step, &way, &s)) > 0; way++) {
		if (possible(s->note.value, HOTTEST - COLDEST))
			p->got_news[way] = s->note.value;
		else
			flag(p, (unsigned int)p->next[way], FLAG_RANGE);
	}
	return more;
}

/* --- the relaxation --- */

/* Return: by how much a claim violates the rule. */
static double broken(const struct claim *c)
{
	double sum = 0;
	enum way way;

	for (way = 0; way < WAYS; way++)
		sum += c->used[way];
	return fabs(sum - WAYS * c->value);
}

/* Relax the cell in red-black order: the cells of one colour compute while those of the other wait.
 */
static int relax(struct process *p, uint32_t *step)
{
	const struct mesh *m = &p->run->mesh;
	unsigned int longest = m->rows > m->cols ? m->rows : m->cols;
	double omega = 2 / (1 + sin(M_PI / (longest + 1)));
	/* Each sweep multiplies the error by omega - 1. */
	unsigned int sweeps = (unsigned int)(-14 * M_LN10 / log(omega - 1)) + 12, i;
	unsigned int colour = (p->cell / m->cols + p->cell % m->cols) % 2;
	int err = 0;

	for (i = 0; i < 2 * sweeps && !err; i++, ++*step) {
		double sum = 0;
		enum way way;

		if (i % 2 != colour) {
			err = receive_values(p, *step);
			continue;
		}
		for (way = 0; way < WAYS; way++)
			sum += p->got_news[way];
		if (i + 4 < 2 * sweeps)
			p->before = p->value;
		p->value += omega * (sum / WAYS - p->value);
		err = tell_value(p, *step, false);
	}
	return err;
}

/* ------------------------------------------------------------ the check */

static int claim_to_all(struct process *p, uint32_t step)
{
	enum way way;
	int err = 0;

	for (way = 0; way < WAYS && !err; way++) {
		struct note n = { .claims = 1, .value = p->value };

		if (p->next[way] < 0)
			continue;
		n.claim[0].value = p->value;
		memcpy(n.claim[0].used, p->got_news, sizeof(p->got_news));
		lie_claim(p->run, p->cell, way, &n.claim[0]);
		err = say(p, step, way, &n);
	}
	return err;
}

/* Return: true if the claim of a cell quotes the border correctly. All processes know the border.
 */
static bool border_right(const struct process *p, unsigned int cell, const struct claim *c)
{
	enum way way;

	for (way = 0; way < WAYS; way++)
		if (mesh_neighbour(&p->run->mesh, cell, way) < 0 &&
		    c->used[way] != mesh_border(&p->run->mesh, cell, way))
			return false;
	return true;
}

static bool all_possible(const struct process *p, const struct claim *c)
{
	bool good = possible(c->value, p->run->epsilon);
	enum way way;

	for (way = 0; way < WAYS; way++)
		good = good && possible(c->used[way], p->run->epsilon);
	return good;
}

static void check_claim(struct process *p, enum way by, const struct claim *c, double reported)
{
	unsigned int about = (unsigned int)p->next[by];

	if (!(broken(c) <= p->run->delta) || !border_right(p, about, c))
		flag(p, about, FLAG_RULE);
	if (!all_possible(p, c))
		flag(p, about, FLAG_RANGE);
	if (c->value != p->got_news[by])
		flag(p, about, FLAG_NOTIFIED);
	if (c->used[opposite(by)] != reported)
		flag(p, about, FLAG_QUOTED);
}

/* Forward claims: the neighbour in direction d gets the claims of this cell's neighbours in the two
 * directions beside d. If a claim has not arrived, it is forwarded as missing.
 */
static int pass_on(struct process *p, uint32_t step, const struct claim *from)
{
	enum way way;
	int err = 0;

	for (way = 0; way < WAYS && !err; way++) {
		struct note n = { .claims = 2 };

		if (p->next[way] < 0)
			continue;
		n.claim[0] = from[(way + 1) % WAYS];
		n.claim[1] = from[(way + 3) % WAYS];
		err = say(p, step, way, &n);
	}
	return err;
}

/* For each corner, compare the two versions of the claim of the cell at this corner. Two neighbours
 * of this process are also neighbours of that cell, and each of them has forwarded a version.
 */
static int check_corners(struct process *p, uint32_t step)
{
	struct claim got[WAYS][2] = { 0 };
	const struct slot *s;
	enum way way;
	int more;

	for (way = 0; (more = receive_next(p, step, &way, &s)) > 0; way++)
		if (s->claims == 2)
			memcpy(got[way], s->note.claim, sizeof(got[way]));
	if (more)
		return more;
	for (way = 0; way < WAYS; way++) {
		enum way side = (way + 1) % WAYS;

		if (p->next[way] < 0 || p->next[side] < 0)
			continue;
		if (memcmp(&got[way][1], &got[side][0], sizeof(struct claim)))
			flag(p, (unsigned int)mesh_neighbour(&p->run->mesh,
							     (unsigned int)p->next[way], side),
			     FLAG_VERSIONS);
	}
	return 0;
}

/* Check the rule for this process itself, with the values that the neighbours send at the end. */
static int check_own(struct process *p, uint32_t step)
{
	struct claim own = { .value = p->value };
	int err = tell_value(p, step, true);

	if (!err)
		err = receive_values(p, step);
	memcpy(own.used, p->got_news, sizeof(own.used));
	if (!(broken(&own) <= p->run->delta) ||
	    !(fabs(p->value - p->before) <= p->run->delta))
		flag(p, p->cell, FLAG_RULE);
	return err;
}

static int check_others(struct process *p, uint32_t step)
{
	struct claim claim[WAYS] = { 0 };
	const struct slot *s;
	enum way way;
	int err = claim_to_all(p, step);

	for (way = 0; !err && (err = receive_next(p, step, &way, &s)) > 0; way++, err = 0) {
		if (s->claims != 1) {
			flag(p, (unsigned int)p->next[way], FLAG_SILENT);
			continue;
		}
		claim[way] = s->note.claim[0];
		check_claim(p, way, &claim[way], lie_value(p->run, p->cell, way, p->value, true));
	}
	if (!err)
		err = pass_on(p, step + 1, claim);
	return err ?: check_corners(p, step + 1);
}

/* From now on, send values in @n copies, if there are that many paths to each neighbour. */
static int copies(struct process *p, unsigned int n)
{
	enum way way;

	for (way = 0; way < WAYS && n > 1; way++) {
		int paths = p->next[way] < 0 ? (int)n :
			    hcl_paths(p->h, mesh_node(&p->run->mesh, (unsigned int)p->next[way]));

		if (paths < 0)
			return failed(p, "no paths", paths);
		if (paths < (int)n) {
			fprintf(stderr, "cell %u: %d paths lead to cell %d, not %u\n", p->cell,
				paths, p->next[way], n);
			return -EHOSTUNREACH;
		}
	}
	/* All earlier messages have been received, so no message in a smaller number of copies is
	 * under way.
	 */
	return hcl_set_copies(p->h, n, n);
}

int relax_open(struct hcl **h, const char *fabric, uint32_t node)
{
	int err = hcl_open_dgram(h, fabric, node);

	/* Set this before the first process begins, as messages with mismatching copies may arrive
	 * as soon as it has begun.
	 */
	return err ?: hcl_set_deliver(*h, HYPERCUBE_DELIVER_REPORT, COPIES_MS);
}

int relax_job(struct member *me, void *arg)
{
	struct relax *run = arg;
	struct process p = {
		.run = run, .report = &run->report[me->index], .h = me->h, .cell = me->index,
	};
	uint32_t step = 0;
	enum way way;
	int err;

	p.value = (COLDEST + HOTTEST) / 2;
	for (way = 0; way < WAYS; way++) {
		p.next[way] = mesh_neighbour(&run->mesh, p.cell, way);
		p.got_news[way] = p.next[way] < 0 ? mesh_border(&run->mesh, p.cell, way) : p.value;
	}
	err = copies(&p, run->work_copies) ?: relax(&p, &step) ?: copies(&p, run->copies) ?:
	      check_own(&p, step);
	if (!err && !run->own_rows)
		err = check_others(&p, step + 1);
	p.report->value = p.value;
	if (run->byz[p.cell].lie != HONEST)
		p.report->value = lie_value(run, p.cell, lie_first(run, p.cell), p.value, true);
	p.report->done = !err;
	return err != 0;
}
