// SPDX-License-Identifier: GPL-2.0
/*
 * Reading JSON that people have written, by tables of keys.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "json_read.h"

/* Limit of the memory that a document takes, as a sum of weights. A value of weight 1 takes some
 * 100 bytes; an object with its table takes eight times as much. All nodes and links of a fabric of
 * dimension 12, each with different settings, have a third of the maximum weight.
 */
#define WEIGHT_OBJECT	8
#define WEIGHT_MAX	(4 << 20)

/* --- files --- */

static const char *parse_error(enum json_tokener_error err)
{
	switch (err) {
	case json_tokener_continue:
	case json_tokener_error_parse_eof:
		return "it ends too soon";
	case json_tokener_success:
		return "an object is wanted, not null";
	default:
		return json_tokener_error_desc(err);
	}
}

/* Estimate the memory that the document takes, by counting the characters that begin or separate
 * values. Such characters in strings count, too, because only a parser knows where strings end.
 */
static size_t weight(const char *text, size_t len)
{
	size_t sum = 0, i;

	for (i = 0; i < len; i++) {
		if (text[i] == '{')
			sum += WEIGHT_OBJECT;
		else
			sum += text[i] == '[' || text[i] == ',';
	}
	return sum;
}

static int not_json(struct hcctl *h, const char *file, unsigned int line, const char *fmt,
		    const char *what)
{
	struct hc_where at = { .text = file, .line = line };

	hc_enter(h, &at);
	hc_error(h, fmt, what);
	hc_leave(h, &at);
	return HC_USAGE;
}

/* Parse a JSON text. Only white space may follow the document. The parser also gets the 0 that ends
 * the text, so that it takes a number at the end as complete.
 */
static int parse(struct hcctl *h, const char *file, const char *text, size_t len,
		 struct json_object **root)
{
	struct json_tokener *tok = json_tokener_new_ex(JSON_NESTING);
	enum json_tokener_error err;
	unsigned int line = 1;
	size_t end, i;

	if (!tok)
		return hc_nomem(h);
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS |
			       JSON_TOKENER_VALIDATE_UTF8);
	*root = json_tokener_parse_ex(tok, text, len + 1);
	err = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	if (*root && end + strspn(text + end, " \t\r\n") == len)
		return 0;
	for (i = 0; i < end && i < len; i++)
		line += text[i] == '\n';
	return not_json(h, file, line, *root ? "something follows the JSON document" :
			"not JSON: %s", parse_error(err));
}

/* Parse a text, unless it would take too much memory. An object that has a key twice is an error,
 * because one of the two values would be ignored.
 */
static int parse_checked(struct hcctl *h, const char *file, const char *text, size_t len,
			 bool lines, struct json_object **root)
{
	unsigned int line;
	char *twice;
	int rc;

	if (weight(text, len) > WEIGHT_MAX) {
		hc_error(h, "%s: there are too many values", file);
		return HC_USAGE;
	}
	rc = parse(h, file, text, len, root);
	if (rc)
		return rc;
	if (!json_lines(text, *root, lines)) {
		twice = json_twice(text, &line);
		rc = not_json(h, file, line, "the key \"%s\" is given twice in one object",
			      twice ?: "?");
		free(twice);
	}
	return rc;
}

int json_text(struct hcctl *h, const char *file, const char *text, size_t len, bool lines,
	      struct json_object **root)
{
	int rc;

	*root = NULL;
	rc = parse_checked(h, file_name(file), text, len, lines, root);
	if (rc) {
		json_object_put(*root);
		*root = NULL;
	}
	return rc;
}

static int read_file(struct hcctl *h, const char *file, bool lines, struct json_object **root)
{
	char *text;
	size_t len;
	int rc = file_read_text(h, file, &text, &len);

	*root = NULL;
	rc = rc ?: json_text(h, file, text, len, lines, root);
	free(text);
	return rc;
}

int json_file(struct hcctl *h, const char *file, struct json_object **root)
{
	return read_file(h, file, false, root);
}

int json_file_lines(struct hcctl *h, const char *file, struct json_object **root)
{
	return read_file(h, file, true, root);
}

/* --- values --- */

static const char *shown(struct json_object *o)
{
	return json_object_is_type(o, json_type_string) ? json_object_get_string(o) :
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
					       JSON_C_TO_STRING_NOSLASHESCAPE);
}

static int wrong(struct hcctl *h, const char *name, struct json_object *o, const char *wanted)
{
	char text[48];

	snprintf(text, sizeof(text), "%s", shown(o));
	return hc_invalid(h, name, text, wanted);
}

