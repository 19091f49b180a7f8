// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trace: converting the lines of tracepoints to the trace event format, which Chrome and
 * Perfetto read.
 *
 * In that format, each node is a process. Merges at a node do not overlap, so they are slices of a
 * thread of this process. Hops and operations can overlap, so they are asynchronous slices. A hop
 * lasts from the transmission of a frame to the poll of the node that receives it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "trace.h"

/* A frame that was sent and has not arrived yet, in the list of its lane. */
struct hop {
	struct hop *next;
	uint64_t id;	/* number of the hop in the time line */
	uint32_t seq;	/* sequence number of the frame on its link; 0: it has none */
};

/* The frames of a lane that were sent and have not arrived yet, in the order in which they were
 * sent. A lane is a direction of a link and one of the groups of frames that arrive in order:
 * NUMBERED, ETHERNET, UNNUMBERED.
 */
struct flight {
	struct hop *head;
	struct hop **tail;
};

/* The line of a tracepoint, and the time line that is being written. */
struct line {
	struct trace_counts *n;
	FILE *out;
	const char *comma;	/* text before the next event: "," or "" */
	unsigned int dim;
	struct flight *flights;	/* lanes; index: (node * dim + dimension) * LANES + group */
	double us;		/* time of the line, in microseconds */
	char *args;		/* text of the line after the name of the tracepoint */
};

/* Return: the value after " KEY=" in the line, or NULL. */
static const char *value(const struct line *l, const char *key)
{
	size_t len = strlen(key);
	const char *p;

	for (p = l->args; (p = strstr(p, key)); p += len)
		if (p[len] == '=' && p[-1] == ' ')
			return p + len + 1;
	return NULL;
}

static uint64_t number(const struct line *l, const char *key)
{
	const char *v = value(l, key);

	return v ? strtoull(v, NULL, 0) : 0;
}

/* Copy the word after " KEY=" to @buf, up to a blank, a quote or a backslash, so that it needs no
 * quoting in JSON.
 */
static const char *word(const struct line *l, const char *key, char *buf, size_t size)
{
	const char *v = value(l, key);
	size_t len = 0;

	while (v && (unsigned char)v[len] > ' ' && !strchr("\"\\", v[len]))
		len++;
	snprintf(buf, size, "%.*s", (int)len, v ? v : "");
	return buf;
}

/* Print the arguments of an event, which are the numbers after @keys in the line, and end the
 * event.
 */
static void close_args(struct line *l, const char * const *keys)
{
	const char *comma = "";

	fputs(",\"args\":{", l->out);
	for (; *keys; keys++) {
		fprintf(l->out, "%s\"%s\":%" PRIu64, comma, *keys, number(l, *keys));
		comma = ",";
	}
	fputs("}}", l->out);
}

/* Begin an event at a node: print the members that all events have. The caller prints the other
 * members.
 */
static void begin(struct line *l, const char *phase, const char *category, uint32_t node)
{
	fprintf(l->out, "%s\n{\"ph\":\"%s\",\"cat\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f",
		l->comma, phase, category, node + 1, node + 1, l->us);
	l->comma = ",";
	l->n->events++;
}

/* The groups of frames that arrive in the order in which they were sent. Ethernet frames wait in
 * queues of their own. Other frames without a sequence number are not ordered relative to frames
 * with one.
 */
enum { NUMBERED, ETHERNET, UNNUMBERED, LANES };

static struct flight *flight(struct line *l, uint32_t node, uint32_t dim)
{
	unsigned int lane = number(l, "seq") ? NUMBERED : UNNUMBERED;
	char type[24];

	if (!strcmp(word(l, "type", type, sizeof(type)), "eth"))
		lane = ETHERNET;
	return &l->flights[((size_t)node * l->dim + dim) * LANES + lane];
}

