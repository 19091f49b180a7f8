// SPDX-License-Identifier: GPL-2.0
/* Single frames about tasks. */
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

/* A segment of @len bytes at @at of a task of 9, from node 6 to 7. */
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
	/* Around a fault nothing comes but words, and from neighbours. */
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

static bool received(uint64_t n)
{
	uint64_t end = fz_ms() + WAIT_MS;
	struct task_view v = { 0 };

	while (v.received < n && fz_ms() < end)
		task_view(said.c.name, 7, &v);
	return v.received == n && v.queued == n;
}

/* Two of the same, those before it, and one that was asked about; words that nobody waits for. */
bool task_is_once(void)
{
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
	/* Who speaks from afar does not let numbers run away. */
	segment(&f, 12 + 2000, 0, 0)->what = HC_TASK_F_ASK;
	routed(&f, 6, 7, (const unsigned char[]){ 0 }, 1);
	ok = ok && !say(&f);
	segment(&f, 13, 0, 9);
	ok = ok && !say(&f) && received(2);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_TAKEN;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 1);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_NOT;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 2);
	return ok && received(2) && live_dgrams(&said.c);
}

/* ------------------------------------------------------------ two of one id */

#define PAGE 4096

/* A worker whose buffer is a page that is not there yet. */
struct slow {
	pthread_t thread;
	int fd;
	char *page;
	ssize_t len;
	struct hypercube_task id;
};

/* Whoever touches one of the pages waits until it is given.  -1: this kernel cannot do that. */
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

/* It has taken a task, and waits for its page. */
static bool slow_begin(struct slow *w, int uffd)
{
	struct pollfd p = { .fd = uffd, .events = POLLIN };
	struct uffd_msg msg;

	return !pthread_create(&w->thread, NULL, slow_take, w) && poll(&p, 1, WAIT_MS) == 1 &&
	       read(uffd, &msg, sizeof(msg)) == sizeof(msg) &&
	       (char *)(uintptr_t)msg.arg.pagefault.address == w->page;
}

/* It gets its page, and the whole of its task. */
static bool slow_end(struct slow *w, int uffd)
{
	return page_give(uffd, w->page) && !pthread_join(w->thread, NULL) && w->len == 9 &&
	       !memcmp(w->page, "123456789", 9);
}

/* A neighbour has handed over two tasks of one id, and two threads read them at the same time: each
 * frees the payload of its own.
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
