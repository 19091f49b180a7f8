/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON that people may have written: objects are read by tables of keys. Error messages name the
 * place, the key and what is wanted. All functions return 0, or an exit status after printing an
 * error.
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
 * @name: the key; NULL ends a table
 * @kind: what its value must be
 * @dst: where the value goes
 * @min: least value of a number
 * @max: greatest value of a number
 * @required: the key must be there
 * @given: the key is there
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

/* Depth of nested objects. */
#define JSON_NESTING 16

/* Read a whole file, "-" is standard input; release with json_object_put(). An object must not have
 * a key twice.
 */
int json_file(struct hcctl *h, const char *file, struct json_object **root);
/* As json_file(); error messages of json_each() then name lines. */
int json_file_lines(struct hcctl *h, const char *file, struct json_object **root);
/* Parse the text of a file; @lines: note the lines of objects. */
int json_text(struct hcctl *h, const char *file, const char *text, size_t len, bool lines,
	      struct json_object **root);
/* --- json_line.c --- */
/* If @set, note in each object of @root, which is the parsed @text, the line in which it begins.
 * Return: false if @root lacks something because a key occurs twice.
 */
bool json_lines(const char *text, struct json_object *root, bool set);
/* Return: the first key that occurs twice, to be freed, and its line; NULL: the key is written in
 * two ways.
 */
char *json_twice(const char *text, unsigned int *line);
/* Return: the line in which an object of such a file begins; 0: it is not known. */
unsigned int json_line(struct json_object *o);

/* --- json_read.c --- */
/* Is it a number in that range? No error is printed. */
bool json_number(struct json_object *o, uint64_t min, uint64_t max, uint64_t *v);
/* Read an object that must have no other keys. */
int json_keys(struct hcctl *h, struct json_object *o, struct json_key *keys);
/* Read element @i of an array. */
int json_number_at(struct hcctl *h, struct json_object *array, size_t i, uint64_t max,
		   uint64_t *v);
/* Read all elements; error messages name the element and @name. */
typedef int (*json_element_fn)(struct hcctl *h, struct json_object *o, void *arg);
int json_each(struct hcctl *h, const char *name, struct json_object *array,
	      json_element_fn take, void *arg);
static inline size_t json_length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

#endif /* _HCCTL_JSON_READ_H */
