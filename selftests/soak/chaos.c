// SPDX-License-Identifier: GPL-2.0
/*
 * Injects faults into the fabric, and into its processes, while operations are under way.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "soak.h"

const char *kind_name(int kind)
{
	static const char *const name[KINDS] = {
		[K_LINK] = "link",	     [K_NODE] = "node",	  [K_KILL] = "kill",
		[K_CLOSE] = "close",	     [K_STOP] = "stop",	  [K_REPLACE] = "replace",
		[K_MEMORY] = "memory",	     [K_LOSS] = "loss",	  [K_CORRUPT] = "corrupt",
		[K_DUPLICATE] = "duplicate", [K_DELAY] = "delay",
	};

	return name[kind];
}

/* Record that from now on events explain errors of the kinds @why (EX_*). */
static void allow_error(struct soak *s, uint32_t why)
{
	atomic_fetch_or(&s->w->era.allowed_errors, why);
}

/* Count an event of this kind, and record its time. */
static void happened(struct soak *s, enum kind kind)
{
	s->events[kind]++;
	s->last_event = now_ms();
	s->calm_since = s->last_event;
}

/* Choose the kinds of events of this era: none in a quarter of all eras, one kind in three eighths,
 * and several kinds in the others.
 */
void chaos_choose(struct soak *s)
{
	uint32_t n;

	s->kinds = 0;
	if (s->calm || chance(&s->dice, 25))
		return;
	n = chance(&s->dice, 50) ? 1 : 2 + below(&s->dice, 3);
	while (n--)
		s->kinds |= 1u << below(&s->dice, KINDS);
	if (s->only)
		s->kinds = s->only;
	if (!s->memory)
		s->kinds &= ~(1u << K_MEMORY);
}

/* --- links and nodes --- */

static void link_note(struct soak *s, uint32_t u, uint32_t d, bool down)
{
	if (down) {
		s->link_down[u] |= 1u << d;
		s->link_down[u ^ 1u << d] |= 1u << d;
	} else {
		s->link_down[u] &= ~(1u << d);
		s->link_down[u ^ 1u << d] &= ~(1u << d);
	}
}

/* Take a random link down, or bring it up again. */
static void link_flip(struct soak *s)
{
	uint32_t u = below(&s->dice, s->w->nodes), d = below(&s->dice, s->w->dim);
	bool down = !(s->link_down[u] >> d & 1);

	if (down) {
		deed_link(s->w, u, d);
		allow_error(s, EX_LINK);
	}
	if (config(s, "link set %s %u:%u %s", s->w->fabric, u, d, down ? "down" : "up"))
		link_note(s, u, d, down);
	happened(s, K_LINK);
}

/* Fail a random node, or let it recover. */
static void node_flip(struct soak *s)
{
	uint32_t u = below(&s->dice, s->w->nodes);
	bool fail = !(s->node_failed >> u & 1);

	if (fail) {
		atomic_fetch_or(&s->w->era.deeds.failed, 1ull << u);
		allow_error(s, EX_NODE);
	}
	if (config(s, "node set %s %u %s", s->w->fabric, u, fail ? "fail" : "ok"))
		s->node_failed ^= 1ull << u;
	happened(s, K_NODE);
}

/* Remove all faults, and set new ones, or none. Plans are installed afterwards, so they avoid these
 * faults.
 */
void chaos_faults(struct soak *s)
{
	uint32_t n;

	config(s, "fault clear %s", s->w->fabric);
	memset(s->link_down, 0, sizeof(s->link_down));
	s->node_failed = 0;
	if (s->calm || (s->only && !(s->only & (1u << K_LINK | 1u << K_NODE))) ||
	    chance(&s->dice, 50))
		return;
	for (n = 1 + below(&s->dice, s->w->dim - 1); n; n--)
		link_flip(s);
	if (chance(&s->dice, 25))
		node_flip(s);
}

/* --- impairments --- */

/* Draw links, each with a probability of @percent, but at least one link. @pick is set to a mask of
 * the drawn links of each node.
 */
static void links_pick(struct soak *s, uint32_t percent, uint32_t pick[NODES_MAX])
{
	uint32_t u, d, n = 0;

	memset(pick, 0, NODES_MAX * sizeof(*pick));
	for (u = 0; u < s->w->nodes; u++)
		for (d = 0; d < s->w->dim; d++)
			if (!(u >> d & 1) && chance(&s->dice, percent)) {
				pick[u] |= 1u << d;
				n++;
			}
	if (!n)
		pick[below(&s->dice, s->w->nodes)] = 1u << below(&s->dice, s->w->dim);
}

