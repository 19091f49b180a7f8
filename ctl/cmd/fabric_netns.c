// SPDX-License-Identifier: GPL-2.0
/*
 * A network namespace for each endpoint of a fabric. The namespaces have names as ip-netns(8) makes
 * them.
 *
 * Each namespace carries a mark that names its fabric, from the time when its name is created.
 * Before the namespace is mounted on the file of that name, the mark is the contents of the file.
 * After that, the mark is the alias of the namespace's loopback interface. So the namespaces of a
 * fabric can be found whatever happens to them, to the fabric, or to the process that made them,
 * and no other namespaces are changed.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

#define NETNS_DIR	"/var/run/netns"
#define MARK		"hcctl netns-each: "
#define PATH_SIZE	256
#define PREFIX_MAX	100
#define NAME_SIZE	(PREFIX_MAX + 12)
/* Memory that must stay available, in KiB; on a small machine, an eighth of all memory instead. It
 * is needed when the endpoints come up, because each of them floods frames.
 */
#define MEMORY_FLOOR	(256 << 10)
/* Size of a mark without the node's number, which follows it. */
#define MARK_SIZE	80
/* This number of namespaces is made without a check of the available memory. */
#define NETNS_FEW	32

/* --- arguments --- */

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

/* Compute the address that is @n above @base. Return: false if that address is outside of the
 * network, or is its IPv4 broadcast address.
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

int cmd_check_address(struct hcctl *h, const struct nl_addr_in *base, uint32_t nodes)
{
	struct nl_addr_in a;

	if (!base->family || addr_of(base, nodes, &a))
		return 0;
	hc_error(h, "the network has not enough addresses for %u nodes", nodes);
	return HC_USAGE;
}

/* --- namespaces --- */

int cmd_netns_go(struct hcctl *h, int fd, const char *where)
{
	if (!setns(fd, CLONE_NEWNET))
		return 0;
	hc_error(h, "cannot enter network namespace %s: %s", where, strerror(errno));
	return -EPERM;
}

int cmd_netns_home(struct hcctl *h)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		hc_error(h, "cannot open the own network namespace: %s", strerror(errno));
	return fd;
}

/* Make the folder of namespace names, as a shared mount like that of ip-netns(8), so that other
 * mount namespaces see the names.
 */
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

void cmd_netns_remove(const char *name)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	umount2(path, MNT_DETACH);
	unlink(path);
}

/* Write the mark of @fabric into @mark. The mark includes the inode of the namespace @home, in
 * which the fabric is, because fabrics in several namespaces may have the same name.
 */
static int mark_fill(char *mark, int home, const char *fabric)
{
	struct stat st;

	if (fstat(home, &st))
		return -errno;
	snprintf(mark, MARK_SIZE, MARK "%" PRIu64 " %s ", (uint64_t)st.st_ino, fabric);
	return 0;
}

/* Create the file @path, which must not exist yet, with the contents @mark. The file never exists
 * without its contents.
 */
static int name_take(const char *path, const char *mark)
{
	int fd = open(NETNS_DIR, O_TMPFILE | O_RDWR | O_CLOEXEC, 0444), rc = 0;
	char self[32];

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (write(fd, mark, strlen(mark)) != (ssize_t)strlen(mark))
		rc = -EIO;
	else if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		rc = -errno;
	close(fd);
	return rc;
}

/* A fabric for whose endpoints namespaces are made. */
struct making {
	const char *fabric;
	const char *prefix;		/* the beginning of the namespaces' names */
	const struct nl_addr_in *base;	/* the address before that of the first endpoint; family 0:
					 * none
					 */
	const struct nl_fabric_new *made;	/* parameters of the fabric */
	int home;			/* descriptor of the namespace in which the fabric is */
	char mark[MARK_SIZE];		/* mark of the namespaces, without a node's number */
};

/* Return: the number of the node that has the index @i among the nodes on this machine. */
static uint32_t node_at(const struct making *k, uint32_t i)
{
	uint32_t d, u = k->made->base;

	if (k->made->topo)
		return i;
	for (d = 0; d < k->made->dim; d++)
		if (!(k->made->fixed & hc_bit(d))) {
			u |= i & 1 ? hc_bit(d) : 0;
			i >>= 1;
		}
	return u;
}

