// SPDX-License-Identifier: GPL-2.0
/*
 * A user to whom a guarded plan was granted (GUARD_UID) installs its next epoch when it is broken,
 * without privileges. The grant permits nothing else, neither with this plan nor with others.
 *
 * Scheduling: alone
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cube.h"
#include "ktap.h"

#define PLAN	5
#define OTHER	6
#define GUARD_MS 20000
#define RECIPE	"tree find sink 0"
#define USER	1301
#define STRANGER 1302
#define NOT_GIVEN -2

/**
 * struct ask - a request for a plan. The request has no attribute for a member that is 0, NULL or
 *	NOT_GIVEN
 * @plan: id of the plan
 * @prev: the epoch that is to be replaced
 * @epoch: the epoch to install
 * @guard: guard timeout in ms
 * @recipe: recipe with which a guard plans the next epoch
 * @uid: the user who may install epochs; -1: none
 * @flag: type of a flag attribute to add
 * @without: set of nodes that must not be members
 */
struct ask {
	unsigned int plan;
	uint32_t prev;
	uint32_t epoch;
	uint32_t guard;
	const char *recipe;
	int uid;
	int flag;
	uint32_t without;
};

/* Return: a request for the epoch after @prev of plan PLAN that the user to whom the plan was
 * granted may send.
 */
static struct ask next_epoch(uint32_t prev)
{
	return (struct ask){
		.plan = PLAN, .prev = prev, .guard = GUARD_MS, .recipe = RECIPE, .uid = NOT_GIVEN,
		.without = 1u << 7,
	};
}

static void put_tree(struct nl *nl, const struct hc_tree *t, const struct hc_faults *f)
{
	unsigned char members[1] = { (unsigned char)t->members[0] };
	unsigned int i;

	nl_u32(nl, HYPERCUBE_A_PLAN_TYPE, HYPERCUBE_PLAN_TREE);
	nl_u32(nl, HYPERCUBE_A_PLAN_SINK, t->sink);
	for (i = 0; i < t->stages; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_ORDER, t->order[i]);
	nl_put(nl, HYPERCUBE_A_PLAN_MEMBERS, members, sizeof(members));
	for (i = 0; i < t->ndetours; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_DETOUR, t->detours[i].from << 16 | t->detours[i].to);
	nl_put(nl, HYPERCUBE_A_PLAN_FAULT, f->fault, 8 * sizeof(*f->fault));
}

static int ask_once(struct nl *nl, const struct cube *c, const struct ask *a,
		    const struct hc_tree *t)
{
	nl_begin(nl, HYPERCUBE_CMD_PLAN_NEW, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_PLAN_FABRIC, c->name);
	nl_u32(nl, HYPERCUBE_A_PLAN_ID, a->plan);
	put_tree(nl, t, c->faults);
	if (a->prev)
		nl_u32(nl, HYPERCUBE_A_PLAN_PREV, a->prev);
	if (a->epoch)
		nl_u32(nl, HYPERCUBE_A_PLAN_EPOCH, a->epoch);
	if (a->guard)
		nl_u32(nl, HYPERCUBE_A_PLAN_GUARD, a->guard);
	if (a->recipe)
		nl_str(nl, HYPERCUBE_A_PLAN_GUARD_RECIPE, a->recipe);
	if (a->uid != NOT_GIVEN)
		nl_u32(nl, HYPERCUBE_A_PLAN_GUARD_UID, (uint32_t)a->uid);
	if (a->flag)
		nl_put(nl, a->flag, NULL, 0);
	return nl_talk(nl, NULL, NULL);
}

/* Return: true if the request was refused because nodes have not yet been notified of faults. */
static bool is_early(const struct nl *nl, int err)
{
	return err == -ESTALE && strstr(nl->extack, "plan again");
}

/* Make a tree plan with root 0 around the faults, and send the request @a for it. Try again as long
 * as nodes have not been notified of faults, or as long as a user must wait since its last request.
 * Return: 0 or -errno.
 */
