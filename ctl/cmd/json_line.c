// SPDX-License-Identifier: GPL-2.0
/*
 * In which line of a file an object begins.  The parser does not tell; but objects come in the
 * document in the order of their opening braces.
 */
#include <stdlib.h>

#include "json_read.h"

/* Lines of the braces of a text. */
struct braces {
	unsigned int *line;
	size_t n;
	size_t at;	/* the next object is that of this one */
};

/* Behind the string that begins at @c. */
static const char *behind_string(const char *c)
{
	char quote = *c++;

	for (; *c && *c != quote; c++)
		if (*c == '\\' && c[1])
			c++;
	return *c ? c + 1 : c;
}

static bool find(const char *c, struct braces *b)
{
	unsigned int line = 1, *more;
	size_t room = 0;

	while (*c) {
		if (*c == '"' || *c == '\'') {
			c = behind_string(c);
			continue;
		}
		if (*c == '{' && b->n == room) {
			room = room ? 2 * room : 64;
			more = reallocarray(b->line, room, sizeof(*more));
			if (!more)
				return false;
			b->line = more;
		}
		if (*c == '{')
			b->line[b->n++] = line;
		line += *c++ == '\n';
	}
	return true;
}

/* @o and what it has, in the order of the document; with @set, each is told its line. */
static void visit(struct json_object *o, struct braces *b, bool set)
{
	size_t i;

	if (json_object_is_type(o, json_type_array))
		for (i = 0; i < json_length(o); i++)
			visit(json_object_array_get_idx(o, i), b, set);
	if (!json_object_is_type(o, json_type_object))
		return;
	if (set)
		json_object_set_userdata(o, (void *)(uintptr_t)b->line[b->at], NULL);
	b->at++;
	json_object_object_foreach(o, key, member) {
		(void)key;
		visit(member, b, set);
	}
}

/* A key that is there twice, or a comment, brings them out of step: then nothing is said. */
void json_lines(const char *text, struct json_object *root)
{
	struct braces b = {};

	if (find(text, &b)) {
		visit(root, &b, false);
		if (b.at == b.n) {
			b.at = 0;
			visit(root, &b, true);
		}
	}
	free(b.line);
}

unsigned int json_line(struct json_object *o)
{
	if (!json_object_is_type(o, json_type_object))
		return 0;
	return (uintptr_t)json_object_get_userdata(o);
}
