// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trunk .. background: the process continues without a terminal. For each purpose, such as
 * listening at an address, only one process runs.
 *
 * The process holds a lock that marks it as the one for this purpose. The name of the lock contains
 * the network namespace, to which fabrics belong, and the index of the fabric. So a process that
 * still serves a removed fabric does not prevent a process for a new fabric of the same name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "trunk.h"

#define FOLDER "/run/hcctl"

static int cannot(struct hcctl *h, const char *what)
{
	int err = errno;

	hc_error(h, "cannot %s: %s", what, strerror(err));
	return -err;
}

/* Write the path of the lock file for @purpose. Characters that are not allowed in a file name are
 * replaced.
 */
static int path_of(struct hcctl *h, char *path, size_t size, const struct nl_fabric *f,
		   const char *purpose)
{
	struct stat net;
	char *c;
	int len;

	if (stat("/proc/self/ns/net", &net))
		return cannot(h, "find out which network namespace this is");
	len = snprintf(path, size, FOLDER "/trunk-%ju-%u-%s", (uintmax_t)net.st_ino, f->index,
		       purpose);
	if (len < 0 || (size_t)len >= size)
		return hc_invalid(h, "address", purpose, "it is too long");
	for (c = path + strlen(FOLDER) + 1; *c; c++)
		if (*c == '/' || *c == ' ')
			*c = '_';
	return 0;
}

int trunk_claim(struct hcctl *h, const struct nl_fabric *f, const char *purpose, bool *taken)
{
	char path[256];
	int rc = path_of(h, path, sizeof(path), f, purpose), fd;

	*taken = false;
	if (rc)
		return rc;
	if (mkdir(FOLDER, 0700) && errno != EEXIST)
		return cannot(h, "make " FOLDER);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return cannot(h, "open a file in " FOLDER);
	/* The descriptor stays open, and the file locked, until this process ends. */
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	*taken = errno == EWOULDBLOCK;
	rc = *taken ? 0 : cannot(h, "lock a file in " FOLDER);
	close(fd);
	return rc;
}

static void to_syslog(struct hcctl *h, const char *kind, const char *text)
{
	(void)h;
	syslog(*kind == 'w' ? LOG_WARNING : LOG_ERR, "%s", text);
}

int trunk_detach(struct hcctl *h)
{
	fflush(stdout);
	/* daemon() must not change the working directory, because the names of TLS files may be
	 * relative.
	 */
	if (daemon(1, 0))
		return cannot(h, "go on in the background");
	openlog("hcctl", LOG_PID, LOG_DAEMON);
	h->complain = to_syslog;
	return 0;
}