static int ask(struct nl *nl, const struct cube *c, const struct ask *a)
{
	struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = 0 };
	struct hc_faults *f = hc_faults_copy(c->faults);
	uint64_t end = deadline(5);
	struct hc_tree_plan plan;
	const char *why;
	unsigned int u;
	int err;

	for (u = 0; u < 8; u++)
		if (a->without >> u & 1)
			hc_faults_node(f, u);
	err = hc_plan_tree(f, &req, &plan, &why);
	hc_faults_free(f);
	if (err)
		return err;
	do {
		err = ask_once(nl, c, a, &plan.tree);
	} while ((is_early(nl, err) || err == -EAGAIN) && now_ms() < end && !usleep(1000));
	hc_tree_plan_free(&plan);
	return err;
}

/**
 * struct shown - what the kernel reports of a plan
 * @id: id of the plan
 * @epoch: its epoch; 0 if there is no such plan
 * @broken: the plan is broken
 * @uid: the user who may install epochs, or NOT_GIVEN
 * @members: set of its members
 * @grant: set of the nodes that this user may choose as members, or 0
 */
struct shown {
	uint32_t id;
	uint32_t epoch;
	bool broken;
	int uid;
	uint32_t members;
	uint32_t grant;
};

static uint32_t set_in(const struct nl_attrs *a, int type)
{
	const struct nlattr *set = nl_find(a, type, 0);

	return set ? *(const unsigned char *)nl_data(set) : 0;
}

static void shown_take(void *arg, const struct nl_attrs *a)
{
	struct shown *s = arg;

	if (nl_get_u32(a, HYPERCUBE_A_PLAN_ID, 0) != s->id)
		return;
	s->epoch = nl_get_u32(a, HYPERCUBE_A_PLAN_EPOCH, 0);
	s->broken = *(const unsigned char *)nl_data(nl_find(a, HYPERCUBE_A_PLAN_BROKEN, 0));
	s->uid = (int)nl_get_u32(a, HYPERCUBE_A_PLAN_GUARD_UID, (uint32_t)NOT_GIVEN);
	s->members = set_in(a, HYPERCUBE_A_PLAN_MEMBERS);
	s->grant = set_in(a, HYPERCUBE_A_PLAN_GUARD_MEMBERS);
}

/* Return: what the kernel reports of plan @id. */
static struct shown shown(const struct cube *c, unsigned int id)
{
	struct shown s = { .id = id };

	nl_begin(ctl(), HYPERCUBE_CMD_PLAN_GET, NLM_F_DUMP);
	nl_str(ctl(), HYPERCUBE_A_PLAN_FABRIC, c->name);
	return nl_talk(ctl(), shown_take, &s) ? (struct shown){} : s;
}

static int plan_set(struct nl *nl, const struct cube *c, unsigned int id, int uid)
{
	nl_begin(nl, HYPERCUBE_CMD_PLAN_SET, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_PLAN_FABRIC, c->name);
	nl_u32(nl, HYPERCUBE_A_PLAN_ID, id);
	if (uid != NOT_GIVEN)
		nl_u32(nl, HYPERCUBE_A_PLAN_GUARD_UID, (uint32_t)uid);
	return nl_talk(nl, NULL, NULL);
}

/* Make a cube of eight nodes with two plans: PLAN, of all nodes but 7, which is granted to user
 * @uid, and OTHER, of all nodes.
 */
static int begin(struct cube *c, int uid)
{
	struct ask a = next_epoch(0);
	int err = cube_new(c, 3, 0);

	a.uid = uid;
	err = err ?: ask(ctl(), c, &a);
	a = (struct ask){ .plan = OTHER, .guard = GUARD_MS, .uid = NOT_GIVEN };
	return err ?: ask(ctl(), c, &a);
}

/* Every plan with root 0 uses a link of node 0. Fail two of the three links of node 0, so that both
 * plans are broken; new plans can use the third link.
 */
static int break_plans(struct cube *c)
{
	uint64_t end = deadline(5);
	int err = cube_fail_link(c, 0, 0) ?: cube_fail_link(c, 0, 1);

	while (!err && !(shown(c, PLAN).broken && shown(c, OTHER).broken)) {
		if (now_ms() > end)
			return -ETIMEDOUT;
		usleep(1000);
	}
	return err;
}

