/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs one process for each member of a plan.
 */
#ifndef MEMBERS_H
#define MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libhypercube.h"

#define MEMBERS_MAX 256

/**
 * struct members - the members of a plan
 * @fabric: name of the fabric
 * @plan: id of the plan
 * @sink: node that gets the result
 * @open: function that opens the handle of a member; NULL: hcl_open()
 * @count: number of members
 * @node: their node numbers
 */
struct members {
	const char *fabric;
	uint32_t plan;
	uint32_t sink;
	int (*open)(struct hcl **h, const char *fabric, uint32_t node);
	unsigned int count;
	uint32_t node[MEMBERS_MAX];
};

/**
 * struct member - a member, as its process sees it
 * @all: all members
 * @index: its index in all->node
 * @node: its node number
 * @h: handle, bound to its node
 */
struct member {
	const struct members *all;
	unsigned int index;
	uint32_t node;
	struct hcl *h;
};

/* Parse "FABRIC PLAN SINK NODE,NODE,.."; exit with status 2 if it is invalid. */
void members_parse(struct members *m, char **argv);

/* Run @job in one process for each member, after the handles of all members are open. Return: 0 if
 * @job has returned 0 in all processes.
 */
int members_run(const struct members *m, int (*job)(struct member *me, void *arg), void *arg);

bool member_is_sink(const struct member *me);

/* Compute the share [*@begin, *@end) of this member, if @total items are distributed evenly over
 * all members.
 */
void member_share(const struct member *me, size_t total, size_t *begin, size_t *end);

/* Take part in a reduction of the @bytes at @in. The sink has space for @out_max bytes at @out, and
 * prints "steps S clock C time NS bytes B". Return: 0, or 1 after printing the error.
 */
int member_reduce(struct member *me, unsigned int oper, unsigned int type, uint32_t width,
		  const void *in, size_t bytes, void *out, size_t out_max, size_t *got);

/**
 * struct text_job - a job that processes a text
 * @text: the text
 * @bytes: number of bytes of @text
 * @result: name of the file for the result
 */
struct text_job {
	char *text;
	size_t bytes;
	const char *result;
};

/* Parse "FABRIC PLAN SINK NODE,NODE,.. TEXT RESULT" and read the text; exit on errors. */
void text_job_read(struct members *m, struct text_job *j, int argc, char **argv);

/* Read a whole file; *@bytes is set to its length. Exit on errors. */
char *file_read(const char *name, size_t *bytes);

#endif /* MEMBERS_H */
