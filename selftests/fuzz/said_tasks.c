// SPDX-License-Identifier: GPL-2.0
/* Injects single frames of task migrations and replicas. */
#include <arpa/inet.h>
#include <endian.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "said.h"
#include "task_calls.h"

#define WAIT_MS	20000

/* Make a segment of a task of 9 bytes that migrates from node 6 to node 7: the @len bytes from
 * offset @at on. @move: number of the migration.
 */
static struct hc_wire_task *segment(struct frame *f, uint64_t move, unsigned int at,
				    unsigned int len)
{
	struct hc_wire_task *w = part_begin(f, 7, 0, HC_FRAME_TASK, 0);

	*w = (struct hc_wire_task){
		.move = htobe64(move), .nr = htobe64(3), .offset = htonl(at), .total = htonl(9),
		.origin = htons(1), .what = HC_TASK_F_DATA,
	};
	if (len)
		frame_put(f, "123456789", len);
	return w;
}

bool task_is_whole(void)
{
#define AT(field) offsetof(struct hc_wire_task, field)
	static const struct { unsigned char at, says; } wrong[] = {
		{ AT(total), 1 }, { AT(total) + 3, 8 }, { AT(total) + 3, 10 }, { AT(total) + 3, 0 },
		{ AT(offset), 255 }, { AT(offset) + 3, 1 }, { AT(offset) + 3, 9 },
		{ AT(offset) + 3, 10 }, { AT(origin) + 1, 8 }, { AT(origin), 255 },
		{ AT(nr) + 7, 0 }, { AT(flags), 4 }, { AT(flags), 128 }, { AT(what), 0 },
		{ AT(what), HC_TASK_F_TAKEN }, { AT(what), HC_TASK_F_ASK },
		{ AT(what), __HC_TASK_F_END }, { AT(what), 255 },
	};
#undef AT
	struct task_view v;
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		((unsigned char *)segment(&f, 1, 0, 9))[wrong[i].at] = wrong[i].says;
		if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1)) {
			fz_note("row %u", i);
			return false;
		}
	}
	/* Routed TASK frames may only carry control messages, and only from a neighbour. */
	segment(&f, 1, 0, 9);
	routed(&f, 6, 7, (const unsigned char[]){ 0 }, 1);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1))
		return false;
	segment(&f, 1, 0, 0)->what = HC_TASK_F_ASK;
	routed(&f, 4, 7, (const unsigned char[]){ 1, 0 }, 2);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_FOREIGN, 1))
		return false;
	return !task_view(said.c.name, 7, &v) && !v.queued && !v.bytes && live_dgrams(&said.c);
}

/* Wait until node 7 has received @n tasks. Return: true if it has received exactly @n. */
static bool received(uint64_t n)
{
	uint64_t end = fz_ms() + WAIT_MS;
	struct task_view v = { 0 };

	while (v.received < n && fz_ms() < end)
		task_view(said.c.name, 7, &v);
	return v.received == n && v.queued == n;
}

/* Node 7 must accept a task only once: neither a duplicate, nor a task with an earlier number, nor
 * a task for which a probe has arrived before. It must drop answers to probes that it has not sent.
 */
bool task_is_once(void)
{
	struct hc_wire_task *w;
	struct frame f;
	bool ok;

	segment(&f, 10, 0, 9);
	ok = !say(&f) && received(1) && !say(&f) && !say(&f);
	segment(&f, 9, 0, 9);
	ok = ok && !say(&f);
	segment(&f, 12, 0, 0)->what = HC_TASK_F_ASK;
	ok = ok && !say(&f);
	segment(&f, 12, 0, 9);
	ok = ok && !say(&f);
	/* A routed probe must not advance the number of the next migration that node 7 expects. */
	segment(&f, 12 + 2000, 0, 0)->what = HC_TASK_F_ASK;
	routed(&f, 6, 7, (const unsigned char[]){ 0 }, 1);
	ok = ok && !say(&f);
	/* Node 7 does not accept a frame with one of its own earlier boot ids. Its answer to a
	 * probe with such a boot id does not determine what becomes of the task.
	 */
	segment(&f, 13, 0, 9)->life = htonl(1);
	ok = ok && !say(&f);
	w = segment(&f, 13, 0, 0);
	w->what = HC_TASK_F_ASK;
	w->life = htonl(1);
	ok = ok && !say(&f);
	segment(&f, 13, 0, 9);
	ok = ok && !say(&f) && received(2);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_TAKEN;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 1);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_NOT;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 2);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_UNKNOWN;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 3);
	return ok && received(2) && live_dgrams(&said.c);
}