/* --- as a user --- */

/**
 * struct case_of - a request of a user, and its expected outcome
 * @a: the request
 * @err: 0 or the error
 * @text: words that the extack must contain, or NULL
 */
struct case_of {
	struct ask a;
	int err;
	const char *text;
};

/* Compare the error @err and its text @said with the expected ones, @wanted and @text. Return: true
 * if they differ.
 */
static bool fails(const char *what, int err, const char *said, int wanted, const char *text)
{
	if (err == wanted && (!text || strstr(said, text)))
		return false;
	printf("# %s: error %d, \"%s\", not %d, \"%s\"\n", what, err, said, wanted, text ?: "");
	return true;
}

/* Run @fn in a child process with the user id @uid. Return: the value of @fn, which is the number
 * of wrong outcomes; at least 100 if the child failed.
 */
static int as(unsigned int uid, int (*fn)(const struct cube *c, void *arg), const struct cube *c,
	      void *arg)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (setgid(uid) || setuid(uid))
			_exit(100);
		status = fn(c, arg);
		fflush(NULL);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

/* Send the request of a struct case_of. Return: 1 if the outcome is wrong, else 0. */
static int one_case(const struct cube *c, void *arg)
{
	const struct case_of *t = arg;
	int err = ask(ctl(), c, &t->a);

	return fails("request", err, ctl()->extack, t->err, t->text);
}

static int refuse_all_else(const struct cube *c, void *arg)
{
	(void)arg;
	return fails("set", plan_set(ctl(), c, PLAN, STRANGER), "", -EPERM, NULL) +
	       fails("set another", plan_set(ctl(), c, OTHER, USER), "", -EPERM, NULL) +
	       fails("del", ctl_plan_del(c->name, PLAN), "", -EPERM, NULL) +
	       fails("link", ctl_link_down(c->name, 1, 1, true), "", -EPERM, NULL) +
	       fails("fault clear", ctl_fault_clear(c->name), "", -EPERM, NULL);
}

