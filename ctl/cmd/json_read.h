/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON that people may have written: objects by tables of keys, with complaints that say where,
 * which key and what is wanted.  All return 0 or an exit status, and have complained.
 */
#ifndef _HCCTL_JSON_READ_H
#define _HCCTL_JSON_READ_H

#include <json-c/json.h>

#include "hcctl.h"

/* What a value must be. */
enum json_kind {
	JSON_U32,	/* uint32_t */
	JSON_U64,	/* uint64_t */
	JSON_FLAG,	/* bool */
	JSON_TEXT,	/* const char *, which lives as long as the document */
	JSON_ARRAY,	/* struct json_object * */
	JSON_IGNORED,
};

/**
 * struct json_key - a key of an object
 * @name: it; NULL ends a table
 * @kind: what its value must be
 * @dst: where that goes
 * @min: of a number
 * @max: of a number
 * @required: it must be there
 * @given: it is
 */
struct json_key {
	const char *name;
	enum json_kind kind;
	void *dst;
	uint64_t min;
	uint64_t max;
	bool required;
	bool given;
};

/* Objects in objects. */
#define JSON_NESTING 16

/* A whole file, "-" is standard input; release with json_object_put().  Each object has each of its
 * keys once.
 */
int json_file(struct hcctl *h, const char *file, struct json_object **root);
/* The same; complaints of json_each() then name lines. */
int json_file_lines(struct hcctl *h, const char *file, struct json_object **root);
/* What was read of a file by that name; @lines: note them. */
int json_text(struct hcctl *h, const char *file, const char *text, size_t len, bool lines,
	      struct json_object **root);
/* --- json_line.c --- */
/* Note in each object of @text, which is @root, the line that it begins in, if @set.  False: @root
 * has not all of it, as a key is there twice.
 */
bool json_lines(const char *text, struct json_object *root, bool set);
/* The first such key, for free(), and its line; NULL: it is written in two ways. */
char *json_twice(const char *text, unsigned int *line);
/* The line that an object of such a file begins in; 0: it is not known. */
unsigned int json_line(struct json_object *o);

/* --- json_read.c --- */
/* Is it a number of that range?  No complaint. */
bool json_number(struct json_object *o, uint64_t min, uint64_t max, uint64_t *v);
/* An object that has no other keys. */
int json_keys(struct hcctl *h, struct json_object *o, struct json_key *keys);
/* Number @i of an array. */
int json_number_at(struct hcctl *h, struct json_object *array, size_t i, uint64_t max,
		   uint64_t *v);
/* All elements; complaints say which one of @name. */
typedef int (*json_element_fn)(struct hcctl *h, struct json_object *o, void *arg);
int json_each(struct hcctl *h, const char *name, struct json_object *array,
	      json_element_fn take, void *arg);
static inline size_t json_length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

#endif /* _HCCTL_JSON_READ_H */