/* --- replicas --- */

#define COPIED (HYPERCUBE_TASK_IDEMPOTENT | HYPERCUBE_TASK_REPLICATED)

/* Make a replica of @len bytes with this number, which node 6 sends to node 7. */
static struct hc_wire_task *copy(struct frame *f, uint64_t number, unsigned int len)
{
	struct hc_wire_task *w = segment(f, number, 0, len);

	w->what = HC_TASK_F_COPY;
	w->flags = COPIED;
	return w;
}

/* Make a DROP that the neighbour of node 7 along @dim sends: the replica with this number is no
 * longer needed.
 */
static struct hc_wire_task *drop(struct frame *f, unsigned int dim, uint64_t number)
{
	struct hc_wire_task *w = part_begin(f, 7, dim, HC_FRAME_TASK, 0);
	uint64_t says = htobe64(number);

	*w = (struct hc_wire_task){ .move = htobe64(77), .what = HC_TASK_F_DROP };
	frame_put(f, &says, sizeof(says));
	return w;
}

/* Announce to node 7 that its neighbour along @dim has failed. The tasks of the replicas that this
 * neighbour has sent, up to number @sent, are lost, so node 7 must execute these replicas.
 */
static void lost(struct frame *f, unsigned int dim, uint64_t sent, uint32_t known)
{
	const struct hc_wire_task_lost says = {
		.sent = htobe64(sent), .gave = htobe64(99), .taken = htobe64(99),
		.kept = htobe64(99), .known = htonl(known),
	};
	struct hc_wire_task *w = part_begin(f, 7, dim, HC_FRAME_TASK, 0);

	*w = (struct hc_wire_task){ .move = htobe64(78), .what = HC_TASK_F_LOST };
	frame_put(f, &says, sizeof(says));
}

/* Send a frame to node 7. Return: true if node 7 then has counted @n malformed frames. */
static bool malformed(const struct frame *f, unsigned int n)
{
	return !say(f) && link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, n);
}

bool copy_is_whole(void)
{
	static const unsigned char flags[] = {
		0, 1, 4, HC_TASK_KEEPS, COPIED | HC_TASK_KEEPS, COPIED | 8,
	};
	static const unsigned char from_6[] = { 0 };
	unsigned int i, n = 0;
	struct task_view v;
	struct frame f;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		copy(&f, 1, 9)->flags = flags[i];
		ok = ok && malformed(&f, ++n);
	}
	segment(&f, 1, 0, 9)->flags = HC_TASK_KEEPS | HYPERCUBE_TASK_IDEMPOTENT;
	ok = ok && malformed(&f, ++n);
	copy(&f, 1, 8);
	ok = ok && malformed(&f, ++n);
	copy(&f, 1, 9);
	routed(&f, 6, 7, from_6, 1);
	ok = ok && malformed(&f, ++n);
	segment(&f, 1, 0, 0)->what = HC_TASK_F_DROP;
	ok = ok && malformed(&f, ++n);
	segment(&f, 1, 0, 9)->what = HC_TASK_F_DROP;
	ok = ok && malformed(&f, ++n);
	drop(&f, 0, 1)->flags = 1;
	ok = ok && malformed(&f, ++n);
	drop(&f, 0, 1);
	for (i = 0; i < HC_TASK_DROPS; i++)
		frame_put(&f, "12345678", 8);
	ok = ok && malformed(&f, ++n);
	segment(&f, 1, 0, 9)->what = HC_TASK_F_LOST;
	ok = ok && malformed(&f, ++n);
	lost(&f, 0, 1, ~0u);
	routed(&f, 6, 7, from_6, 1);
	ok = ok && malformed(&f, ++n);
	return ok && !task_view(said.c.name, 7, &v) && !v.queued && !v.kept && !v.bytes &&
	       live_dgrams(&said.c);
}