static void name_fill(char *name, const struct making *k, uint32_t u)
{
	snprintf(name, NAME_SIZE, "%s%u", k->prefix, u);
}

/* Make a namespace with the name @name for node @u. Return: its descriptor, or a negative errno
 * after printing an error.
 */
static int netns_make(struct hcctl *h, const struct making *k, const char *name, uint32_t u)
{
	char path[PATH_SIZE], mark[MARK_SIZE + 12];
	int fd, rc;

	snprintf(path, sizeof(path), NETNS_DIR "/%s", name);
	snprintf(mark, sizeof(mark), "%s%u", k->mark, u);
	rc = name_take(path, mark);
	if (rc) {
		hc_error(h, "cannot make network namespace \"%s\": %s", name, strerror(-rc));
		return rc;
	}
	rc = unshare(CLONE_NEWNET) ? -errno : nl_dev_mark(h, mark);
	if (!rc && mount("/proc/self/ns/net", path, "none", MS_BIND, NULL))
		rc = -errno;
	if (rc)
		hc_error(h, "cannot make network namespace \"%s\": %s", name, strerror(-rc));
	if (cmd_netns_go(h, k->home, "this process came from"))
		rc = -EPERM;
	fd = rc ? -EPERM : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		cmd_netns_remove(name);
	return fd;
}

/* Make a namespace for the endpoint of node @u, move the endpoint to it, and bring the endpoint up.
 */
static int endpoint_move(struct hcctl *h, const struct making *k, uint32_t u)
{
	char name[NAME_SIZE], ifname[32];
	struct nl_addr_in addr;
	int fd, rc;

	name_fill(name, k, u);
	fd = netns_make(h, k, name, u);
	if (fd < 0)
		return fd;
	rc = nl_node_netns(h, k->fabric, u, fd, 0) ?: cmd_netns_go(h, fd, name);
	if (!rc) {
		snprintf(ifname, sizeof(ifname), "%sn%u", k->fabric, u);
		addr_of(k->base, u + 1, &addr);
		rc = nl_dev_start(h, ifname, k->base->family ? &addr : NULL);
		rc = cmd_netns_go(h, k->home, "this process came from") ?: rc;
	}
	close(fd);
	if (rc)
		cmd_netns_remove(name);
	return rc;
}

/* Check that enough memory is available. If memory ran out, the kernel would kill processes. One of
 * them might be this process, which could not remove the namespaces any more.
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
	hc_error(h, "no memory for %u network namespaces: after %u of them %" PRIu64
		 " of %" PRIu64 " MiB are left", all, made, left >> 10, total >> 10);
	return -ENOMEM;
}

/* --- signals that would end the process stay pending until all is made, or removed --- */

static int interrupted(struct hcctl *h, uint32_t made, uint32_t all)
{
	int sig = cmd_signals_came();

	if (!sig)
		return 0;
	hc_error(h, "%s: %u of %u network namespaces were made; they and the fabric are removed",
		 strsignal(sig), made, all);
	return -EINTR;
}

