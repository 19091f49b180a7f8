// SPDX-License-Identifier: GPL-2.0
/*
 * Loading libraries only when they are needed; see dlopen.h.
 */
#include <dlfcn.h>
#include <string.h>

#include "hcctl.h"
#include "dlopen.h"

void *load_library(struct hcctl *h, const struct load_library *l, const char *what, void *to)
{
	const struct load_symbol *symbol;
	const char * const *file;
	void *library = NULL, *found;

	for (file = l->files; *file && !library; file++)
		library = dlopen(*file, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		hc_error(h, "%s: cannot load %s: %s", what, l->name, dlerror());
		return NULL;
	}
	for (symbol = l->symbols; symbol->name; symbol++) {
		found = dlsym(library, symbol->name);
		if (!found) {
			hc_error(h, "%s: %s has no %s", what, l->name, symbol->name);
			dlclose(library);
			return NULL;
		}
		memcpy((char *)to + symbol->at, &found, sizeof(found));
	}
	return library;
}
