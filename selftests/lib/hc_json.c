// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the values that a path selects from the JSON text on standard input, one per line.
 *
 *	hc_json PATH [DEFAULT]		PATH is for example .[0].state[1], .links[].node or
 *					.drops["no-node"]; DEFAULT is printed instead of null
 *	hc_json 'PATH | length'		prints the number of members of the value; 'length': of the
 *					whole input
 *	hc_json '[PATH, PATH..]'	prints an array of the values; 'map(PATH)': an array of the
 *					values that PATH selects from each member of the input
 *
 * A path means the same as in jq -rc. The scripts do not use jq because in an emulated machine it
 * takes as long to start as twenty small programs.
 */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *null_text = "null";
/* @take: the function that is called with each value that a path selects. @list: the array to which
 * collect(), one of these functions, appends.
 */
static int (*take)(struct json_object *value);
static struct json_object *list;

static int walk(struct json_object *value, const char *path);

static int bad(const char *what, const char *path)
{
	fprintf(stderr, "hc_json: %s at \"%s\"\n", what, path);
	return 5;
}

static int print(struct json_object *value)
{
	if (!value)
		puts(null_text);
	else if (json_object_is_type(value, json_type_string))
		puts(json_object_get_string(value));
	else
		puts(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN |
						    JSON_C_TO_STRING_NOSLASHESCAPE));
	return 0;
}

static int print_length(struct json_object *value)
{
	size_t n = 0;

	if (json_object_is_type(value, json_type_array))
		n = json_object_array_length(value);
	else if (json_object_is_type(value, json_type_object))
		n = json_object_object_length(value);
	else if (value)
		return bad("no members", "length");
	printf("%zu\n", n);
	return 0;
}

static int collect(struct json_object *value)
{
	return json_object_array_add(list, json_object_get(value));
}

/* Follow @path, the rest of a path after "[": an index, or nothing for all members of the array. */
static int walk_array(struct json_object *array, const char *path)
{
	char *end;
	size_t i = strtoul(path, &end, 10);
	int status = 0;

	if (*end != ']')
		return bad("no path", path);
	if (array && !json_object_is_type(array, json_type_array))
		return bad("no array", path);
	if (end != path)
		return walk(array ? json_object_array_get_idx(array, i) : NULL, end + 1);
	if (!array)
		return bad("no array", path);
	for (i = 0; !status && i < json_object_array_length(array); i++)
		status = walk(json_object_array_get_idx(array, i), end + 1);
	return status;
}

/* Select the member of @object whose name is the first @len bytes of @path, and follow the rest of
 * the path, @behind.
 */
static int walk_object(struct json_object *object, const char *path, size_t len, const char *behind)
{
	struct json_object *value = NULL;
	char name[64];

	if (!len || len >= sizeof(name))
		return bad("no path", path);
	if (object && !json_object_is_type(object, json_type_object))
		return bad("no object", path);
	memcpy(name, path, len);
	name[len] = '\0';
	json_object_object_get_ex(object, name, &value);
	return walk(value, behind);
}

static int walk(struct json_object *value, const char *path)
{
	size_t len;

	if (!*path)
		return take(value);
	if (*path == '.' && path[1] == '[')
		path++;
	if (*path == '[' && path[1] == '"') {
		path += 2;
		len = strcspn(path, "\"");
		return strncmp(path + len, "\"]", 2) ? bad("no path", path) :
			walk_object(value, path, len, path + len + 2);
	}
	if (*path == '[')
		return walk_array(value, path + 1);
	if (*path++ != '.')
		return bad("no path", path - 1);
	len = strcspn(path, ".[");
	return walk_object(value, path, len, path + len);
}

/* If the filter begins with @begin and ends with @end, remove both, so that the path between them
 * remains. Return: true if this was done.
 */
static bool between(char *filter, const char *begin, const char *end)
{
	size_t len = strlen(filter), first = strlen(begin), last = strlen(end);

	if (len < first + last || strncmp(filter, begin, first) || strcmp(filter + len - last, end))
		return false;
	filter[len - last] = '\0';
	memmove(filter, filter + first, len - last - first + 1);
	return true;
}

/* Follow each of several paths, which are separated by commas, from @value. */
static int walk_all(struct json_object *value, char *paths)
{
	char *path;
	int status = 0;

	while (!status && (path = strsep(&paths, ",")))
		status = walk(value, path + (*path == ' '));
	return status;
}

static int filtered(struct json_object *value, char *filter)
{
	char path[256] = "";
	int status;

	take = print;
	if (between(filter, "", " | length") || between(filter, "length", "")) {
		take = print_length;
	} else if (between(filter, "map(", ")")) {
		take = collect;
		strcpy(path, "[]");
	} else if (between(filter, "[.", "]")) {
		take = collect;
		strcpy(path, ".");
	}
	if (strlen(path) + strlen(filter) >= sizeof(path))
		return bad("too long", filter);
	if (strcmp(filter, "."))
		strncat(path, filter, sizeof(path) - strlen(path) - 1);
	if (take != collect)
		return walk(value, path);
	list = json_object_new_array();
	status = walk_all(value, path) ?: print(list);
	json_object_put(list);
	return status;
}

int main(int argc, char **argv)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *value = NULL;
	char text[1 << 16];
	bool begun = false;
	int status = 0;
	ssize_t n;

	if (argc < 2 || argc > 3 || !tokener)
		return 2;
	if (argc == 3)
		null_text = argv[2];
	while (!value && (n = read(STDIN_FILENO, text, sizeof(text))) > 0) {
		begun = true;
		value = json_tokener_parse_ex(tokener, text, n);
		if (!value && json_tokener_get_error(tokener) != json_tokener_continue)
			return bad("no JSON", argv[1]);
	}
	if (value)
		status = filtered(value, argv[1]);
	else if (begun)
		status = bad("no end of the JSON", argv[1]);
	json_object_put(value);
	json_tokener_free(tokener);
	return status;
}
