// SPDX-License-Identifier: GPL-2.0
/*
 * Forks the processes of a measurement that no launcher such as mpirun starts.
 */
#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

int measure_fork(const struct config *c,
		 void (*process)(const struct config *c, struct shared *s, unsigned int rank,
				 void *arg), void *arg)
{
	struct shared *s = c->here < c->procs ? NULL :
			   mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int i;
	int status;

	if (s == MAP_FAILED)
		err(1, "memory");
	for (i = c->first; i < c->first + c->here; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			process(c, s, i, arg);
			exit(0);
		}
	}
	/* If a process has failed, kill the others, which would wait for it in the barrier for
	 * ever.
	 */
	for (i = 0; i < c->here; i++) {
		if (wait(&status) < 0 || status) {
			signal(SIGTERM, SIG_IGN);
			kill(0, SIGTERM);
			return 1;
		}
	}
	return 0;
}