static const char *links_text(const struct soak *s, const uint32_t pick[NODES_MAX])
{
	static char list[2500];
	uint32_t u, d;
	size_t n = 0;

	for (u = 0; u < s->w->nodes; u++)
		for (d = 0; d < s->w->dim; d++)
			if (pick[u] >> d & 1 && n + 8 < sizeof(list))
				n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%u:%u",
						      n ? "," : "", u, d);
	return list;
}

/* Return: the rate of impairment @kind in hundredths of a per cent; 0 if it is not a kind of this
 * era.
 */
static uint32_t kinds_percent(struct soak *s, enum kind kind)
{
	if (!(s->kinds >> kind & 1))
		return 0;
	s->events[kind]++;
	return 1 + below(&s->dice, chance(&s->dice, 50) ? 20 : 400);
}

/* Impair some links of the cube, many or few. */
void chaos_impair(struct soak *s)
{
	uint32_t loss = kinds_percent(s, K_LOSS), corrupt = kinds_percent(s, K_CORRUPT);
	uint32_t copies = kinds_percent(s, K_DUPLICATE), delay = kinds_percent(s, K_DELAY);
	uint32_t pick[NODES_MAX];

	if (s->unclean) {
		links_pick(s, 100, pick);
		config(s, "link set %s %s loss 0%% corrupt 0%% duplicate 0%% delay 0us",
		       s->w->fabric, links_text(s, pick));
		s->unclean = false;
	}
	if (!loss && !corrupt && !copies && !delay)
		return;
	s->unclean = true;
	links_pick(s, chance(&s->dice, 50) ? 2 : 40, pick);
	config(s,
	       "link set %s %s loss %u.%02u%% corrupt %u.%02u%% duplicate %u.%02u%% delay %uus jitter %uus seed %u",
	       s->w->fabric, links_text(s, pick), loss / 100, loss % 100, corrupt / 100,
	       corrupt % 100, copies / 100 * 8, copies % 100, delay * 10, delay * 5,
	       1 + below(&s->dice, 1000000));
}

/* --- processes --- */

/* Return: a random node whose process takes part in the era and is not stopped, or ~0. */
static uint32_t pick_member(struct soak *s)
{
	uint32_t u, i;

	for (i = 0; i < 20; i++) {
		u = below(&s->dice, s->w->nodes);
		if (s->w->seat[u].takes_part && !s->w->seat[u].stopped)
			return u;
	}
	return ~0u;
}

/* Choose a random member to leave, and record that it leaves. Return: its node, or ~0. */
static uint32_t pick_absent(struct soak *s)
{
	uint32_t u = pick_member(s);

	if (u == ~0u)
		return u;
	atomic_fetch_or(&s->w->era.deeds.closed, 1ull << u);
	allow_error(s, EX_CLOSE);
	s->absent = true;
	return u;
}

static void kill_one(struct soak *s)
{
	uint32_t u = pick_absent(s);

	if (u == ~0u)
		return;
	member_kill(s, u);
	if (chance(&s->dice, 50))
		member_spawn(s, u);
	happened(s, K_KILL);
}

static void close_one(struct soak *s)
{
	uint32_t u = pick_absent(s);

	if (u == ~0u)
		return;
	s->w->seat[u].takes_part = false;
	members_order(s, 1ull << u, ORDER_CLOSE);
	if (chance(&s->dice, 50))
		members_order(s, 1ull << u, ORDER_BIND);
	happened(s, K_CLOSE);
}

/* Stop a process (SIGSTOP): in most cases for a moment, in some for longer than any timeout. */
static void stop_one(struct soak *s)
{
	uint32_t u = pick_member(s);

	if (u == ~0u)
		return;
	kill(s->w->seat[u].pid, SIGSTOP);
	s->w->seat[u].stopped = true;
	s->wake_at[u] = now_ms() + (chance(&s->dice, 80)   ? below(&s->dice, 300)
				    : chance(&s->dice, 80) ? below(&s->dice, 3000)
							   : below(&s->dice, 15000));
	happened(s, K_STOP);
}

/* --- memory --- */

