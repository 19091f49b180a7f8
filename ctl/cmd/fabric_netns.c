// SPDX-License-Identifier: GPL-2.0
/*
 * A network namespace for each endpoint, named as ip-netns(8) names them.
 *
 * The alias of an endpoint's interface says that its namespace was made with the
 * fabric, and its name.  So the namespaces that go with the fabric are found in
 * the kernel, whatever has happened to them meanwhile, and no other is touched.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

#define NETNS_DIR	"/var/run/netns"
#define ALIAS		"hcctl netns-each: "
#define PATH_SIZE	256
#define PREFIX_MAX	100
#define NAME_SIZE	(PREFIX_MAX + 12)
/* In KiB: what must be left, of a small machine an eighth.  It is for the frames
 * that all endpoints flood as they come up.
 */
#define MEMORY_FLOOR	(256 << 10)
/* So few namespaces are nobody's ruin. */
#define NETNS_FEW	32

/* --- words --- */

int cmd_arg_prefix(struct hcctl *h, const char *name, const char *word, void *dst)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

	if (!*word || *word == '.' || *word == '-' || strlen(word) > PREFIX_MAX ||
	    word[strspn(word, letters)])
		return hc_invalid(h, name, word, "a prefix for names of network namespaces is wanted");
	*(const char **)dst = word;
	return 0;
}

int cmd_arg_address(struct hcctl *h, const char *name, const char *word, void *dst)
{
	static const char wanted[] = "a network such as 10.16.0.0/16 is wanted";
	const char *slash = strchr(word, '/');
	struct nl_addr_in *a = dst;
	char text[INET6_ADDRSTRLEN];
	uint64_t prefix;

	if (!slash || slash - word >= (long)sizeof(text))
		return hc_invalid(h, name, word, wanted);
	snprintf(text, sizeof(text), "%.*s", (int)(slash - word), word);
	memset(a, 0, sizeof(*a));
	a->family = strchr(text, ':') ? AF_INET6 : AF_INET;
	if (inet_pton(a->family, text, a->bytes) != 1 ||
	    hc_number(slash + 1, a->family == AF_INET ? 32 : 128, &prefix))
		return hc_invalid(h, name, word, wanted);
	a->prefix = prefix;
	return 0;
}

/* The address behind @base by @n; false if it is none of the network any more, or
 * the one that all of an IPv4 network answer.
 */
static bool addr_of(const struct nl_addr_in *base, uint32_t n, struct nl_addr_in *a)
{
	int len = base->family == AF_INET ? 4 : 16, bits = 8 * len, i;
	bool last = base->family == AF_INET;

	*a = *base;
	for (i = len - 1; i >= 0 && n; i--) {
		n += a->bytes[i];
		a->bytes[i] = n;
		n >>= 8;
	}
	for (i = 0; i < bits; i++) {
		int bit = a->bytes[i / 8] >> (7 - i % 8) & 1;

		if (i >= (int)base->prefix)
			last = last && bit;
		else if (bit != (base->bytes[i / 8] >> (7 - i % 8) & 1))
			return false;
	}
	return !n && (!last || base->prefix >= 31);
}

int cmd_check_address(struct hcctl *h, const struct nl_addr_in *base, uint32_t dim)
{
	struct nl_addr_in a;

	if (!base->family || addr_of(base, hc_nodes(dim), &a))
		return 0;
	hc_error(h, "the network has not enough addresses for %u nodes", hc_nodes(dim));
	return HC_USAGE;
}

/* --- namespaces --- */

static int go(struct hcctl *h, int fd, const char *where)
{
	if (!setns(fd, CLONE_NEWNET))
		return 0;
	hc_error(h, "cannot enter network namespace %s: %s", where, strerror(errno));
	return -EPERM;
}

static int home_open(struct hcctl *h)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		hc_error(h, "cannot open the own network namespace: %s", strerror(errno));
	return fd;
}

/* As ip-netns(8): names are seen in other mount namespaces, too. */
static int dir_make(struct hcctl *h)
{
	bool bound = false;

	mkdir(NETNS_DIR, 0755);
	while (mount("", NETNS_DIR, "none", MS_SHARED | MS_REC, NULL)) {
		if (errno != EINVAL || bound ||
		    mount(NETNS_DIR, NETNS_DIR, "none", MS_BIND | MS_REC, NULL)) {
			hc_error(h, "cannot make " NETNS_DIR ": %s", strerror(errno));
			return -EIO;
		}
		bound = true;
	}
	return 0;
}

static void netns_remove(const char *name)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	umount2(path, MNT_DETACH);
	unlink(path);
}

/* Returns a descriptor of the new namespace or a negative errno. */
static int netns_make(struct hcctl *h, const char *name, int home)
{
	char path[PATH_SIZE];
	int fd, rc;

	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0) {
		rc = -errno;
		hc_error(h, "cannot make network namespace \"%s\": %s", name, strerror(errno));
		return rc;
	}
	close(fd);
	rc = unshare(CLONE_NEWNET) || mount("/proc/self/ns/net", path, "none", MS_BIND, NULL);
	if (rc)
		hc_error(h, "cannot make network namespace \"%s\": %s", name, strerror(errno));
	if (go(h, home, "this process came from"))
		rc = -EPERM;
	fd = rc ? -EPERM : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		netns_remove(name);
	return fd;
}

