// SPDX-License-Identifier: GPL-2.0
/*
 * Networks from GraphML, the format of networkx and of collections of topologies, and from GXL, to
 * which graphviz's gv2gxl converts DOT. Both have elements "node" with an id, and "edge" with the
 * ids of two nodes. Nodes are numbered in the order in which the file first names them. All other
 * elements are ignored.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

#include "graph.h"
#include "dlopen.h"
#include "memory.h"

/* Constants of libxml2, which its headers define as enums. The headers are not included here. */
#define START_OF_ELEMENT	1
#define NO_NETWORK_NOR_NOISE	(1 << 11 | 1 << 5 | 1 << 6)

/**
 * struct xml_reader - state of reading a file
 * @open: the first of the pointers to functions of libxml2; the other pointers follow it
 * @at: libxml2's reader of the file
 * @h: context
 * @g: the network that was read so far
 * @numbers: hash table of the nodes' names and their numbers
 * @name: the nodes' names by number; @numbers refers to these strings
 * @room: number of entries that @name has memory for
 */
struct xml_reader {
	void *(*open)(const char *file, const char *encoding, int options);
	int (*next)(void *at);
	int (*type)(void *at);
	const char *(*element)(void *at);
	int (*to_attribute)(void *at, const char *name);
	const char *(*value)(void *at);
	int (*to_element)(void *at);
	void (*close)(void *at);
	void *at;
	struct hcctl *h;
	struct graph *g;
	struct hsearch_data numbers;
	char **name;
	size_t room;
};

#define FUNCTION(name, field)	{ "xml" name, offsetof(struct xml_reader, field) }

static const struct load_library libxml2 = {
	.name = "libxml2",
	.files = (const char * const []){ "libxml2.so.2", "libxml2.so.16", NULL },
	.symbols = (const struct load_symbol []){
		FUNCTION("ReaderForFile", open), FUNCTION("TextReaderRead", next),
		FUNCTION("TextReaderNodeType", type), FUNCTION("TextReaderConstLocalName", element),
		FUNCTION("TextReaderMoveToAttribute", to_attribute),
		FUNCTION("TextReaderConstValue", value),
		FUNCTION("TextReaderMoveToElement", to_element),
		FUNCTION("FreeTextReader", close), {}
	},
};

bool graph_is_xml(const char *file)
{
	static const char * const ends[] = { ".graphml", ".gxl", ".xml" };
	const char *dot = strrchr(file, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(dot, ends[i]))
			return true;
	return false;
}

/* Get the number of the node with the name @name. A name that was not used before gets the next
 * number.
 */
static int number_of(struct xml_reader *r, const char *name, uint32_t *u)
{
	ENTRY wanted = { .key = strdup(name), .data = (void *)(uintptr_t)r->g->n }, *found = NULL;
	char **more = hc_grow(r->name, r->g->n, &r->room, sizeof(*more), 1024);

	if (more)
		r->name = more;
	if (!wanted.key || !more || r->g->n == HC_RING_NODES_MAX ||
	    !hsearch_r(wanted, ENTER, &found, &r->numbers)) {
		free(wanted.key);
		return r->g->n == HC_RING_NODES_MAX ?
			hc_invalid(r->h, "node", name, "the file has too many") : hc_nomem(r->h);
	}
	*u = (uint32_t)(uintptr_t)found->data;
	if (found->key != wanted.key) {
		free(wanted.key);
		return 0;
	}
	r->name[r->g->n++] = wanted.key;
	r->g->end = r->g->n;
	hc_set_add(r->g->named, *u);
	return 0;
}

/* Get the number of the node that an attribute of the current element names: the attribute @name,
 * or if there is no such attribute, @other.
 */
static int node_at(struct xml_reader *r, const char *name, const char *other, uint32_t *u)
{
	int rc;

	if (r->to_attribute(r->at, name) != 1 && r->to_attribute(r->at, other) != 1)
		return hc_invalid(r->h, "element", r->element(r->at),
				  "a node has an id, and an edge a source and a target");
	rc = number_of(r, r->value(r->at), u);
	r->to_element(r->at);
	return rc;
}

static int take_edge(struct xml_reader *r)
{
	struct graph_pairs *p = &r->g->links;
	uint32_t u = 0, v = 0;
	struct hc_edge *more;
	int rc = node_at(r, "source", "from", &u) ?: node_at(r, "target", "to", &v);

	if (rc)
		return rc;
	if (u == v)
		return hc_invalid(r->h, "edge", r->name[u], "it joins a node with itself");
	more = hc_grow(p->v, p->n, &p->room, sizeof(*more), 1024);
	if (!more)
		return hc_nomem(r->h);
	p->v = more;
	more[p->n++] = (struct hc_edge){ u, v };
	return 0;
}

static int take_all(struct xml_reader *r, const char *file)
{
	int rc = 0, more = 1;
	uint32_t u;

	while (!rc && (more = r->next(r->at)) == 1) {
		if (r->type(r->at) != START_OF_ELEMENT)
			continue;
		if (!strcmp(r->element(r->at), "node"))
			rc = node_at(r, "id", "id", &u);
		else if (!strcmp(r->element(r->at), "edge"))
			rc = take_edge(r);
	}
	if (rc || !more)
		return rc;
	return hc_invalid(r->h, "graph", file, "GraphML or GXL is wanted, and it is no XML");
}

int graph_xml(struct hcctl *h, const char *file, struct graph *g)
{
	struct xml_reader r = { .h = h, .g = g };
	struct hc_where at = { .text = file };
	void *library = load_library(h, &libxml2, "cannot read XML", &r);
	uint32_t u;
	int rc = 0;

	if (!library)
		return HC_NO;
	r.at = r.open(file, NULL, NO_NETWORK_NOR_NOISE);
	if (!r.at) {
		hc_error(h, "cannot read %s", file);
		rc = HC_NO;
	} else if (!hcreate_r(2 * HC_RING_NODES_MAX, &r.numbers)) {
		rc = hc_nomem(h);
	}
	if (!rc) {
		hc_enter(h, &at);
		rc = take_all(&r, file);
		hc_leave(h, &at);
		hdestroy_r(&r.numbers);
	}
	for (u = 0; u < g->n; u++)
		free(r.name[u]);
	free(r.name);
	if (r.at)
		r.close(r.at);
	dlclose(library);
	return rc;
}