TEST(granted_user_installs_next_epoch_of_broken_plan)
{
	struct case_of t = {};
	struct shown s;
	struct cube c;

	ASSERT_EQ(0, begin(&c, USER));
	s = shown(&c, PLAN);
	EXPECT_EQ(USER, s.uid);
	EXPECT_EQ(0x7f, s.grant);
	EXPECT_EQ(NOT_GIVEN, shown(&c, OTHER).uid);
	ASSERT_EQ(0, break_plans(&c));
	t.a = next_epoch(s.epoch);
	EXPECT_EQ(0, as(USER, one_case, &c, &t));
	t.err = -ESTALE;
	EXPECT_EQ(0, as(USER, one_case, &c, &t));
	EXPECT_FALSE(shown(&c, PLAN).broken);
	EXPECT_EQ(USER, shown(&c, PLAN).uid);
	EXPECT_EQ(0x7f, shown(&c, PLAN).grant);
	EXPECT_EQ(shown(&c, OTHER).epoch + 1, shown(&c, PLAN).epoch);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(granted_user_may_change_only_the_shape_of_the_plan)
{
	static const char may_not[] = "may not choose this", same[] = "its time or its recipe";
	struct ask a, other;
	unsigned int i;
	struct cube c;

	ASSERT_EQ(0, begin(&c, USER));
	ASSERT_EQ(0, break_plans(&c));
	a = next_epoch(shown(&c, PLAN).epoch);
	other = a;
	other.plan = OTHER;
	other.prev = shown(&c, OTHER).epoch;
	struct case_of t[] = {
		{ other, -EPERM, "the user who guards it" },
		{ a, -EPERM, "must name the epoch" },
		{ a, -EPERM, may_not }, { a, -EPERM, may_not }, { a, -EPERM, may_not },
		{ a, -EPERM, may_not }, { a, -EPERM, may_not }, { a, -EPERM, same },
		{ a, -EPERM, same }, { a, -EPERM, same }, { a, -EPERM, same },
		{ a, -EPERM, "may not make it a member: node 7" }, { a, -ESTALE, "another epoch" },
		{ a, -EPERM, "the user who guards it" },
	};
	t[1].a.prev = 0;
	t[2].a.epoch = a.prev + 100;
	t[3].a.uid = STRANGER;
	t[4].a.uid = -1;
	t[5].a.flag = HYPERCUBE_A_PLAN_LOCAL;
	t[6].a.flag = HYPERCUBE_A_PLAN_REPAIR;
	t[7].a.guard = GUARD_MS + 1;
	t[8].a.guard = 0;
	t[8].a.recipe = NULL;
	t[9].a.recipe = RECIPE " ";
	t[10].a.recipe = NULL;
	t[11].a.without = 0;
	t[12].a.prev = a.prev + 7;
	t[13].a.plan = 99;
	for (i = 0; i < ARRAY_SIZE(t); i++)
		if (as(USER, one_case, &c, &t[i])) {
			printf("# case %u\n", i);
			EXPECT_TRUE(false);
		}
	EXPECT_EQ(0, as(USER, refuse_all_else, &c, NULL));
	EXPECT_EQ(a.prev, shown(&c, PLAN).epoch);
	/* The request of t[11], which makes node 7 a member, was refused only because the user had
	 * no right to choose this node. Root may make it a member; the user still may not choose
	 * it.
	 */
	EXPECT_EQ(0, ask(ctl(), &c, &t[11].a));
	EXPECT_EQ(0xff, shown(&c, PLAN).members);
	EXPECT_EQ(0x7f, shown(&c, PLAN).grant);
	EXPECT_EQ(USER, shown(&c, PLAN).uid);
	EXPECT_EQ(0, cube_del(&c));
}

static void owner_take(void *arg, const struct nl_attrs *a)
{
	*(int *)arg = (int)nl_get_u32(a, HYPERCUBE_A_NODE_OWNER, (uint32_t)NOT_GIVEN);
}

static int owner_of(const struct cube *c, unsigned int node)
{
	int owner = -1;

	return ctl_node_ask(c->name, node, owner_take, &owner) ? -1 : owner;
}

/* In a new user namespace no user ids are mapped, so the id of the user who may install epochs is
 * not shown.
 */
static int seen_from_elsewhere(const struct cube *c, void *arg)
{
	struct shown s;

	(void)arg;
	if (unshare(CLONE_NEWUSER))
		return 102;
	s = shown(c, PLAN);
	return (!s.epoch || s.uid != NOT_GIVEN || s.grant) + 2 * (owner_of(c, 1) != NOT_GIVEN);
}

TEST(uid_unmapped_in_user_namespace_is_not_shown)
{
	struct cube c;

	ASSERT_EQ(0, begin(&c, USER));
	ASSERT_EQ(0, ctl_node_owner(c.name, 1, USER));
	EXPECT_EQ(USER, owner_of(&c, 1));
	EXPECT_EQ(0, as(STRANGER, seen_from_elsewhere, &c, NULL));
	EXPECT_EQ(0, cube_del(&c));
}

TEST(granted_user_cannot_replace_plan_that_is_not_broken)
{
	struct case_of t = { .err = -EPERM, .text = "only when it is broken" };
	struct cube c;

	ASSERT_EQ(0, begin(&c, USER));
	t.a = next_epoch(shown(&c, PLAN).epoch);
	EXPECT_EQ(0, as(USER, one_case, &c, &t));
	EXPECT_EQ(t.a.prev, shown(&c, PLAN).epoch);
	EXPECT_EQ(0, cube_del(&c));
}

/* Return: number of requests that the user can send within a second. All of them are refused
 * because node 7 is a member, which the kernel checks last, so the plan stays broken.
 */
static int ask_much(const struct cube *c, void *arg)
{
	const struct case_of *t = arg;
	uint64_t end = now_ms() + 1000;
	int n = 0;

	while (now_ms() < end && n < 100)
		n += !one_case(c, arg);
	return fails("last", ask(ctl(), c, &t->a), ctl()->extack, t->err, t->text) ? 200 : n;
}

TEST(granted_user_is_limited_to_20_requests_per_second)
{
	struct case_of t = { .err = -EPERM, .text = "may not make it a member: node 7" };
	struct shown s;
	struct cube c;
	int n;

	ASSERT_EQ(0, begin(&c, USER));
	ASSERT_EQ(0, break_plans(&c));
	s = shown(&c, PLAN);
	t.a = next_epoch(s.epoch);
	t.a.without = 0;
	n = as(USER, ask_much, &c, &t);
	EXPECT_LE(2, n);
	/* Due to the kernel's clock ticks, the 50 ms between two requests may be up to 10 ms
	 * shorter.
	 */
	EXPECT_GE(1000 / 40 + 1, n);
	EXPECT_EQ(s.epoch, shown(&c, PLAN).epoch);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(user_without_grant_cannot_install_next_epoch)
{
	struct case_of t = { .err = -EPERM, .text = "the user who guards it" };
	struct cube c;

	ASSERT_EQ(0, begin(&c, USER));
	ASSERT_EQ(0, break_plans(&c));
	t.a = next_epoch(shown(&c, PLAN).epoch);
	EXPECT_EQ(0, as(STRANGER, one_case, &c, &t));
	EXPECT_EQ(0, as(65534, one_case, &c, &t));
	EXPECT_EQ(0, cube_del(&c));
}

/* Run "hcctl guard" for plan PLAN. Return: its exit status. */
static int tool_guards(const struct cube *c, void *arg)
{
	char line[128];
	int status;

	(void)arg;
	snprintf(line, sizeof(line), "hcctl guard %s plan %d once >/dev/null", c->name, PLAN);
	status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 103;
}

TEST(guard_tool_of_user_adds_no_recipe_to_granted_plan)
{
	struct ask a = next_epoch(0);
	struct cube c;

	ASSERT_EQ(0, begin(&c, USER));
	a.recipe = NULL;
	a.uid = USER;
	ASSERT_EQ(0, ask(ctl(), &c, &a));
	ASSERT_EQ(0, break_plans(&c));
	EXPECT_EQ(0, as(USER, tool_guards, &c, NULL));
	EXPECT_FALSE(shown(&c, PLAN).broken);
	EXPECT_EQ(0x7f, shown(&c, PLAN).members);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(guard_tool_of_root_adds_members_outside_the_grant)
{
	struct cube c;

	ASSERT_EQ(0, begin(&c, 0));
	ASSERT_EQ(0, break_plans(&c));
	EXPECT_EQ(0, tool_guards(&c, NULL));
	EXPECT_FALSE(shown(&c, PLAN).broken);
	EXPECT_EQ(0xff, shown(&c, PLAN).members);
	EXPECT_EQ(0x7f, shown(&c, PLAN).grant);
	EXPECT_EQ(0, cube_del(&c));
}

/**
 * struct borrowed - a request that is sent through a socket that another user has opened
 * @t: the request
 * @nl: the socket
 */
struct borrowed {
	struct case_of t;
	struct nl nl;
};

static int over_borrowed(const struct cube *c, void *arg)
{
	struct borrowed *b = arg;
	int err = ask(&b->nl, c, &b->t.a);

	return fails("over another's socket", err, b->nl.extack, b->t.err, b->t.text);
}

TEST(request_needs_grant_of_both_socket_opener_and_sender)
{
	struct borrowed b = { .t = { .err = -EPERM, .text = "the user who guards it" } };
	struct cube c;

	ASSERT_EQ(0, begin(&c, USER));
	ASSERT_EQ(0, break_plans(&c));
	b.t.a = next_epoch(shown(&c, PLAN).epoch);
	ASSERT_EQ(0, seteuid(STRANGER));
	ASSERT_EQ(0, nl_open(&b.nl));
	ASSERT_EQ(0, seteuid(0));
	EXPECT_EQ(0, as(USER, over_borrowed, &c, &b));
	nl_shut(&b.nl);
	ASSERT_EQ(0, seteuid(USER));
	ASSERT_EQ(0, nl_open(&b.nl));
	ASSERT_EQ(0, seteuid(0));
	EXPECT_EQ(0, as(STRANGER, over_borrowed, &c, &b));
	b.t = (struct case_of){ .a = b.t.a };
	EXPECT_EQ(0, as(USER, over_borrowed, &c, &b));
	nl_shut(&b.nl);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(grant_can_be_given_and_revoked_without_new_epoch)
{
	struct case_of t = { .err = -EPERM, .text = "the user who guards it" };
	struct cube c;

	ASSERT_EQ(0, begin(&c, NOT_GIVEN));
	ASSERT_EQ(0, break_plans(&c));
	t.a = next_epoch(shown(&c, PLAN).epoch);
	EXPECT_EQ(0, as(USER, one_case, &c, &t));
	EXPECT_EQ(0, plan_set(ctl(), &c, PLAN, STRANGER));
	EXPECT_EQ(0, as(USER, one_case, &c, &t));
	EXPECT_EQ(0, plan_set(ctl(), &c, PLAN, USER));
	EXPECT_EQ(USER, shown(&c, PLAN).uid);
	EXPECT_EQ(t.a.prev, shown(&c, PLAN).epoch);
	EXPECT_EQ(0, plan_set(ctl(), &c, PLAN, -1));
	EXPECT_EQ(NOT_GIVEN, shown(&c, PLAN).uid);
	EXPECT_EQ(0, as(USER, one_case, &c, &t));
	EXPECT_EQ(0, plan_set(ctl(), &c, PLAN, USER));
	t.err = 0;
	t.text = NULL;
	EXPECT_EQ(0, as(USER, one_case, &c, &t));
	EXPECT_EQ(0, cube_del(&c));
}

/* A request without PREV ends the grant. If the plan is granted again, the user may choose only the
 * plan's own members.
 */
TEST(request_without_prev_epoch_ends_the_grant)
{
	struct ask a = next_epoch(0);
	struct cube c;

	ASSERT_EQ(0, begin(&c, USER));
	a.without = 1u << 6;
	a.prev = shown(&c, PLAN).epoch;
	EXPECT_EQ(0, ask(ctl(), &c, &a));
	EXPECT_EQ(USER, shown(&c, PLAN).uid);
	EXPECT_EQ(0xbf, shown(&c, PLAN).members);
	EXPECT_EQ(0x7f, shown(&c, PLAN).grant);
	/* An epoch with a GUARD_UID grants the plan to this user, who may choose the members of
	 * this epoch and those that were granted before.
	 */
	a.prev = shown(&c, PLAN).epoch;
	a.uid = STRANGER;
	EXPECT_EQ(0, ask(ctl(), &c, &a));
	EXPECT_EQ(STRANGER, shown(&c, PLAN).uid);
	EXPECT_EQ(0xff, shown(&c, PLAN).grant);
	a.uid = NOT_GIVEN;
	a.prev = 0;
	EXPECT_EQ(0, ask(ctl(), &c, &a));
	EXPECT_EQ(NOT_GIVEN, shown(&c, PLAN).uid);
	EXPECT_EQ(0, plan_set(ctl(), &c, PLAN, USER));
	EXPECT_EQ(0xbf, shown(&c, PLAN).grant);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(grant_of_plan_without_guard_is_refused)
{
	struct ask a = next_epoch(0);
	struct cube c;

	ASSERT_EQ(0, begin(&c, NOT_GIVEN));
	a.guard = 0;
	a.recipe = NULL;
	EXPECT_EQ(0, ask(ctl(), &c, &a));
	EXPECT_EQ(-EINVAL, plan_set(ctl(), &c, PLAN, USER));
	EXPECT_NE(NULL, strstr(ctl()->extack, "Only a guarded plan"));
	a.uid = USER;
	EXPECT_EQ(-EINVAL, ask(ctl(), &c, &a));
	EXPECT_NE(NULL, strstr(ctl()->extack, "Only a guarded plan"));
	EXPECT_EQ(-ENOENT, plan_set(ctl(), &c, 99, USER));
	EXPECT_EQ(-EINVAL, plan_set(ctl(), &c, OTHER, NOT_GIVEN));
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
