// SPDX-License-Identifier: GPL-2.0
/*
 * Run COMMAND, and have the simulator count the instructions from its start to its end (vm/run
 * --count).
 *
 *   measure_command WHAT BYTES OPERATIONS COMMAND [ARG..]
 *
 * COMMAND must perform OPERATIONS operations, as many as `measure_fabric -n` performs in its own
 * process. WHAT, BYTES and OPERATIONS are only printed.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../vm/count.h"

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 5)
		errx(2, "usage: %s WHAT BYTES OPERATIONS COMMAND [ARG..]", argv[0]);
	count_begin();
	pid = vfork();
	if (!pid) {
		/* The command's output must not mix with that of the measurement. */
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		err(1, "%s", argv[4]);
	count_end();
	if (status)
		errx(1, "%s failed", argv[4]);
	printf("{\"what\":\"%s\",\"bytes\":%d,\"operations\":%d}\n", argv[1], atoi(argv[2]),
	       atoi(argv[3]));
	return 0;
}