static const char *const injectors[] = {
	"/sys/kernel/debug/failslab",
	"/sys/kernel/debug/fail_page_alloc",
};

static void injectors_set(const char *name, const char *value)
{
	char path[100];
	uint32_t i;
	FILE *f;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", injectors[i], name);
		f = fopen(path, "w");
		if (!f)
			continue;
		fputs(value, f);
		fclose(f);
	}
}

static bool module_at(uint64_t *start, uint64_t *size)
{
	FILE *f = fopen("/sys/module/hypercube/sections/.text", "r");
	char line[300];
	bool found;

	*size = 0;
	found = f && fscanf(f, "%lx", start) == 1;
	if (f)
		fclose(f);
	f = fopen("/proc/modules", "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "hypercube ", 10))
			sscanf(line + 10, "%lu", size);
	if (f)
		fclose(f);
	return found && *size;
}

/* Set up the kernel's fault injection such that only allocations can fail that have a function of
 * the module in their stack. Return: false if the kernel cannot do that.
 */
bool chaos_memory_prepare(void)
{
	static const struct {
		const char *name, *value;
	} settings[] = {
		{ "probability", "0" },	    { "verbose", "0" },
		{ "interval", "1" },	    { "times", "-1" },
		{ "space", "0" },	    { "task-filter", "N" },
		{ "ignore-gfp-wait", "N" }, { "ignore-gfp-highmem", "N" },
		{ "min-order", "0" },	    { "stacktrace-depth", "32" },
	};
	uint64_t start, size;
	char value[40];
	size_t i;

	if (access("/sys/kernel/debug/failslab/require-start", F_OK) || !module_at(&start, &size))
		return false;
	for (i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		injectors_set(settings[i].name, settings[i].value);
	snprintf(value, sizeof(value), "0x%lx", start);
	injectors_set("require-start", value);
	snprintf(value, sizeof(value), "0x%lx", start + size);
	injectors_set("require-end", value);
	return true;
}

/* Let a part of the allocations fail for some time. */
static void memory_short(struct soak *s)
{
	char percent[12];

	allow_error(s, EX_MEMORY);
	snprintf(percent, sizeof(percent), "%u", 1 + below(&s->dice, 5));
	injectors_set("probability", percent);
	s->memory_until = now_ms() + 20 + below(&s->dice, 300);
	happened(s, K_MEMORY);
}

/* Let all allocations succeed again. */
static void memory_enough(struct soak *s)
{
	if (!s->memory_until)
		return;
	injectors_set("probability", "0");
	s->memory_until = 0;
	s->calm_since = now_ms();
}

/* --- all kinds --- */

static void replace_one(struct soak *s)
{
	int slot = (int)below(&s->dice, PLANS);

	allow_error(s, EX_REPLACE);
	atomic_fetch_or(&s->w->era.deeds.replaced, 1u << slot);
	plan_replace(s, slot);
	happened(s, K_REPLACE);
}

/* If the time for the next event has come, cause an event of one of this era's kinds. */
void chaos_event(struct soak *s)
{
	static void (*const act[])(struct soak *s) = {
		[K_LINK] = link_flip,	   [K_NODE] = node_flip, [K_KILL] = kill_one,
		[K_CLOSE] = close_one,	   [K_STOP] = stop_one,	 [K_REPLACE] = replace_one,
		[K_MEMORY] = memory_short,
	};
	uint64_t now = now_ms();
	uint32_t u, kind;

	for (u = 0; u < s->w->nodes; u++)
		if (s->wake_at[u] && now >= s->wake_at[u]) {
			kill(s->w->seat[u].pid, SIGCONT);
			s->w->seat[u].stopped = false;
			s->wake_at[u] = 0;
			s->calm_since = now;
		}
	if (s->memory_until && now >= s->memory_until)
		memory_enough(s);
	if (!(s->kinds & ((1u << K_LOSS) - 1)) || now < s->next_event)
		return;
	do
		kind = below(&s->dice, K_LOSS);
	while (!(s->kinds >> kind & 1));
	memory_enough(s);
	act[kind](s);
	s->next_event = now_ms() +
			(chance(&s->dice, 60) ? below(&s->dice, 100) : below(&s->dice, 1500));
}

/* End all events: allocations succeed again, and stopped processes continue. */
void chaos_end(struct soak *s)
{
	memory_enough(s);
	s->kinds &= ~((1u << K_LOSS) - 1);
	members_continue(s);
}