static int endpoint_move(struct hcctl *h, const char *fabric, uint32_t u, const char *name,
			 const struct nl_addr_in *base, int home)
{
	char alias[PATH_SIZE], ifname[32];
	int fd = netns_make(h, name, home), rc;
	struct nl_addr_in addr;

	if (fd < 0)
		return fd;
	rc = nl_node_netns(h, fabric, u, fd, 0) ?: go(h, fd, name);
	if (!rc) {
		snprintf(ifname, sizeof(ifname), "%sn%u", fabric, u);
		snprintf(alias, sizeof(alias), ALIAS "%s", name);
		addr_of(base, u + 1, &addr);
		rc = nl_dev_start(h, ifname, alias, base->family ? &addr : NULL);
		rc = go(h, home, "this process came from") ?: rc;
	}
	close(fd);
	if (rc)
		netns_remove(name);
	return rc;
}

/* Where memory ends, the kernel ends processes: this one, which then cannot tidy
 * up, or others.  So stop before.
 */
static int room_left(struct hcctl *h, uint32_t made, uint32_t all)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t total = 0, left = UINT64_MAX;
	char line[128];

	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "MemTotal: %" SCNu64, &total);
		sscanf(line, "MemAvailable: %" SCNu64, &left);
	}
	if (file)
		fclose(file);
	if (left > MEMORY_FLOOR || left > total / 8)
		return 0;
	hc_error(h, "no memory for %u network namespaces: %u of them have left %" PRIu64
		 " of %" PRIu64 " MiB", all, made, left >> 10, total >> 10);
	return -ENOMEM;
}

int cmd_netns_each(struct hcctl *h, const char *fabric, uint32_t dim, const char *prefix,
		   const struct nl_addr_in *base)
{
	int home = home_open(h), rc;
	char name[NAME_SIZE];
	uint32_t made = 0;

	if (home < 0)
		return -EIO;
	rc = dir_make(h);
	while (!rc && made < hc_nodes(dim)) {
		snprintf(name, sizeof(name), "%s%u", prefix, made);
		rc = made < NETNS_FEW ? 0 : room_left(h, made, hc_nodes(dim));
		rc = rc ?: endpoint_move(h, fabric, made, name, base, home);
		made += !rc;
	}
	if (rc) {
		nl_fabric_del(h, fabric);
		while (made--) {
			snprintf(name, sizeof(name), "%s%u", prefix, made);
			netns_remove(name);
		}
	}
	close(home);
	return rc;
}

/* --- those that go with a fabric --- */

static const char *endpoint_there(const struct nl_node *v, size_t n, int id)
{
	size_t i;

	for (i = 0; i < n && id >= 0; i++)
		if (v[i].elsewhere && v[i].netnsid == id)
			return v[i].ifname;
	return NULL;
}

static bool goes_along(struct hcctl *h, const char *name, const struct nl_node *v, size_t n,
		       int home)
{
	char path[PATH_SIZE], alias[PATH_SIZE] = "";
	const char *ifname;
	bool found = false;
	int fd;

	fd = nl_netns_open(name, path, sizeof(path));
	if (fd < 0)
		return false;
	ifname = endpoint_there(v, n, nl_netns_id(h, fd));
	if (ifname && !go(h, fd, name)) {
		found = nl_dev_alias(h, ifname, alias, sizeof(alias)) &&
			!strncmp(alias, ALIAS, strlen(ALIAS)) &&
			!strcmp(alias + strlen(ALIAS), name);
		found = !go(h, home, "this process came from") && found;
	}
	close(fd);
	return found;
}

static int names_add(struct hcctl *h, struct netns_names *names, const char *name)
{
	char **v = reallocarray(names->v, names->n + 1, sizeof(*v));

	if (!v)
		return hc_nomem(h);
	names->v = v;
	v[names->n] = strdup(name);
	if (!v[names->n])
		return hc_nomem(h);
	names->n++;
	return 0;
}

int cmd_netns_of(struct hcctl *h, const char *fabric, struct netns_names *names)
{
	struct nl_node *v = NULL;
	struct dirent *entry;
	int home, rc = 0;
	size_t n = 0;
	DIR *dir;

	dir = opendir(NETNS_DIR);
	if (!dir)
		return 0;
	home = home_open(h);
	if (home < 0)
		rc = -EIO;
	rc = rc ?: nl_nodes(h, fabric, &v, &n);
	while (!rc && (entry = readdir(dir)))
		if (*entry->d_name != '.' && goes_along(h, entry->d_name, v, n, home))
			rc = names_add(h, names, entry->d_name);
	free(v);
	if (home >= 0)
		close(home);
	closedir(dir);
	return rc;
}

void cmd_netns_drop(struct netns_names *names, bool remove)
{
	size_t i;

	for (i = 0; i < names->n; i++) {
		if (remove)
			netns_remove(names->v[i]);
		free(names->v[i]);
	}
	free(names->v);
}