static void hop(struct line *l)
{
	uint32_t node = number(l, "node"), dim = number(l, "dim");
	struct flight *f = flight(l, node, dim);
	static const char * const keys[] = {
		"dim", "src", "dst", "len", "seq", "step", "plan", "op", "time", NULL
	};
	struct hop *new = calloc(1, sizeof(*new));
	char type[24];

	l->n->hops++;
	begin(l, "b", "hop", node);
	fprintf(l->out, ",\"id\":\"h%" PRIu64 "\",\"name\":\"%s to %u\"", l->n->hops,
		word(l, "type", type, sizeof(type)), hc_neigh(node, dim));
	close_args(l, keys);
	if (!new)
		return;
	new->id = l->n->hops;
	new->seq = number(l, "seq");
	if (!f->head)
		f->tail = &f->head;
	*f->tail = new;
	f->tail = &new->next;
}

static void hop_end(struct line *l, uint32_t node, uint64_t id, bool lost)
{
	l->n->lost_hops += lost;
	begin(l, "e", "hop", node);
	fprintf(l->out, ",\"id\":\"h%" PRIu64 "\",\"name\":\"\",\"args\":{\"lost\":%s}}", id,
		lost ? "true" : "false");
}

/* Handle the arrival of a frame. A link delivers the frames of a lane in order, so the frames of
 * the lane that were sent before this one, and have not arrived, are lost. Frames without a
 * sequence number cannot be distinguished, so the oldest of them counts as arrived. If the frame
 * was sent before the recording began, the lane has no entry for it.
 */
static void arrive(struct line *l)
{
	uint32_t dim = number(l, "dim"), from = hc_neigh(number(l, "node"), dim);
	struct flight *f = flight(l, from, dim);
	uint32_t seq = number(l, "seq");
	struct hop *h, *first = f->head;

	while (first && first->seq != seq)
		first = first->next;
	while (first && (h = f->head)) {
		bool mine = h == first;

		hop_end(l, from, h->id, !mine);
		f->head = h->next;
		free(h);
		if (mine)
			break;
	}
}

static void merge(struct line *l)
{
	static const char * const keys[] = { "src", "len", "plan", "op", NULL };
	uint64_t ns = number(l, "ns");

	l->n->merges++;
	l->us -= ns / 1e3;
	begin(l, "X", "merge", number(l, "node"));
	fprintf(l->out, ",\"dur\":%.3f,\"name\":\"merge\"", ns / 1e3);
	close_args(l, keys);
}

static void operation(struct line *l, bool end)
{
	static const char * const keys[] = { "plan", "bytes", "oper", "dtype", NULL };
	const char *status = value(l, "status");
	char collective[24];

	l->n->operations += !end;
	begin(l, end ? "e" : "b", "op", number(l, "node"));
	fprintf(l->out, ",\"id\":\"o%" PRIu64 ".%" PRIu64 ".%" PRIu64 "\"", number(l, "node"),
		number(l, "plan"), number(l, "op"));
	if (end) {
		fprintf(l->out, ",\"name\":\"\",\"args\":{\"status\":%d}}",
			status ? atoi(status) : 0);
		return;
	}
	fprintf(l->out, ",\"name\":\"%s %" PRIu64 "\"",
		word(l, "collective", collective, sizeof(collective)), number(l, "op"));
	close_args(l, keys);
}

/* Print an event without a duration. The word after KEY in the line becomes part of its name. */
static void instant(struct line *l, const char *category, const char *key)
{
	char name[32];

	begin(l, "i", category, number(l, "node"));
	fprintf(l->out, ",\"s\":\"t\",\"name\":\"%s %s\"}", category,
		word(l, key, name, sizeof(name)));
}

static void plan(struct line *l)
{
	char what[24];

	begin(l, "i", "plan", 0);
	fprintf(l->out, ",\"s\":\"g\",\"name\":\"plan %" PRIu64 " %s\"}", number(l, "plan"),
		word(l, "event", what, sizeof(what)));
}

