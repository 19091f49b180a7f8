// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: reading recordings of "hcctl trace": which frame was on which link, and when.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/json_read.h"
#include "plot.h"

/* Maximum time in a recording, in microseconds. It is longer than any recording, and small enough
 * to be exact in a double.
 */
#define TS_MAX 1e15

static int bad(struct hcctl *h, const char *file, const char *why)
{
	hc_error(h, "invalid trace %s: %s", file, why);
	return HC_USAGE;
}

static const char *text(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_string) ?
	       json_object_get_string(v) : "";
}

/* Return: the entry in @v of the hop that an event belongs to; NULL if the event has no valid id.
 * Hops have the ids h1, h2, .. in the order in which they begin.
 */
static struct plot_hop *hop_of(struct json_object *event, struct plot_hop *v, size_t n)
{
	const char *id = text(event, "id");
	uint64_t nr;

	return *id == 'h' && !hc_number(id + 1, n, &nr) && nr ? &v[nr - 1] : NULL;
}

/* Read the time of an event, in microseconds. */
static bool read_ts(struct json_object *event, double *v)
{
	struct json_object *ts;

	if (!json_object_object_get_ex(event, "ts", &ts) ||
	    !(json_object_is_type(ts, json_type_double) || json_object_is_type(ts, json_type_int)))
		return false;
	*v = json_object_get_double(ts);
	return isfinite(*v) && *v >= 0 && *v <= TS_MAX;
}

/* Read an event that is the beginning or the end of a hop. */
static bool read_hop(struct json_object *event, const struct plot *p, struct plot_hop *hop)
{
	struct json_object *args, *v;
	uint32_t pid, dim;
	double ts;

	if (!read_ts(event, &ts) ||
	    !json_object_object_get_ex(event, "args", &args) ||
	    !plot_json_member(event, "pid", hc_nodes(p->dim), &pid) || !pid)
		return false;
	if (!strcmp(text(event, "ph"), "e")) {
		hop->end = ts;
		hop->lost = json_object_object_get_ex(args, "lost", &v) &&
			    json_object_get_boolean(v);
		return true;
	}
	if (!plot_json_member(args, "dim", p->dim - 1, &dim))
		return false;
	hop->from = pid - 1;
	hop->to = hc_neigh(hop->from, dim);
	hop->begin = ts;
	hop->end = hop->begin;
	hop->there = true;
	snprintf(hop->type, sizeof(hop->type), "%.*s", (int)strcspn(text(event, "name"), " "),
		 text(event, "name"));
	return true;
}

/* Remove the hops whose beginning was not recorded. Return: the number of the remaining hops. */
static size_t pack(struct plot_hop *v, size_t n)
{
	size_t i, there = 0;

	for (i = 0; i < n; i++)
		if (v[i].there)
			v[there++] = v[i];
	return there;
}

static int read_events(struct hcctl *h, const char *file, struct json_object *events,
		       struct plot *p)
{
	size_t i, n = json_object_array_length(events);
	struct json_object *event;
	struct plot_hop *hop;

	p->hops = calloc(n + 1, sizeof(*p->hops));
	if (!p->hops)
		return hc_nomem(h);
	for (i = 0; i < n; i++) {
		event = json_object_array_get_idx(events, i);
		if (!json_object_is_type(event, json_type_object))
			return bad(h, file, "an event is no object");
		if (strcmp(text(event, "cat"), "hop"))
			continue;
		hop = hop_of(event, p->hops, n);
		if (!hop || !read_hop(event, p, hop))
			return bad(h, file, "a hop is not in the cube, or at no time");
	}
	p->nhops = pack(p->hops, n);
	for (i = 0; i < p->nhops; i++)
		if (p->hops[i].end < p->hops[i].begin)
			return bad(h, file, "a hop ends before it begins");
	if (!p->nhops)
		return bad(h, file, "nothing was on a link");
	if (p->nhops > PLOT_PAGE_HOPS)
		return bad(h, file, "more hops than a page can play; trace less");
	return 0;
}

int plot_read_trace(struct hcctl *h, const char *file, struct plot *p)
{
	struct json_object *root, *events;
	int rc = json_file(h, file, &root);

	if (rc)
		return rc;
	events = json_object_is_type(root, json_type_object) ?
		 plot_json_array(root, "traceEvents") : NULL;
	if (!events)
		rc = bad(h, file, "it has no \"traceEvents\" (hcctl trace)");
	else if (!p->dim)
		rc = bad(h, file, "it is of a cube, and the plan is not");
	else
		rc = read_events(h, file, events, p);
	json_object_put(root);
	return rc;
}
