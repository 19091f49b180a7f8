// SPDX-License-Identifier: GPL-2.0
/*
 * Allreduces with every operator and type, compared with the reference computation.
 */
#include <stdlib.h>
#include <string.h>

#include "allreduce_types.h"

void kind_fill(struct job *j, unsigned int plan, const struct kind *k, size_t count)
{
	unsigned int elem = plain_size(k->oper, k->type, k->width);
	void *in = malloc(count * elem + 1);

	ref_fill(k->oper, k->type, k->width, in, count * elem, false);
	j->op = (struct hypercube_op){
		.plan = plan, .collective = HYPERCUBE_ALLREDUCE, .oper = k->oper,
		.type = k->type, .width = k->width, .bytes = count * elem,
	};
	j->in = in;
	j->room = count * elem;
	j->out = malloc(j->room + 1);
	j->waits = true;
}

void kind_free(struct party *p, unsigned int n, unsigned int m)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		free((void *)p[i].job[m].in);
		free(p[i].job[m].out);
	}
}

bool kind_right(struct cube *c, struct party *p, const unsigned int *node, unsigned int n,
		unsigned int m)
{
	void *data[CUBE_MAX] = { NULL }, *copy[CUBE_MAX], *want;
	bool right = true;
	unsigned int i;

	for (i = 0; i < n; i++) {
		copy[i] = malloc(p[i].job[m].room + 1);
		memcpy(copy[i], p[i].job[m].in, p[i].job[m].room);
		data[node[i]] = copy[i];
	}
	want = ref_replay(c, &p[0].job[m].op, data);
	for (i = 0; i < n; i++) {
		const struct job *j = &p[i].job[m];

		if (!want || j->ends != 1 || j->res.status || j->got != j->room ||
		    j->res.bytes != j->room || memcmp(want, j->out, j->room)) {
			printf("# operator %u type %u at node %u: %u ends, status %d, %zu of %zu bytes\n",
			       j->op.oper, j->op.type, node[i], j->ends, j->res.status, j->got,
			       j->room);
			right = false;
		}
	}
	for (i = 0; i < n; i++)
		free(copy[i]);
	return right;
}

unsigned int kinds_run(struct cube *c, unsigned int plan, const struct kind *k, unsigned int nk,
		       size_t count)
{
	unsigned int node[CUBE_MAX], i, m, bad = 0;
	struct party p[CUBE_MAX];
	unsigned int n = parties(c, p, node, nk);

	for (i = 0; i < n; i++)
		for (m = 0; m < nk; m++)
			kind_fill(&p[i].job[m], plan, &k[m], count);
	if (drive(p, n, 30)) {
		printf("# not all operations ended\n");
		ctl_op_print(c->name);
		bad++;
	}
	for (m = 0; m < nk && !bad; m++)
		bad += !kind_right(c, p, node, n, m);
	for (m = 0; m < nk; m++)
		kind_free(p, n, m);
	parties_free(p, n);
	return bad;
}

unsigned int kinds_all(struct kind *k)
{
	unsigned int oper, type, n = 0;

	for (oper = HYPERCUBE_SUM; oper <= HYPERCUBE_MAXLOC; oper++)
		for (type = HYPERCUBE_U8; type < HYPERCUBE_RECORD; type++)
			if (plain_size(oper, type, 0))
				k[n++] = (struct kind){ oper, type, 0 };
	k[n++] = (struct kind){ HYPERCUBE_MAX, HYPERCUBE_RECORD, 7 };
	return n;
}

int allreduce_once(struct cube *c, unsigned int id, const struct hypercube_op *op,
		   const char *in, char *out)
{
	unsigned int node[CUBE_MAX], n, i;
	struct party p[CUBE_MAX];
	int err;

	n = parties(c, p, node, 1);
	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		j->op = *op;
		j->op.plan = id;
		j->in = in + node[i] * op->bytes;
		j->out = out + node[i] * op->bytes;
		j->room = op->bytes;
		j->waits = true;
	}
	err = drive(p, n, 20) ? -EBADMSG : 0;
	if (err)
		ctl_op_print(c->name);
	for (i = 0; i < n && !err; i++)
		err = p[i].job[0].res.status ? p[i].job[0].res.status :
		      p[i].job[0].got == op->bytes ? 0 : -EBADMSG;
	parties_free(p, n);
	return err;
}
