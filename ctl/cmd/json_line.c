// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the line of a file in which an object begins. The JSON parser does not report lines. But
 * objects are visited in the order of their opening braces, so the braces of the text are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "json_read.h"

/* The opening braces of a text. */
struct braces {
	unsigned int *line;	/* for each brace, the line that it is in */
	size_t n;	/* number of braces */
	size_t at;	/* index of the brace of the object that is visited next */
	size_t keys;	/* number of keys in the text */
};

/* Return: a pointer to the first character after the string that begins at @c. */
static const char *behind_string(const char *c)
{
	for (c++; *c && *c != '"'; c++)
		if (*c == '\\' && c[1])
			c++;
	return *c ? c + 1 : c;
}

static bool add_brace(struct braces *b, size_t *room, unsigned int line)
{
	unsigned int *more;

	if (b->n == *room) {
		*room = *room ? 2 * *room : 64;
		more = reallocarray(b->line, *room, sizeof(*more));
		if (!more)
			return false;
		b->line = more;
	}
	b->line[b->n++] = line;
	return true;
}

/* Store the line of each opening brace that is not in a string. Count the keys by the colons after
 * them.
 */
static bool find(const char *c, struct braces *b)
{
	unsigned int line = 1;
	size_t room = 0;

	while (*c) {
		if (*c == '"') {
			c = behind_string(c);
			continue;
		}
		if (*c == '{' && !add_brace(b, &room, line))
			return false;
		b->keys += *c == ':';
		line += *c++ == '\n';
	}
	return true;
}

/* Visit @o and its contents in the order of the document. With @set, store in each object the line
 * in which it begins. Return: the number of keys of all objects.
 */
static size_t visit(struct json_object *o, struct braces *b, bool set)
{
	size_t i, keys = 0;

	if (json_object_is_type(o, json_type_array))
		for (i = 0; i < json_length(o); i++)
			keys += visit(json_object_array_get_idx(o, i), b, set);
	if (!json_object_is_type(o, json_type_object))
		return keys;
	if (set)
		json_object_set_userdata(o, (void *)(uintptr_t)b->line[b->at], NULL);
	b->at++;
	json_object_object_foreach(o, key, member) {
		(void)key;
		keys += 1 + visit(member, b, set);
	}
	return keys;
}

bool json_lines(const char *text, struct json_object *root, bool set)
{
	struct braces b = {};
	bool all = true;

	if (find(text, &b)) {
		all = visit(root, &b, false) == b.keys;
		if (all && set) {
			b.at = 0;
			visit(root, &b, true);
		}
	}
	free(b.line);
	return all;
}

/* The objects and arrays that are open at a position of the text. For each nesting depth, @seen is
 * an object with the keys that were read so far, or NULL for an array.
 */
struct keys {
	struct json_object *seen[JSON_NESTING + 1];
	unsigned int depth;
};

/* Return: a copy of the string at @c, to be freed, if a colon follows it, so that it is a key;
 * otherwise NULL.
 */
static char *key_at(const char *c)
{
	const char *end = behind_string(c), *next = end + strspn(end, " \t\r\n");

	return *next == ':' ? strndup(c + 1, end - c - 2) : NULL;
}

/* Record a key of the innermost open object. Return: true if the object already has this key. */
static bool add_key(struct keys *k, const char *key)
{
	struct json_object *seen = k->depth ? k->seen[k->depth - 1] : NULL;

	if (!key || !seen)
		return false;
	if (json_object_object_get_ex(seen, key, NULL))
		return true;
	json_object_object_add(seen, key, NULL);
	return false;
}

/* Update @k for a character that may open or close an object or array. */
static void open_close(struct keys *k, char c)
{
	if ((c == '{' || c == '[') && k->depth <= JSON_NESTING)
		k->seen[k->depth++] = c == '{' ? json_object_new_object() : NULL;
	else if ((c == '}' || c == ']') && k->depth)
		json_object_put(k->seen[--k->depth]);
}

char *json_twice(const char *c, unsigned int *line)
{
	struct keys k = {};
	char *key = NULL;

	for (*line = 1; *c; ) {
		if (*c != '"') {
			*line += *c == '\n';
			open_close(&k, *c++);
			continue;
		}
		key = key_at(c);
		if (add_key(&k, key))
			break;
		free(key);
		key = NULL;
		c = behind_string(c);
	}
	while (k.depth)
		json_object_put(k.seen[--k.depth]);
	return key;
}

unsigned int json_line(struct json_object *o)
{
	if (!json_object_is_type(o, json_type_object))
		return 0;
	return (uintptr_t)json_object_get_userdata(o);
}
