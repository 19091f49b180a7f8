/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loading libraries only when they are needed. These libraries, with all of their dependencies,
 * take longer to load than hcctl itself.
 */
#ifndef _HCCTL_DLOPEN_H
#define _HCCTL_DLOPEN_H

#include <stddef.h>

struct hcctl;

/**
 * struct load_symbol - a function of a library
 * @name: the name of the function in the library
 * @at: offset, in the caller's structure, of the pointer to the function
 */
struct load_symbol {
	const char *name;
	size_t at;
};

/**
 * struct load_library - a library
 * @name: its name in error messages
 * @files: possible file names of the library, the likeliest first; NULL ends them
 * @symbols: the functions to look up; an entry without a name ends the table
 */
struct load_library {
	const char *name;
	const char * const *files;
	const struct load_symbol *symbols;
};

/**
 * load_library() - load a library
 * @h: context
 * @l: the library
 * @what: the task that needs the library, for error messages
 * @to: the caller's structure, which gets the pointers to the functions
 *
 * Return: the handle for dlclose(), or NULL after printing an error.
 */
void *load_library(struct hcctl *h, const struct load_library *l, const char *what, void *to);

#endif
