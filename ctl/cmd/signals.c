// SPDX-License-Identifier: GPL-2.0
/*
 * Signals that end a process. Commands that would leave something behind defer these signals.
 */
#include <signal.h>

#include "cmd.h"

/* The signals that end a process by default. Signals that cannot be caught, and signals that report
 * errors in this program, are left out.
 */
static const int ending[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ,
};

#define N_ENDING (sizeof(ending) / sizeof(*ending))

static volatile sig_atomic_t caught;
static struct sigaction held[N_ENDING];

void cmd_signals_ending(sigset_t *set)
{
	struct sigaction now;
	unsigned int i;

	sigemptyset(set);
	for (i = 0; i < N_ENDING; i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(set, ending[i]);
}

static void on_signal(int sig)
{
	caught = sig;
}

void cmd_signals_hold(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	unsigned int i;

	caught = 0;
	for (i = 0; i < N_ENDING; i++) {
		sigaction(ending[i], NULL, &held[i]);
		if (held[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &act, NULL);
	}
}

int cmd_signals_came(void)
{
	return caught;
}

void cmd_signals_release(void)
{
	unsigned int i;

	for (i = 0; i < N_ENDING; i++)
		sigaction(ending[i], &held[i], NULL);
	if (caught)
		raise(caught);
}
