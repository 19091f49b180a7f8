/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Help, see help.c, and the tables that it is made from.
 */
#ifndef _HCCTL_HELP_H
#define _HCCTL_HELP_H

#include "hcctl.h"

/**
 * struct hc_option - an option of hcctl
 * @c: the letter
 * @name: its long form; NULL ends a table
 * @value: name of the value that follows the option, or NULL
 * @what: description of the option in one line
 */
struct hc_option {
	char c;
	const char *name;
	const char *value;
	const char *what;
};

extern const struct hc_option hc_options[];

/* Return: object number @i, counted from 0; NULL if there are no more. Defined in hcctl.c. */
const struct hc_object *hc_object_at(size_t i);

int hc_help(struct hcctl *h);
int hc_help_object(struct hcctl *h, const struct hc_object *o);
int hc_help_command(struct hcctl *h, const struct hc_object *o, const struct hc_cmd *c);

#endif /* _HCCTL_HELP_H */
