// SPDX-License-Identifier: GPL-2.0
/*
 * Files that are written completely or not at all. An existing file stays until the new one is
 * complete. No file is removed except temporary files that this code made.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "file.h"

#define LINKS_MAX 40
#define NAMES_MAX 100

/**
 * struct file_new - a file that is being written
 * @file: its name, as the caller has given it
 * @target: its name after all symbolic links are followed
 * @beside: its temporary name; "" if it has no temporary name
 * @f: the stream that is written
 * @as_it_is: @f writes directly to the existing file, for example because that is a device
 */
struct file_new {
	const char *file;
	char target[PATH_MAX];
	char beside[PATH_MAX];
	FILE *f;
	bool as_it_is;
};

static int cannot_write(struct hcctl *h, const char *file, int err)
{
	hc_error(h, "cannot write %s: %s", file, strerror(err));
	return HC_NO;
}

/* Write into @path the name @name in the folder of @file. */
static int beside(char *path, const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');
	int len = slash ? slash + 1 - file : 0, n;

	n = snprintf(path, PATH_MAX, "%.*s%s", len, file, name);
	return n < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int folder_of(char *path, const char *file)
{
	return beside(path, file, ".");
}

/* Return: true if the file is in /proc. A symbolic link in /proc leads to an open file, which need
 * not have a name.
 */
static bool in_proc(const char *file)
{
	char folder[PATH_MAX];
	struct statfs fs;

	return !folder_of(folder, file) && !statfs(folder, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Follow symbolic links, and store the name at their end in f->target. */
static int follow(struct file_new *f)
{
	char to[PATH_MAX], path[PATH_MAX];
	ssize_t n;
	int i, rc;

	if (strlen(f->file) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(f->target, f->file);
	for (i = 0; i < LINKS_MAX; i++) {
		n = readlink(f->target, to, sizeof(to) - 1);
		if (n < 0)
			return 0;
		f->as_it_is = in_proc(f->target);
		if (f->as_it_is)
			return 0;
		to[n] = 0;
		rc = *to == '/' ? 0 : beside(path, f->target, to);
		if (rc)
			return rc;
		strcpy(f->target, *to == '/' ? to : path);
	}
	return -ELOOP;
}

/* Open a file that has no name, in @folder. If the process ends before give_name() gives the file a
 * name, the file disappears. give_name() uses /proc, so this function fails if /proc is not
 * mounted.
 */
static int open_nameless(const char *folder)
{
	if (access("/proc/self/fd", X_OK))
		return -1;
	return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
}

static int open_beside(struct file_new *f)
{
	char folder[PATH_MAX];
	mode_t mask;
	int fd, rc = folder_of(folder, f->target);

	if (rc)
		return rc;
	fd = open_nameless(folder);
	if (fd >= 0)
		return fd;
	rc = beside(f->beside, f->target, ".hcctl-XXXXXX");
	if (rc)
		return rc;
	fd = mkostemp(f->beside, O_CLOEXEC);
	if (fd < 0) {
		*f->beside = 0;
		return -errno;
	}
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
	return fd;
}

/* Open the existing file itself for writing. When the new contents are complete, cut_off() removes
 * the rest of the old contents.
 */
static int open_as_it_is(struct file_new *f)
{
	int fd = open(f->file, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	f->as_it_is = true;
	return fd < 0 ? -errno : fd;
}

/* Open a new file with the mode and owner of the file that it replaces. If no file can be created
 * in the folder, open the existing file itself.
 */
static int open_for(struct file_new *f)
{
	struct stat st;
	bool there;
	int fd;

	there = !f->as_it_is && !stat(f->target, &st);
	if (!f->as_it_is && !there && errno != ENOENT)
		return -errno;
	if (f->as_it_is || (there && !S_ISREG(st.st_mode)))
		return open_as_it_is(f);
	if (there && faccessat(AT_FDCWD, f->target, W_OK, AT_EACCESS))
		return -errno;
	fd = open_beside(f);
	if (there && (fd == -EACCES || fd == -EPERM || fd == -EROFS))
		return open_as_it_is(f);
	if (fd >= 0 && there) {
		if (fchown(fd, st.st_uid, st.st_gid))
			errno = 0;	/* the new file keeps this process's owner */
		fchmod(fd, st.st_mode & 0777);
	}
	return fd;
}

struct file_new *file_create(struct hcctl *h, const char *file)
{
	struct file_new *f = calloc(1, sizeof(*f));
	int fd;

	if (!f) {
		hc_nomem(h);
		return NULL;
	}
	f->file = file;
	fd = follow(f);
	if (!fd)
		fd = open_for(f);
	if (fd >= 0) {
		f->f = fdopen(fd, "w");
		if (f->f)
			return f;
		close(fd);
		fd = -ENOMEM;
	}
	if (*f->beside)
		unlink(f->beside);
	cannot_write(h, file, -fd);
	free(f);
	return NULL;
}

FILE *file_stream(const struct file_new *f)
{
	return f->f;
}

/* Link the nameless file to a temporary name that no other file has. */
static int give_name(struct file_new *f)
{
	char self[32], name[64];
	unsigned int i;
	int rc;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(f->f));
	for (i = 0; i < NAMES_MAX; i++) {
		snprintf(name, sizeof(name), ".hcctl-%d-%u", getpid(), i);
		rc = beside(f->beside, f->target, name);
		if (rc)
			break;
		if (!linkat(AT_FDCWD, self, AT_FDCWD, f->beside, AT_SYMLINK_FOLLOW))
			return 0;
		rc = -errno;
		if (errno != EEXIST)
			break;
	}
	*f->beside = 0;
	return rc;
}

/* If the existing file is written directly, cut it off where the new contents end. */
static int cut_off(const struct file_new *f)
{
	struct stat st;
	off_t at;

	if (!f->as_it_is || fstat(fileno(f->f), &st) || !S_ISREG(st.st_mode))
		return 0;
	at = ftello(f->f);
	return at < 0 || ftruncate(fileno(f->f), at) ? -errno : 0;
}

/* Flush and close the file. With @keep, the new contents must be stored under a temporary name now.
 */
static int close_written(struct file_new *f, bool keep)
{
	int rc = 0;

	errno = 0;
	if (keep && (fflush(f->f) || ferror(f->f)))
		rc = errno ? -errno : -EIO;
	if (!rc && keep)
		rc = cut_off(f);
	if (!rc && keep && !f->as_it_is && !*f->beside)
		rc = give_name(f);
	errno = 0;
	if (fclose(f->f) && keep && !rc)
		rc = errno ? -errno : -EIO;
	return rc;
}

int file_finish(struct hcctl *h, struct file_new *f, bool keep)
{
	int rc = close_written(f, keep);

	if (!rc && keep && !f->as_it_is && rename(f->beside, f->target))
		rc = -errno;
	if (*f->beside && (rc || !keep))
		unlink(f->beside);
	if (rc)
		rc = cannot_write(h, f->file, -rc);
	free(f);
	return rc;
}
