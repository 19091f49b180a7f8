// SPDX-License-Identifier: GPL-2.0
/*
 * Showing pictures repeatedly.
 *
 * On a terminal, each picture replaces the previous one, by two escape sequences. At the end, only
 * the cursor has to be restored. Signals that end or stop the process stay pending while a picture
 * is made.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "watch.h"

#define INTERVAL_NS	UINT64_C(1000000000)
#define INTERVAL_MIN	UINT64_C(10000000)

#define CURSOR_OFF	"\033[?25l"
#define CURSOR_ON	"\033[?25h"
#define FROM_THE_TOP	"\033[H\033[J"

void watch_init(const struct hcctl *h, struct watch *w)
{
	*w = (struct watch){
		.interval = INTERVAL_NS, .terminal = !h->json && isatty(STDOUT_FILENO),
	};
}

int watch_arg_interval(struct hcctl *h, const char *name, const char *word, void *dst)
{
	if (arg_time(h, name, word, dst))
		return HC_USAGE;
	if (*(uint64_t *)dst < INTERVAL_MIN || *(uint64_t *)dst > 86400 * INTERVAL_NS)
		return hc_invalid(h, name, word, "10ms to a day is wanted");
	return 0;
}

bool watch_size(const struct watch *w, uint32_t *lines, uint32_t *columns)
{
	struct winsize size;

	if (!w->terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row ||
	    !size.ws_col)
		return false;
	*lines = size.ws_row;
	*columns = size.ws_col;
	return true;
}

static void screen(struct hcctl *h, const struct watch *w, const char *sequence)
{
	if (!w->terminal)
		return;
	out_text(h, "%s", sequence);
	out_now(h);
}

/* Block the signals that end or stop the process, and set w->signals to them. Signals that are
 * ignored, as with nohup(1), are left out.
 */
static void signals_wait(struct watch *w, sigset_t *before)
{
	static const int all[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };
	struct sigaction old;
	size_t i;

	sigemptyset(&w->signals);
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!sigaction(all[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&w->signals, all[i]);
	sigprocmask(SIG_BLOCK, &w->signals, before);
}

/* Wait for the interval between two pictures. A signal that stops the process is handled here.
 * Return: true if a signal that ends the process has arrived.
 */
static bool ended(struct hcctl *h, const struct watch *w)
{
	const struct timespec wait = {
		w->interval / 1000000000, w->interval % 1000000000,
	};
	int sig;

	do
		sig = sigtimedwait(&w->signals, NULL, &wait);
	while (sig < 0 && errno == EINTR);
	if (sig == SIGTSTP) {
		screen(h, w, CURSOR_ON);
		raise(SIGSTOP);
		screen(h, w, CURSOR_OFF);
	}
	return sig > 0 && sig != SIGTSTP;
}

static int picture(struct hcctl *h, const struct watch *w, const struct watch_ops *ops, void *arg)
{
	int rc = ops->sample(h, arg);

	if (rc)
		return rc;
	screen(h, w, FROM_THE_TOP);
	return ops->picture(h, arg);
}

int watch(struct hcctl *h, struct watch *w, const struct watch_ops *ops, void *arg)
{
	uint32_t count = w->count || w->terminal ? w->count : 1, n = 0;
	sigset_t before;
	int rc;

	signals_wait(w, &before);
	rc = ops->sample(h, arg);
	if (!rc) {
		screen(h, w, CURSOR_OFF);
		while (!rc && !out_failed() && (!count || n++ < count) && !ended(h, w))
			rc = picture(h, w, ops, arg);
		screen(h, w, CURSOR_ON);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}
