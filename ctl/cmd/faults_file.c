// SPDX-License-Identifier: GPL-2.0
/*
 * Faults from a file. The file has lines "link NODE:DIM[,..]" and "node NODE[,..]" with '#' for
 * comments, or it is the output of "hcctl -j fault show".
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "file.h"
#include "json_read.h"

/* The lists to which the faults are added. */
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

/* Read a link in the form of "hcctl -j fault show", which includes the reason why it is down. */
static int json_link(struct hcctl *h, struct json_object *o, void *arg)
{
	struct link_list *l = arg;
	struct link_ref *v = reallocarray(l->v, l->n + 1, sizeof(*v));
	struct json_key keys[] = {
		{ "node", JSON_U32, NULL, .max = hc_nodes(HC_LIB_DIM_MAX) - 1, .required = true },
		{ "dim", JSON_U32, NULL, .max = HC_LIB_DIM_MAX - 1, .required = true },
		{ "state", JSON_IGNORED },
		{}
	};
	int rc;

	if (!v)
		return hc_nomem(h);
	l->v = v;
	keys[0].dst = &v[l->n].node;
	keys[1].dst = &v[l->n].dim;
	rc = json_keys(h, o, keys);
	l->n += !rc;
	return rc;
}

static int json_nodes(struct hcctl *h, struct json_object *array, struct node_list *l)
{
	struct hc_where at = { .text = "nodes" };
	size_t i, n = json_length(array);
	uint32_t *more = reallocarray(l->v, l->n + n + 1, sizeof(*more));
	uint64_t u;
	int rc = 0;

	if (!more)
		return hc_nomem(h);
	l->v = more;
	hc_enter(h, &at);
	for (i = 0; !rc && i < n; i++) {
		rc = json_number_at(h, array, i, hc_nodes(HC_LIB_DIM_MAX) - 1, &u);
		if (!rc)
			l->v[l->n++] = u;
	}
	hc_leave(h, &at);
	return rc;
}

static int take_json(struct hcctl *h, struct json_object *root, const struct named *named)
{
	struct json_object *links = NULL, *nodes = NULL;
	struct json_key keys[] = {
		{ "fabric", JSON_IGNORED },
		{ "dim", JSON_IGNORED },
		{ "seed", JSON_IGNORED },
		{ "nodes", JSON_ARRAY, &nodes },
		{ "links", JSON_ARRAY, &links },
		{}
	};
	int rc = json_keys(h, root, keys);

	if (rc)
		return rc;
	if (!links && !nodes) {
		hc_error(h, "neither \"links\" nor \"nodes\" is given; [] is none");
		return HC_USAGE;
	}
	return json_nodes(h, nodes, named->nodes) ?:
	       json_each(h, "links", links, json_link, named->links);
}

static int parse_json(struct hcctl *h, const char *file, const char *text, size_t len,
		      const struct named *named)
{
	struct hc_where at = { .text = file_name(file) };
	struct json_object *root;
	int rc = json_text(h, file, text, len, true, &root);

	if (rc)
		return rc;
	hc_enter(h, &at);
	rc = take_json(h, root, named);
	hc_leave(h, &at);
	json_object_put(root);
	return rc;
}

/* Refuse an empty file, because it may be the output of a command that has failed. */
static int empty(struct hcctl *h, const char *file)
{
	hc_error(h, "%s is empty; a line that begins with # says that there are no faults",
		 file_name(file));
	return HC_USAGE;
}

int cmd_faults_file(struct hcctl *h, const char *file, struct link_list *links,
		    struct node_list *nodes)
{
	struct named named = { .links = links, .nodes = nodes };
	size_t len, blank;
	char *text;
	int rc = file_read_text(h, file, &text, &len);

	if (rc)
		return rc;
	blank = strspn(text, " \t\r\n");
	if (blank == len)
		rc = empty(h, file);
	else if (text[blank] == '{' || text[blank] == '[')
		rc = parse_json(h, file, text, len, &named);
	else
		rc = file_text_lines(h, file, text, parse_line, &named);
	free(text);
	return rc;
}
