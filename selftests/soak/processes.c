// SPDX-License-Identifier: GPL-2.0
/*
 * The processes of the nodes: the world starts, wakes and ends them, and gives them orders.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "soak.h"

void member_wake(const struct world *w, uint32_t u)
{
	uint64_t one = 1;

	if (write(w->seat[u].wake, &one, sizeof(one)) < 0)
		return; /* The eventfd's counter is full: the process has a wake-up to read. */
}

void members_wake(const struct world *w)
{
	uint32_t u;

	for (u = 0; u < w->nodes; u++)
		member_wake(w, u);
}

void world_record(struct world *w, int row, enum fate fate, uint32_t n)
{
	while (n--)
		record_fate(w, 0, row, fate);
}

void member_spawn(struct soak *s, uint32_t u)
{
	struct seat *seat = &s->w->seat[u];
	pid_t pid;

	if (!seat->wake)
		seat->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	seat->incarnation++;
	seat->takes_part = false;
	atomic_store(&seat->bound, 0);
	atomic_store(&seat->deaf, 0);
	atomic_store(&seat->computes, 0);
	atomic_store(&seat->order, ORDER_BIND);
	fflush(stdout);
	pid = fork();
	if (!pid)
		member_run(s->w, u);
	seat->pid = pid;
}

/* Kill the process of node @u. Contributions whose end it has not received count as abandoned. */
void member_kill(struct soak *s, uint32_t u)
{
	struct seat *seat = &s->w->seat[u];
	int row, i;

	seat->takes_part = false;
	kill(seat->pid, SIGKILL);
	waitpid(seat->pid, NULL, 0);
	seat->pid = 0;
	seat->stopped = false;
	s->wake_at[u] = 0;
	atomic_store(&seat->bound, 0);
	for (row = 0; row < ROWS; row++)
		world_record(s->w, row, ABANDONED,
			     (uint32_t)atomic_exchange(&seat->pending[row], 0));
	for (i = 0; i < PLANS; i++)
		atomic_store(&seat->plan[i].pending, 0);
}

/* Give @order to all running processes of @mask, and wait until they have carried it out. Return:
 * true if all have.
 */
bool members_order(struct soak *s, uint64_t mask, int order)
{
	uint64_t end = now_ms() + 10000 * s->w->wait_secs;
	uint32_t u, left;

	for (u = 0; u < s->w->nodes; u++)
		if (mask >> u & 1 && s->w->seat[u].pid) {
			atomic_store(&s->w->seat[u].order, order);
			member_wake(s->w, u);
		}
	do {
		left = 0;
		for (u = 0; u < s->w->nodes; u++)
			left += mask >> u & 1 && s->w->seat[u].pid &&
				atomic_load(&s->w->seat[u].order) != ORDER_NONE;
		if (!left)
			return true;
		usleep(1000);
	} while (now_ms() < end);
	return false;
}

void members_continue(struct soak *s)
{
	uint32_t u;

	for (u = 0; u < s->w->nodes; u++)
		if (s->w->seat[u].stopped) {
			kill(s->w->seat[u].pid, SIGCONT);
			s->w->seat[u].stopped = false;
			s->wake_at[u] = 0;
			s->calm_since = now_ms();
		}
}

/* Start the processes that are missing, and wait until these have bound their sockets. */
bool members_spawn(struct soak *s)
{
	uint64_t missing = 0;
	uint32_t u;

	for (u = 0; u < s->w->nodes; u++) {
		if (!s->w->seat[u].pid)
			member_spawn(s, u);
		if (!atomic_load(&s->w->seat[u].bound))
			missing |= 1ull << u;
	}
	return !missing || members_order(s, missing, ORDER_BIND);
}

void members_end(struct soak *s)
{
	uint32_t u;

	for (u = 0; u < s->w->nodes; u++)
		if (s->w->seat[u].pid) {
			kill(s->w->seat[u].pid, SIGKILL);
			waitpid(s->w->seat[u].pid, NULL, 0);
			s->w->seat[u].pid = 0;
		}
	for (u = 0; u < s->w->nodes; u++)
		if (s->w->seat[u].wake)
			close(s->w->seat[u].wake);
}
