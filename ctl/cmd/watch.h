/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pictures of something that goes on, again and again: hcctl top and hcctl balance show.
 */
#ifndef _HCCTL_WATCH_H
#define _HCCTL_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct hcctl;

/**
 * struct watch - how often
 * @interval: ns between two pictures
 * @count: how many; 0: for ever, but one where there is no terminal
 * @terminal: each picture takes the place of the one before
 * @signals: that wait while a picture is made
 */
struct watch {
	uint64_t interval;
	uint32_t count;
	bool terminal;
	sigset_t signals;
};

/**
 * struct watch_ops - of what; both return 0 or an error, which they have told
 * @sample: look, and keep what was seen before; called once more than there are pictures
 * @picture: print what the last two samples tell
 */
struct watch_ops {
	int (*sample)(struct hcctl *h, void *arg);
	int (*picture)(struct hcctl *h, void *arg);
};

/* As it is unless words say otherwise. */
void watch_init(const struct hcctl *h, struct watch *w);
/* For struct arg: watch.interval. */
int watch_arg_interval(struct hcctl *h, const char *name, const char *word, void *dst);
/* Until Ctrl-C, the last picture, or an error. */
int watch(struct hcctl *h, struct watch *w, const struct watch_ops *ops, void *arg);
/* Size of the terminal; false: there is none, or it does not say. */
bool watch_size(const struct watch *w, uint32_t *lines, uint32_t *columns);

#endif /* _HCCTL_WATCH_H */
