// SPDX-License-Identifier: GPL-2.0
/*
 * JSON written by people, read by tables.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_read.h"

#define NESTING 16
/* A plan of the largest cube takes a fraction of that. */
#define FILE_MAX (64 << 20)
/* In memory a value takes some 100 bytes, an object with its table eight times as much; nodes
 * and links of a fabric of dimension 12, all of them as unlike as can be, are a third of that.
 */
#define WEIGHT_OBJECT	8
#define WEIGHT_MAX	(4 << 20)

/* --- files --- */

static int cannot_read(struct hcctl *h, const char *file)
{
	hc_error(h, "cannot read %s: %s", file, strerror(errno));
	return HC_NO;
}

static char *all_of(FILE *f, size_t *len)
{
	size_t room = 1 << 16;
	char *text = malloc(room), *more;

	*len = 0;
	while (text) {
		*len += fread(text + *len, 1, room - *len, f);
		if (*len < room)
			break;
		more = room < FILE_MAX ? realloc(text, 2 * room) : NULL;
		if (!more) {
			free(text);
			errno = EFBIG;
			return NULL;
		}
		text = more;
		room *= 2;
	}
	if (text && ferror(f)) {
		free(text);
		text = NULL;
	}
	return text;
}

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

/* An estimate of the memory that it takes, from the characters before or behind each value.
 * What is in strings counts as well, for it takes a parser to tell where they end.
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

/* Only spaces may follow the document.  The last byte is behind the text: a number ends there.
 */
static int parse(struct hcctl *h, const char *file, const char *text, size_t len,
		 struct json_object **root)
{
	struct json_tokener *tok = json_tokener_new_ex(NESTING);
	struct hc_where at = { .text = file, .line = 1 };
	enum json_tokener_error err;
	size_t end, i;

	if (!tok)
		return hc_nomem(h);
	*root = json_tokener_parse_ex(tok, text, len + 1);
	err = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	json_tokener_free(tok);
	for (i = 0; i < end && i < len; i++)
		at.line += text[i] == '\n';
	if (*root && end + strspn(text + end, " \t\r\n") == len)
		return 0;
	hc_enter(h, &at);
	if (*root)
		hc_error(h, "something follows the JSON document");
	else
		hc_error(h, "not JSON: %s", parse_error(err));
	hc_leave(h, &at);
	json_object_put(*root);
	*root = NULL;
	return HC_USAGE;
}

/* What would take too much memory is not parsed. */
static int parse_bounded(struct hcctl *h, const char *file, const char *text, size_t len,
			 struct json_object **root)
{
	if (weight(text, len) <= WEIGHT_MAX)
		return parse(h, file, text, len, root);
	hc_error(h, "%s: there are too many values", file);
	return HC_USAGE;
}

static int read_file(struct hcctl *h, const char *file, bool lines, struct json_object **root)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	char *text, *whole;
	size_t len;
	int rc;

	*root = NULL;
	text = f ? all_of(f, &len) : NULL;
	rc = text ? 0 : cannot_read(h, file);
	if (f && f != stdin)
		fclose(f);
	if (rc)
		return rc;
	whole = realloc(text, len + 1);
	if (!whole) {
		free(text);
		return hc_nomem(h);
	}
	whole[len] = 0;
	rc = parse_bounded(h, f == stdin ? "standard input" : file, whole, len, root);
	if (!rc && lines)
		json_lines(whole, *root);
	free(whole);
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

static int number(struct hcctl *h, const char *name, struct json_object *o, uint64_t min,
		  uint64_t max, uint64_t *v)
{
	char wanted[96];

	*v = json_object_get_uint64(o);
	/* A number beyond 64 bits is read as the last one there is. */
	if (json_object_is_type(o, json_type_int) && json_object_get_int64(o) >= 0 &&
	    *v >= min && *v <= max && *v != UINT64_MAX)
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
