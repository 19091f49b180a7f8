/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading JSON that people may have written. Objects are read by tables of keys. Error messages
 * name the object, the key and what is wanted. All functions return 0, or an exit status after
 * printing an error, unless their comments state otherwise.
 */
#ifndef _HCCTL_JSON_READ_H
#define _HCCTL_JSON_READ_H

#include <json-c/json.h>

#include "hcctl.h"

/* The type of a value, and in the comments the type of its destination. */
enum json_kind {
	JSON_U32,	/* uint32_t */
	JSON_U64,	/* uint64_t */
	JSON_FLAG,	/* bool */
	JSON_TEXT,	/* const char *, valid as long as the document is */
	JSON_ARRAY,	/* struct json_object * */
	JSON_IGNORED,	/* any value; it is not stored */
};

/**
 * struct json_key - a key of an object
 * @name: the key; NULL ends a table
 * @kind: type of its value
 * @dst: where the value is stored
 * @min: least value, for a number
 * @max: greatest value, for a number
 * @required: the key must be present
 * @given: set if the key is present
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

/* Maximum nesting depth of objects. */
#define JSON_NESTING 16

/* Read and parse a whole file; "-" is standard input. An object must not have a key twice. Release
 * *@root with json_object_put().
 */
int json_file(struct hcctl *h, const char *file, struct json_object **root);
/* As json_file(), but also store the line in which each object begins, for the error messages of
 * json_each().
 */
int json_file_lines(struct hcctl *h, const char *file, struct json_object **root);
/* Parse @text, the contents of the file @file. @lines: store the line of each object, as
 * json_file_lines() does.
 */
int json_text(struct hcctl *h, const char *file, const char *text, size_t len, bool lines,
	      struct json_object **root);
/* --- json_line.c --- */
/* Check that @root, which was parsed from @text, has all keys of the text. With @set, also store in
 * each object the line in which it begins. Return: false if a key is missing, because it occurs
 * twice in its object.
 */
bool json_lines(const char *text, struct json_object *root, bool set);
/* Return: the first key that occurs twice in its object, to be freed; *@line is set to the line of
 * its second occurrence. NULL if no key does, or if the two keys are the same only after their
 * escapes are resolved.
 */
char *json_twice(const char *text, unsigned int *line);
/* Return: the line in which the object begins; 0 if lines were not stored. */
unsigned int json_line(struct json_object *o);

/* --- json_read.c --- */
/* Get a number from @min to @max. Return: false if @o is not such a number; no error is printed. */
bool json_number(struct json_object *o, uint64_t min, uint64_t max, uint64_t *v);
/* Read the object @o by a table of keys. A key that is not in the table is an error. */
int json_keys(struct hcctl *h, struct json_object *o, struct json_key *keys);
/* Read element @i of an array, which must be a number up to @max. */
int json_number_at(struct hcctl *h, struct json_object *array, size_t i, uint64_t max,
		   uint64_t *v);
/* Call a function for each element of an array. Error messages name the array by @name, and the
 * element.
 */
typedef int (*json_element_fn)(struct hcctl *h, struct json_object *o, void *arg);
int json_each(struct hcctl *h, const char *name, struct json_object *array,
	      json_element_fn take, void *arg);
static inline size_t json_length(struct json_object *array)
{
	return array ? json_object_array_length(array) : 0;
}

#endif /* _HCCTL_JSON_READ_H */