/* Return: true if node 7 soon holds @n replicas and has recovered @recovered tasks. */
static bool kept(uint64_t n, uint64_t recovered)
{
	uint64_t end = fz_ms() + WAIT_MS;
	struct task_view v = { 0 };

	do {
		task_view(said.c.name, 7, &v);
	} while ((v.kept != n || v.recovered != recovered) && fz_ms() < end);
	return v.kept == n && v.recovered == recovered && v.queued == recovered;
}

bool copy_is_kept_for_one(void)
{
	struct frame f;
	bool ok;

	copy(&f, 10, 9);
	ok = !say(&f) && !say(&f) && kept(1, 0);
	/* Neither another neighbour nor a remote node that does not know the number of a replica
	 * may drop the replica.
	 */
	drop(&f, 1, 10);
	ok = ok && !say(&f);
	lost(&f, 1, 10, ~0u);
	ok = ok && !say(&f);
	drop(&f, 0, 11)->nr = htobe64(1000);
	routed(&f, 6, 7, (const unsigned char[]){ 0 }, 1);
	ok = ok && !say(&f) && live_dgrams(&said.c) && kept(1, 0);
	/* Node 7 does not store a replica whose DROP has arrived before it. */
	copy(&f, 11, 9);
	ok = ok && !say(&f);
	copy(&f, 12, 9);
	ok = ok && !say(&f) && kept(2, 0);
	drop(&f, 0, 10);
	ok = ok && !say(&f) && kept(1, 0);
	copy(&f, 10, 9);
	ok = ok && !say(&f) && live_dgrams(&said.c) && kept(1, 0);
	lost(&f, 0, 11, ~HC_TASK_LOST_SENT);
	ok = ok && !say(&f) && kept(1, 0);
	lost(&f, 0, 11, HC_TASK_LOST_SENT);
	ok = ok && !say(&f) && kept(1, 0);
	lost(&f, 0, 12, HC_TASK_LOST_SENT);
	ok = ok && !say(&f) && kept(0, 1) && !say(&f) && live_dgrams(&said.c) && kept(0, 1);
	/* Node 7 does not wait for either of these answers, so it drops them. */
	segment(&f, 5, 0, 0)->what = HC_TASK_F_KEPT;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 1);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_DROPPED;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 2);
	return ok;
}

bool copies_have_their_share(void)
{
	uint64_t share = (16 << 20) / (2 * said.c.dim);
	struct task_view v;
	unsigned int i;
	struct frame f;

	for (i = 1; i <= 6000; i++) {
		copy(&f, i, 9);
		if (say(&f))
			return false;
	}
	if (task_view(said.c.name, 7, &v) || v.kept < 100 || v.kept == 6000 || v.queued ||
	    v.bytes > share + share / 4)
		return false;
	/* There is still space for replicas of another neighbour. */
	copy(&f, 1, 9);
	f.rec.dim = 1;
	frame_hdr(&f)->src = htons(5);
	return !say(&f) && kept(v.kept + 1, 0) && live_dgrams(&said.c);
}

/* Let a task migrate from node 6, which holds a replica of it, and execute it. *@taken: set to true
 * if node 7 has taken it.
 */
static bool given_done(uint64_t number, int fd, bool *taken)
{
	struct hypercube_task id;
	struct frame f;
	char buf[16];

	segment(&f, number, 0, 9)->flags = COPIED | HC_TASK_KEEPS;
	if (say(&f))
		return false;
	*taken = task_take(fd, buf, sizeof(buf), &id, 0) == 9;
	return !*taken || !task_done(fd, &id);
}

/* For a while no frame that node 7 sends arrives at node 6, so node 6 does not learn that its
 * replicas are no longer needed. Until it learns that, node 7 accepts only a limited number of
 * tasks.
 */