/* json-c reads a number that needs more than 64 bits as UINT64_MAX, so UINT64_MAX is refused. */
bool json_number(struct json_object *o, uint64_t min, uint64_t max, uint64_t *v)
{
	*v = json_object_get_uint64(o);
	return json_object_is_type(o, json_type_int) && json_object_get_int64(o) >= 0 &&
	       *v >= min && *v <= max && *v != UINT64_MAX;
}

static int number(struct hcctl *h, const char *name, struct json_object *o, uint64_t min,
		  uint64_t max, uint64_t *v)
{
	char wanted[96];

	if (json_number(o, min, max, v))
		return 0;
	if (max == UINT64_MAX)
		snprintf(wanted, sizeof(wanted), "a number from %" PRIu64 " on is wanted", min);
	else
		snprintf(wanted, sizeof(wanted), "a number from %" PRIu64 " to %" PRIu64
			 " is wanted", min, max);
	return wrong(h, name, o, wanted);
}

static int value(struct hcctl *h, struct json_key *k, struct json_object *o)
{
	uint64_t v;
	int rc = 0;

	switch (k->kind) {
	case JSON_U32:
		rc = number(h, k->name, o, k->min, k->max ?: UINT32_MAX, &v);
		if (!rc)
			*(uint32_t *)k->dst = v;
		return rc;
	case JSON_U64:
		rc = number(h, k->name, o, k->min, k->max ?: UINT64_MAX, &v);
		if (!rc)
			*(uint64_t *)k->dst = v;
		return rc;
	case JSON_FLAG:
		if (!json_object_is_type(o, json_type_boolean))
			return wrong(h, k->name, o, "true or false is wanted");
		*(bool *)k->dst = json_object_get_boolean(o);
		return 0;
	case JSON_TEXT:
		if (!json_object_is_type(o, json_type_string) ||
		    strlen(json_object_get_string(o)) != (size_t)json_object_get_string_len(o))
			return wrong(h, k->name, o, "a string is wanted");
		*(const char **)k->dst = json_object_get_string(o);
		return 0;
	case JSON_ARRAY:
		if (!json_object_is_type(o, json_type_array))
			return wrong(h, k->name, o, "an array is wanted");
		*(struct json_object **)k->dst = o;
		return 0;
	case JSON_IGNORED:
		break;
	}
	return rc;
}

static int unknown(struct hcctl *h, const char *name, const struct json_key *keys)
{
	char list[256] = "";
	size_t len = 0;

	for (; keys->name && len < sizeof(list); keys++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s",
				!len ? "" : keys[1].name ? ", " : " or ", keys->name);
	return hc_invalid(h, "key", name, len < sizeof(list) - 16 ?
			  strcat(list, " is wanted") : list);
}

int json_keys(struct hcctl *h, struct json_object *o, struct json_key *keys)
{
	struct json_object_iterator i, end;
	struct json_key *k;
	char what[64];
	int rc = 0;

	if (!json_object_is_type(o, json_type_object))
		return wrong(h, "value", o, "an object is wanted");
	i = json_object_iter_begin(o);
	end = json_object_iter_end(o);
	for (; !rc && !json_object_iter_equal(&i, &end); json_object_iter_next(&i)) {
		for (k = keys; k->name; k++)
			if (!strcmp(k->name, json_object_iter_peek_name(&i)))
				break;
		if (!k->name)
			return unknown(h, json_object_iter_peek_name(&i), keys);
		k->given = true;
		rc = value(h, k, json_object_iter_peek_value(&i));
	}
	for (k = keys; !rc && k->name; k++)
		if (k->required && !k->given) {
			snprintf(what, sizeof(what), "missing key \"%s\"", k->name);
			hc_error(h, "%s", what);
			rc = HC_USAGE;
		}
	return rc;
}

/* --- arrays --- */

int json_number_at(struct hcctl *h, struct json_object *array, size_t i, uint64_t max,
		   uint64_t *v)
{
	char name[32];

	snprintf(name, sizeof(name), "element [%zu]", i);
	return number(h, name, json_object_array_get_idx(array, i), 0, max, v);
}

int json_each(struct hcctl *h, const char *name, struct json_object *array,
	      json_element_fn take, void *arg)
{
	size_t i, n = json_length(array);
	struct json_object *o;
	char text[64];
	struct hc_where at = { .text = text };
	unsigned int line;
	int rc = 0;

	hc_enter(h, &at);
	for (i = 0; i < n && !rc; i++) {
		o = json_object_array_get_idx(array, i);
		line = json_line(o);
		snprintf(text, sizeof(text), line ? "%s[%zu] in line %u" : "%s[%zu]", name, i,
			 line);
		rc = take(h, o, arg);
	}
	hc_leave(h, &at);
	return rc;
}
