/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Libraries that are loaded only when they are needed, because with all of their dependencies they
 * take longer to load than hcctl itself.
 */
#ifndef _HCCTL_DLOPEN_H
#define _HCCTL_DLOPEN_H

#include <stddef.h>

struct hcctl;

/**
 * struct load_symbol - a function of a library
 * @name: its name there
 * @at: offset in the caller's structure of the pointer to it
 */
struct load_symbol {
	const char *name;
	size_t at;
};

/**
 * struct load_library - a library
 * @name: its name in error messages
 * @files: its file names, the likeliest first, and NULL
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
 * @what: what cannot be done without it, for error messages
 * @to: structure that gets the pointers to its functions
 *
 * Return: what dlclose() takes, or NULL after printing an error.
 */
void *load_library(struct hcctl *h, const struct load_library *l, const char *what, void *to);

#endif
