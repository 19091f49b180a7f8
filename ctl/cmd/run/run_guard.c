// SPDX-License-Identifier: GPL-2.0
/*
 * A plan that was installed for a run is not removed by the end of the process, unlike sockets. So
 * a thread waits for signals that end the process, and removes the plan before the process ends.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

static pthread_t guard;
static sigset_t ending, waited, before;
static bool guarded;

static void *wait_for_signal(void *arg)
{
	const struct run *r = arg;
	struct hcctl own = { .complain = out_complain };
	int sig;

	sigwait(&waited, &sig);
	if (sig == SIGRTMIN)
		return NULL;
	/* This thread uses a netlink socket of its own, because the main thread may be using the
	 * other one.
	 */
	run_plans_del(&own, r);
	signal(sig, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
	raise(sig);
	_exit(128 + sig);
}

void run_guard(const struct run *r)
{
	cmd_signals_ending(&ending);
	/* The main thread sends SIGRTMIN to this thread to end it. */
	waited = ending;
	sigaddset(&waited, SIGRTMIN);
	pthread_sigmask(SIG_BLOCK, &waited, &before);
	guarded = !pthread_create(&guard, NULL, wait_for_signal, (void *)r);
}

void run_unguard(void)
{
	if (guarded) {
		pthread_kill(guard, SIGRTMIN);
		pthread_join(guard, NULL);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
