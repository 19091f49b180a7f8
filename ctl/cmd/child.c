// SPDX-License-Identifier: GPL-2.0
/*
 * A program that a command starts and waits for.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

/* Execute the program, in the child process. @said is the writing end of a pipe. A successful exec
 * closes it; otherwise the errno is written to it.
 */
static void become(char **argv, int said, const sigset_t *mask)
{
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(*argv, argv);
	if (write(said, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

pid_t cmd_child_start(char **argv, const sigset_t *mask)
{
	int said[2], err;
	ssize_t n;
	pid_t pid;

	if (pipe2(said, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		become(argv, said[1], mask);
	err = pid < 0 ? errno : 0;
	close(said[1]);
	do
		n = read(said[0], &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(said[0]);
	if (err && pid > 0)
		waitpid(pid, NULL, 0);
	return err ? -err : pid;
}

int cmd_child_wait(pid_t pid, const sigset_t *signals)
{
	sigset_t all = *signals;
	siginfo_t info;
	int status = 0, sig;
	pid_t ended;

	sigaddset(&all, SIGCHLD);
	while (!(ended = waitpid(pid, &status, WNOHANG))) {
		sig = sigwaitinfo(&all, &info);
		/* A signal from the terminal reaches the program, too. A signal that another
		 * process has sent to this one does not: forward it.
		 */
		if (sig > 0 && sig != SIGCHLD && info.si_code <= 0)
			kill(pid, sig);
	}
	return ended == pid ? status : 0;
}
