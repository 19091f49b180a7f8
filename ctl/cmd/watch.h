/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pictures of a live fabric, shown repeatedly: for hcctl top and hcctl balance show.
 */
#ifndef _HCCTL_WATCH_H
#define _HCCTL_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct hcctl;

/**
 * struct watch - how often to show pictures
 * @interval: time between two pictures, ns
 * @count: number of pictures; 0: unlimited on a terminal, otherwise one
 * @terminal: the output is a terminal, so each picture replaces the previous one
 * @signals: signals that stay pending while a picture is made
 */
struct watch {
	uint64_t interval;
	uint32_t count;
	bool terminal;
	sigset_t signals;
};

/**
 * struct watch_ops - functions that make a picture; both return 0, or an error after printing it
 * @sample: takes a sample, and retains the previous one; called once more than @picture
 * @picture: prints the difference between the last two samples
 */
struct watch_ops {
	int (*sample)(struct hcctl *h, void *arg);
	int (*picture)(struct hcctl *h, void *arg);
};

/* Set the defaults of @w. */
void watch_init(const struct hcctl *h, struct watch *w);
/* For struct arg: parse the interval between two pictures into watch.interval. */
int watch_arg_interval(struct hcctl *h, const char *name, const char *word, void *dst);
/* Show pictures until Ctrl-C, until w->count pictures were shown, or until an error. */
int watch(struct hcctl *h, struct watch *w, const struct watch_ops *ops, void *arg);
/* Get the size of the terminal. Return: false if the output is not a terminal, or its size is
 * unknown.
 */
bool watch_size(const struct watch *w, uint32_t *lines, uint32_t *columns);

#endif /* _HCCTL_WATCH_H */