static void op_begin(struct line *l)
{
	operation(l, false);
}

static void op_end(struct line *l)
{
	operation(l, true);
}

static void stage(struct line *l)
{
	instant(l, "stage", "stage");
}

static void fault(struct line *l)
{
	instant(l, "fault", "fault");
}

static void drop(struct line *l)
{
	l->n->drops++;
	instant(l, "drop", "reason");
}

static const struct {
	const char *name;
	void (*take)(struct line *l);
} events[] = {
	{ "hc_hop", hop }, { "hc_arrive", arrive }, { "hc_merge", merge }, { "hc_stage", stage },
	{ "hc_op_begin", op_begin }, { "hc_op_end", op_end }, { "hc_fault", fault },
	{ "hc_plan", plan }, { "hc_drop", drop },
};

static void event(struct line *l, const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (!strcmp(events[i].name, name))
			events[i].take(l);
}

/* Parse a line such as " task-1 [001] ..s1. 12.345678: hc_hop: fabric=..", and handle its event.
 * The name of the task may contain any characters.
 */
static void text(struct line *l, char *s)
{
	char *at = strstr(s, ": hc_"), *colon, *stamp = at;

	if (!at)
		return;
	while (stamp > s && stamp[-1] != ' ')
		stamp--;
	l->us = strtod(stamp, NULL) * 1e6;
	colon = strchr(at + 2, ':');
	if (!colon)
		return;
	*colon = 0;
	l->args = colon + 1;
	if (number(l, "node") < hc_nodes(l->dim) && (!value(l, "dim") || *value(l, "dim") == '-' ||
						     number(l, "dim") < l->dim))
		event(l, at + 2);
}

/* Return: the name of a fabric as a JSON string, with the quotes in it escaped. */
static struct json_object *name_of(const char *fabric)
{
	char *words = out_escaped(fabric);
	struct json_object *o = json_object_new_string(words ?: "?");

	free(words);
	return o;
}

/* Print the names of the tracks: each node is a process with the node's name, and has a thread for
 * its merges.
 */
static void tracks(struct line *l, const char *fabric)
{
	struct json_object *o = name_of(fabric);
	const char *name = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
	int len = strlen(name) - 2;
	char bits[OUT_BUF];
	uint32_t u;

	for (u = 0; u < hc_nodes(l->dim); u++) {
		fprintf(l->out, "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%.*s node %u (%s)\"}}",
			l->comma, u + 1, len, name + 1, u, out_bits(bits, u, l->dim));
		l->comma = ",";
		fprintf(l->out, ",\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":{\"sort_index\":%u}}",
			u + 1, u);
		fprintf(l->out, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"merges\"}}",
			u + 1, u + 1);
	}
	json_object_put(o);
}

/* Print that all frames that have not arrived are lost. */
static void rest(struct line *l)
{
	size_t i, n = (size_t)hc_nodes(l->dim) * l->dim * LANES;
	struct hop *h;

	for (i = 0; i < n; i++)
		while ((h = l->flights[i].head)) {
			hop_end(l, i / LANES / l->dim, h->id, true);
			l->flights[i].head = h->next;
			free(h);
		}
}

int trace_print(FILE *in, FILE *out, const struct nl_fabric *fabric, struct trace_counts *n)
{
	struct line l = { .n = n, .out = out, .comma = "", .dim = fabric->dim };
	char *s = NULL;
	size_t size = 0;

	memset(n, 0, sizeof(*n));
	l.flights = calloc((size_t)hc_nodes(l.dim) * l.dim * LANES, sizeof(*l.flights));
	if (!l.flights)
		return -ENOMEM;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	tracks(&l, fabric->name);
	while (getline(&s, &size, in) >= 0)
		if (*s != '#')
			text(&l, s);
	rest(&l);
	fputs("\n]}\n", out);
	free(s);
	free(l.flights);
	return 0;
}