/* Remove the fabric, and the first @made namespaces that were made for it. */
static void unmake(struct hcctl *h, const struct making *k, uint32_t made)
{
	char name[NAME_SIZE];
	sigset_t ending, before;

	cmd_signals_ending(&ending);
	sigprocmask(SIG_BLOCK, &ending, &before);
	nl_fabric_del(h, k->fabric);
	while (made--) {
		name_fill(name, k, node_at(k, made));
		cmd_netns_remove(name);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static int make_all(struct hcctl *h, const struct making *k, uint32_t nodes)
{
	uint32_t made = 0;
	int rc = 0;

	while (!rc && made < nodes) {
		rc = made < NETNS_FEW ? 0 : room_left(h, made, nodes);
		rc = rc ?: interrupted(h, made, nodes);
		rc = rc ?: endpoint_move(h, k, node_at(k, made));
		made += !rc;
	}
	rc = rc ?: interrupted(h, made, nodes);
	if (rc)
		unmake(h, k, made);
	return rc;
}

int cmd_netns_fabric(struct hcctl *h, const struct netns_fabric *f)
{
	const struct nl_fabric_new *n = &f->fabric;
	struct making k = {
		.fabric = n->name, .prefix = f->prefix, .base = f->base, .made = n,
	};
	int rc;

	k.home = cmd_netns_home(h);
	if (k.home < 0)
		return -EIO;
	rc = dir_make(h) ?: mark_fill(k.mark, k.home, n->name);
	if (!rc) {
		cmd_signals_hold();
		rc = nl_fabric_add(h, n) ?:
			make_all(h, &k, nl_new_nodes(n) >> hc_weight32(n->fixed));
		cmd_signals_release();
	}
	close(k.home);
	return rc;
}

/* --- namespaces that belong to a fabric --- */

/* Enter a namespace and read its mark. If that fails because the namespace is not mounted yet, read
 * the mark from the file of its name.
 */
static bool mark_read(struct hcctl *h, int fd, int home, char *mark)
{
	bool found = false;
	ssize_t n;

	memset(mark, 0, PATH_SIZE);
	if (!setns(fd, CLONE_NEWNET)) {
		found = nl_dev_alias(h, "lo", mark, PATH_SIZE);
		return !cmd_netns_go(h, home, "this process came from") && found;
	}
	n = pread(fd, mark, PATH_SIZE - 1, 0);
	return n > 0;
}

/* Return: true if the user has moved the endpoint of node @node from namespace @fd to another one.
 * In this case namespace @fd belongs to the user.
 */
static bool moved_on(struct hcctl *h, const struct nl_node *v, size_t n, uint32_t node, int fd)
{
	return node < n && v[node].elsewhere && v[node].netnsid != nl_netns_id(h, fd);
}

/* Return: true if namespace @name has the mark @wanted and is to be removed with the fabric. @v:
 * the nodes of the fabric.
 */
static bool goes_along(struct hcctl *h, const char *name, const char *wanted,
		       const struct nl_node *v, size_t n, int home)
{
	char path[PATH_SIZE], mark[PATH_SIZE];
	bool found = false;
	uint64_t node;
	int fd;

	fd = nl_netns_open(name, path, sizeof(path));
	if (fd < 0)
		return false;
	if (mark_read(h, fd, home, mark) && !strncmp(mark, wanted, strlen(wanted)) &&
	    !hc_number(mark + strlen(wanted), UINT32_MAX, &node))
		found = !moved_on(h, v, n, node, fd);
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

/* Get the nodes of a fabric. If there is no such fabric, there are none, and no error is printed.
 */
static int nodes_of(struct hcctl *h, const char *fabric, struct nl_node **v, size_t *n)
{
	struct nl_fabric *all;
	size_t nfabrics, i;
	int rc = nl_fabrics(h, &all, &nfabrics);

	*v = NULL;
	*n = 0;
	if (rc)
		return rc;
	for (i = 0; i < nfabrics; i++)
		if (!strcmp(all[i].name, fabric))
			rc = nl_nodes(h, fabric, v, n);
	free(all);
	return rc;
}

int cmd_netns_of(struct hcctl *h, const char *fabric, struct netns_names *names)
{
	struct nl_node *v = NULL;
	struct dirent *entry;
	char mark[MARK_SIZE];
	int home, rc = 0;
	size_t n = 0;
	DIR *dir;

	dir = opendir(NETNS_DIR);
	if (!dir)
		return 0;
	home = cmd_netns_home(h);
	rc = home < 0 ? -EIO : mark_fill(mark, home, fabric);
	rc = rc ?: nodes_of(h, fabric, &v, &n);
	names->orphans = !n;
	while (!rc && (entry = readdir(dir)))
		if (*entry->d_name != '.' && goes_along(h, entry->d_name, mark, v, n, home))
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
			cmd_netns_remove(names->v[i]);
		free(names->v[i]);
	}
	free(names->v);
}

int cmd_netns_make(struct hcctl *h, const char *fabric, const char *name, uint32_t node,
		   struct netns_names *made)
{
	struct making k = { .fabric = fabric };
	int fd = -1, rc;

	k.home = cmd_netns_home(h);
	if (k.home < 0)
		return -EIO;
	rc = made->n < NETNS_FEW ? 0 : room_left(h, made->n, made->n + 1);
	rc = rc ?: dir_make(h) ?: mark_fill(k.mark, k.home, fabric);
	if (!rc)
		fd = netns_make(h, &k, name, node);
	close(k.home);
	if (rc || fd < 0)
		return rc ?: fd;
	close(fd);
	rc = names_add(h, made, name);
	if (rc)
		cmd_netns_remove(name);
	return rc;
}
