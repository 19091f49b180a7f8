// SPDX-License-Identifier: GPL-2.0
/*
 * Faults from a file: lines "link NODE:DIM[,..]" and "node NODE[,..]" with '#'
 * for comments, or what "hcctl -j fault show" printed.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "cmd.h"

/* What the file names. */
struct named {
	struct link_list *links;
	struct node_list *nodes;
};

static int parse_line(struct hcctl *h, char *line, void *arg)
{
	const struct named *named = arg;
	char *word = strtok(line, " \t\r\n"), *value;
	int rc = 0;

	if (!word || *word == '#')
		return 0;
	value = strtok(NULL, " \t\r\n");
	if (!value || *value == '#')
		return hc_invalid(h, "line", word, "\"link NODE:DIM\" or \"node NODE\" is wanted");
	if (!strcmp(word, "link"))
		rc = arg_links(h, "link", value, named->links);
	else if (!strcmp(word, "node"))
		rc = arg_nodes(h, "node", value, named->nodes);
	else
		return hc_invalid(h, "line", word, "\"link NODE:DIM\" or \"node NODE\" is wanted");
	value = strtok(NULL, " \t\r\n");
	if (!rc && value && *value != '#')
		return hc_invalid(h, "word", value, "nothing more is wanted in this line");
	return rc;
}

static int member(struct json_object *o, const char *key, uint32_t *v)
{
	struct json_object *m;

	if (!json_object_object_get_ex(o, key, &m) || !json_object_is_type(m, json_type_int) ||
	    json_object_get_int64(m) < 0 || json_object_get_int64(m) > UINT32_MAX)
		return -EINVAL;
	*v = json_object_get_int64(m);
	return 0;
}

static int json_links(struct json_object *array, struct link_list *l)
{
	size_t i, n = json_object_array_length(array);

	l->v = reallocarray(l->v, l->n + n + 1, sizeof(*l->v));
	if (!l->v)
		return -ENOMEM;
	for (i = 0; i < n; i++, l->n++) {
		struct json_object *o = json_object_array_get_idx(array, i);

		if (member(o, "node", &l->v[l->n].node) || member(o, "dim", &l->v[l->n].dim))
			return -EINVAL;
	}
	return 0;
}

static int json_nodes(struct json_object *array, struct node_list *l)
{
	size_t i, n = json_object_array_length(array);
	struct json_object *o;

	l->v = reallocarray(l->v, l->n + n + 1, sizeof(*l->v));
	if (!l->v)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		o = json_object_array_get_idx(array, i);
		if (!json_object_is_type(o, json_type_int))
			return -EINVAL;
		l->v[l->n++] = json_object_get_int64(o);
	}
	return 0;
}

static int parse_json(struct hcctl *h, const char *file, struct link_list *links,
		      struct node_list *nodes)
{
	struct json_object *root = json_object_from_file(file), *o;
	int rc = -EINVAL;

	if (root && json_object_is_type(root, json_type_object)) {
		rc = 0;
		if (json_object_object_get_ex(root, "links", &o) &&
		    json_object_is_type(o, json_type_array))
			rc = json_links(o, links);
		if (!rc && json_object_object_get_ex(root, "nodes", &o) &&
		    json_object_is_type(o, json_type_array))
			rc = json_nodes(o, nodes);
	}
	json_object_put(root);
	if (rc)
		return hc_invalid(h, "faults", file,
				  "{\"links\": [{\"node\", \"dim\"}], \"nodes\": [..]} is wanted");
	return 0;
}

int cmd_faults_file(struct hcctl *h, const char *file, struct link_list *links,
		    struct node_list *nodes)
{
	struct named named = { .links = links, .nodes = nodes };
	FILE *f = fopen(file, "re");
	int c, rc;

	if (!f) {
		hc_error(h, "cannot open %s: %s", file, strerror(errno));
		return HC_NO;
	}
	do
		c = getc(f);
	while (c != EOF && isspace(c));
	if (c == '{') {
		rc = parse_json(h, file, links, nodes);
	} else {
		rewind(f);
		rc = cmd_lines(h, f, file, parse_line, &named);
	}
	fclose(f);
	return rc;
}