bool drops_are_bounded(void)
{
	int fd = task_bound(&said.c, 7);
	struct task_view v = { 0 };
	unsigned int i, n = 0;
	bool ok, taken;
	uint64_t end;

	ok = fd >= 0 && mute(7, 0, 20000);
	for (i = 1; i <= 1500 && ok; i++) {
		ok = given_done(i, fd, &taken);
		n += taken;
	}
	if (!ok || task_view(said.c.name, 7, &v) || v.queued || n < 100 || n > 1100) {
		fz_note("%u are taken, %llu bytes", n, (unsigned long long)v.bytes);
		return false;
	}
	ok = mute_end();
	end = fz_ms() + WAIT_MS;
	while (ok && v.bytes && fz_ms() < end)
		ok = !task_view(said.c.name, 7, &v);
	if (!ok || v.bytes)
		fz_note("%llu bytes are left", (unsigned long long)v.bytes);
	ok = ok && !v.bytes;
	if (ok && !(given_done(i, fd, &taken) && taken)) {
		fz_note("no task is taken when nothing is left");
		ok = false;
	}
	close(fd);
	return ok && live_dgrams(&said.c);
}

/* --- two tasks with one id --- */

#define PAGE 4096

/* A worker that receives a task into a page that is not present yet. */
struct slow {
	pthread_t thread;
	int fd;
	char *page;
	ssize_t len;
	struct hypercube_task id;
};

/* Make accesses to the @len bytes at @pages wait until the pages are provided (userfaultfd).
 * Return: descriptor of the userfaultfd, or -1 if the kernel does not support that.
 */
static int pages_missing(char *pages, size_t len)
{
	struct uffdio_register reg = {
		.range = { (uintptr_t)pages, len }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || (!ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &reg)))
		return fd;
	close(fd);
	return -1;
}

static bool page_give(int uffd, const char *page)
{
	struct uffdio_zeropage zero = { .range = { (uintptr_t)page, PAGE } };

	return !ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
}

static void *slow_take(void *arg)
{
	struct slow *w = arg;

	w->len = task_take(w->fd, w->page, PAGE, &w->id, 0);
	return NULL;
}

/* Start a worker, and wait until it has taken a task and waits for its page. */
static bool slow_begin(struct slow *w, int uffd)
{
	struct pollfd p = { .fd = uffd, .events = POLLIN };
	struct uffd_msg msg;

	return !pthread_create(&w->thread, NULL, slow_take, w) && poll(&p, 1, WAIT_MS) == 1 &&
	       read(uffd, &msg, sizeof(msg)) == sizeof(msg) &&
	       (char *)(uintptr_t)msg.arg.pagefault.address == w->page;
}

/* Provide the page of a worker. Return: true if the worker gets its whole task. */
static bool slow_end(struct slow *w, int uffd)
{
	return page_give(uffd, w->page) && !pthread_join(w->thread, NULL) && w->len == 9 &&
	       !memcmp(w->page, "123456789", 9);
}

/* A neighbour migrates two tasks with the same id, and two threads receive them at the same time.
 * Each must free the payload of its own task.
 */
bool task_is_its_own(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	int uffd = pages_missing(pages, 2 * PAGE), fd = shc_bound(said.c.name, 7, SOCK_RDM);
	struct slow first = { .fd = fd, .page = pages };
	struct slow second = { .fd = fd, .page = pages + PAGE };
	struct task_view v[3];
	struct frame f;
	bool ok;

	if (uffd < 0) {
		fz_note("this kernel has no userfaultfd");
		munmap(pages, 2 * PAGE);
		return !close(fd);
	}
	segment(&f, 10, 0, 9);
	ok = !say(&f);
	segment(&f, 11, 0, 9);
	ok = ok && !say(&f) && received(2) && !task_view(said.c.name, 7, &v[0]);
	ok = ok && slow_begin(&first, uffd) && slow_begin(&second, uffd);
	ok = ok && slow_end(&first, uffd) && !task_view(said.c.name, 7, &v[1]);
	ok = ok && slow_end(&second, uffd) && !task_view(said.c.name, 7, &v[2]);
	ok = ok && v[1].bytes < v[0].bytes &&
	     v[0].bytes - v[1].bytes == v[1].bytes - v[2].bytes;
	close(uffd);
	munmap(pages, 2 * PAGE);
	return !close(fd) && ok;
}
