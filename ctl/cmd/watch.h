/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pictures of a live fabric, shown again and again: hcctl top and hcctl balance show.
 */
#ifndef _HCCTL_WATCH_H
#define _HCCTL_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct hcctl;

/**
 * struct watch - how often to show pictures
 * @interval: ns between two pictures
 * @count: number of pictures; 0: for ever, but one if there is no terminal
 * @terminal: each picture takes the place of the one before
 * @signals: signals that wait while a picture is made
 */
struct watch {
	uint64_t interval;
	uint32_t count;
	bool terminal;
	sigset_t signals;
};

/**
 * struct watch_ops - what is shown; both functions return 0, or an error that they have
 *	printed
 * @sample: take a sample, and keep the one before; called once more than there are pictures
 * @picture: print the difference of the last two samples
 */
struct watch_ops {
	int (*sample)(struct hcctl *h, void *arg);
	int (*picture)(struct hcctl *h, void *arg);
};

/* Set the defaults. */
void watch_init(const struct hcctl *h, struct watch *w);
/* For struct arg: read watch.interval. */
int watch_arg_interval(struct hcctl *h, const char *name, const char *word, void *dst);
/* Show pictures until Ctrl-C, the last picture, or an error. */
int watch(struct hcctl *h, struct watch *w, const struct watch_ops *ops, void *arg);
/* Get the size of the terminal. Return: false if there is no terminal, or its size is unknown. */
bool watch_size(const struct watch *w, uint32_t *lines, uint32_t *columns);

#endif /* _HCCTL_WATCH_H */
