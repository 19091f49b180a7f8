/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libhypercube-plan: find plans around the faults of a fabric, and install them.
 *
 * The planners are those of hcctl(8), which plans by hand.  Every function that returns int
 * returns 0 (or what its text says) or a negative errno; hcl_plan_explain() has words for it.
 * All talk to the kernel by netlink, of the network namespace that the calling thread is in, which
 * has to be the fabric's.  Any thread may call them at any time.
 */
#ifndef LIBHYPERCUBE_PLAN_H
#define LIBHYPERCUBE_PLAN_H

#include <stddef.h>
#include <stdint.h>
#include <linux/hypercube.h>
#include <libhypercube-checked.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Instead of a root: the planner chooses the best one. */
#define HCL_PLAN_ANY	UINT32_MAX

/**
 * struct hcl_plan - a plan that is installed
 * @id: its id
 * @type: enum hypercube_plan_type
 * @epoch: which installation of this id: each has another number
 * @dim: dimension of the fabric
 * @root: sink of a tree, source of a broadcast, lowest node of a recursive doubling; of rings
 *	the node where the first one begins
 * @members: number of its members, see hcl_plan_members()
 * @broken: not 0: a fault has broken it, and a new one is needed
 * @cause_node: where that fault lies, or ~0
 * @cause_dim: the dimension of the faulty link, or ~0
 */
struct hcl_plan {
	uint32_t id;
	uint32_t type;
	uint32_t epoch;
	uint32_t dim;
	uint32_t root;
	uint32_t members;
	uint32_t broken;
	uint32_t cause_node;
	uint32_t cause_dim;
};

/**
 * hcl_plan_install() - find a plan around the present faults, and install it
 * @fabric: name of the fabric
 * @id: the plan's id, 1 or more; one that is there under this id is replaced, and its pending
 *	operations end with -ESTALE
 * @type: enum hypercube_plan_type
 * @root: the sink of a tree, or HCL_PLAN_ANY; the source of a broadcast; else HCL_PLAN_ANY
 * @plan: what was installed, or NULL
 *
 * As "hcctl tree find", "bcast plan", "doubling plan" and "ring plan" do without further words:
 * the tree with most members and fewest steps, the broadcast to all that the source can reach,
 * the largest subcube without faults, the rings of the largest connected part.  A node that is
 * cut off is no member.  If faults change meanwhile, it plans again.  One member installs a
 * plan, the others wait for it with hcl_plan_await().
 *
 * Needs CAP_NET_ADMIN in the user namespace that the fabric's network namespace belongs to.
 *
 * Return: 0; -EPERM; -ENODEV (no such fabric here); -EINVAL (no such type, @id 0, or a root
 * where none can be, or none where one must be); -ERANGE (@root is no node); -ENOLINK (it is cut
 * off or has failed); -EHOSTDOWN (no node is left, or none connected with another); -ESTALE (the
 * faults change too fast); -EDQUOT (limits, see hypercube(7)); -ENOMEM; -EIO (no module).
 */
int hcl_plan_install(const char *fabric, uint32_t id, uint32_t type, uint32_t root,
		     struct hcl_plan *plan);

/**
 * hcl_plan_install_members() - install a tree plan whose members are exactly some nodes
 * @fabric: name of the fabric
 * @id: as hcl_plan_install()
 * @nodes: the members' numbers, in any order
 * @n: number of members
 * @guard_ms: install it as a guarded plan, whose members wait this long for its next epoch; 0:
 *	it is not guarded
 * @plan: what was installed, or NULL
 *
 * As "hcctl tree find .. members" does, see hcctl-tree(8): other nodes only relay, and the sink is
 * any member.  The process that guards the plan ("hcctl guard") plans it again with the same
 * members, or waits until they are connected.
 *
 * Needs what hcl_plan_install() needs.
 *
 * Return: as hcl_plan_install(); -ERANGE (no such node); -ENOLINK (a member has failed or is cut
 * off); -E2BIG (a guarded plan keeps its list of members, which is too long).
 */
int hcl_plan_install_members(const char *fabric, uint32_t id, const uint32_t *nodes, size_t n,
			     unsigned int guard_ms, struct hcl_plan *plan);

/**
 * hcl_plan_get() - describe an installed plan
 * @fabric: name of the fabric
 * @id: the plan's id
 * @plan: filled in
 *
 * Needs no privilege.
 *
 * Return: 0; -ENODEV (no such fabric here); -ENOENT (no such plan); -ENOMEM; -EIO (no module).
 */
int hcl_plan_get(const char *fabric, uint32_t id, struct hcl_plan *plan);

/**
 * hcl_plan_await() - wait for a plan that another process installs
 * @fabric: name of the fabric
 * @id: the plan's id; it need not be there yet
 * @epoch: epoch of the plan that is not wanted any more; 0: any will do
 * @ms: milliseconds to wait at most; 0: check once
 * @plan: filled in
 *
 * Returns when there is a plan of another epoch that no fault has broken.  Looks every few
 *	milliseconds. Needs no privilege.
 *
 * Return: 0; -ETIMEDOUT; -ENODEV (no such fabric here); -ENOMEM; -EIO (no module).
 */
int hcl_plan_await(const char *fabric, uint32_t id, uint32_t epoch, unsigned int ms,
		   struct hcl_plan *plan);

/**
 * hcl_plan_members() - list the members of a plan
 * @fabric: name of the fabric
 * @id: the plan's id
 * @nodes: filled in with their numbers, ascending
 * @max: how many fit
 *
 * If each member gives or gets a block, the blocks are in this order.
 *
 * Return: the number of members, which may be more than @max, or as hcl_plan_get().
 */
int hcl_plan_members(const char *fabric, uint32_t id, uint32_t *nodes, size_t max);

/**
 * hcl_plan_remove() - remove a plan
 * @fabric: name of the fabric
 * @id: the plan's id
 *
 * Its pending operations end with -ESTALE.  Needs what hcl_plan_install() needs.
 *
 * Return: 0; -EPERM; -ENODEV (no such fabric here); -ENOENT (no such plan); -ENOMEM; -EIO (no
 * module).
 */
int hcl_plan_remove(const char *fabric, uint32_t id);

/* A guard of a plan. */
struct hcl_guard;

/**
 * hcl_guard() - guard a plan for as long as this program runs
 * @guard: set to the guard
 * @fabric: name of the fabric
 * @id: the plan's id; it must be a guarded plan
 *
 * When a fault breaks the plan, its next epoch is computed and installed, for which its members
 * wait.  "hcctl guard" does that, see hcctl-guard(8): it is started as a child process in a process
 * group of its own, is found by PATH, and ends with the program, however that ends, or with
 * hcl_guard_end().  Any number of programs may guard a plan.  A program that waits for any child
 * process (waitpid(-1, ..)) may get to see this one.
 *
 * Needs CAP_NET_ADMIN as hcl_plan_install(), or to be the user to whom the plan was given ("hcctl
 * plan set .. guard-uid"). Without that the guard begins, and says so when the plan breaks.
 *
 * Return: 0; -EPERM (the program has more rights than its user, by set-user-ID or file
 * capabilities, so it may not go by PATH); -ENODEV (no such fabric here); -ENOENT (no such plan);
 * -EINVAL (it is not guarded); -ENOEXEC (there is no hcctl); -EAGAIN, -EMFILE, .. (no process, no
 * descriptors); -ENOMEM; -EIO (no module).
 */
int hcl_guard(struct hcl_guard **guard, const char *fabric, uint32_t id);

/**
 * hcl_guard_fd() - tell by which descriptor a guard complains
 * @guard: the guard
 *
 * It does not block. Lines of text can be read from it, each the reason why the plan could not be
 * planned again for now; after the last one, when the guard has ended, read() returns 0.
 *
 * Return: the descriptor, for poll(). It belongs to the guard.
 */
int hcl_guard_fd(const struct hcl_guard *guard);

/**
 * hcl_guard_end() - end a guard
 * @guard: the guard, which is freed; NULL is allowed
 *
 * The plan stays as it is. hcl_plan_explain() has the last line that was not read from
 * hcl_guard_fd(), if there is one, also after 0.
 *
 * Return: 0; -ECHILD: it had ended before, as the fabric was removed or it was killed.
 */
int hcl_guard_end(struct hcl_guard *guard);

/**
 * struct hcl_checked - pairs of trees that are installed, see libhypercube-checked.h
 * @best: the pair to use
 * @members: number of members of @best
 * @nunseen: number of nodes that relay in both of its trees
 * @unseen: these nodes, ascending: each of them can corrupt results undetected
 * @npairs: number of pairs in @pair
 * @pair: for hcl_checked_locate(): the pairs of each dimension that has members on both sides
 * @dimension: for each pair its dimension
 */
struct hcl_checked {
	struct hcl_pair best;
	uint32_t members;
	uint32_t nunseen;
	uint32_t *unseen;
	uint32_t npairs;
	struct hcl_pair pair[HYPERCUBE_DIM_MAX];
	uint32_t dimension[HYPERCUBE_DIM_MAX];
};

/**
 * hcl_checked_install() - find pairs of trees around the present faults, and install them
 * @fabric: name of the fabric
 * @id: the ids of the first pair are this one and the next, that of dimension k is @id + 2 +
 *	2 * k and the next; plans that are there are replaced
 * @root: the sink of the first tree of each pair, or HCL_PLAN_ANY
 * @c: what was installed, to be released with hcl_checked_free(); or NULL
 *
 * As "hcctl checked plan .. apply rotated" does, see hcctl-checked(8) for which trees are found.
 * One member installs them, the others wait for the last with hcl_plan_await() and call
 * hcl_checked_get().  Needs what hcl_plan_install() needs.
 *
 * Return: as hcl_plan_install().
 */
int hcl_checked_install(const char *fabric, uint32_t id, uint32_t root, struct hcl_checked **c);

/**
 * hcl_checked_get() - describe installed pairs of trees
 * @fabric: name of the fabric
 * @id: as hcl_checked_install()
 * @c: to be released with hcl_checked_free()
 *
 * Computes the relays from the plans and the faults, which are those that the plans were made for
 * unless they are broken.  Needs no privilege.
 *
 * Return: 0; -ENODEV (no such fabric here); -ENOENT (no such pair); -ENOLINK (a fault has broken a
 * tree); -EINVAL (they are no such trees); -ENOMEM; -EIO (no module).
 */
int hcl_checked_get(const char *fabric, uint32_t id, struct hcl_checked **c);

/* Free the result of the calls above, or NULL. The plans stay: see hcl_checked_remove(). */
void hcl_checked_free(struct hcl_checked *c);

/**
 * hcl_checked_remove() - remove the plans
 * @fabric: name of the fabric
 * @c: the pairs
 *
 * Return: as hcl_plan_remove(), for the first plan that could not be removed.
 */
int hcl_checked_remove(const char *fabric, const struct hcl_checked *c);

/**
 * hcl_plan_explain() - say in words why the latest of these calls failed
 * @buf: filled in with one line without newline, NUL terminated
 * @size: bytes at @buf; 256 are enough
 *
 * The failure is one of this thread.  For example "fabric hc0: No such fabric (No such file or
 * directory)", or "fabric hc0: no tree: no live node".
 *
 * Return: @buf; "" if none has failed.
 */
char *hcl_plan_explain(char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* LIBHYPERCUBE_PLAN_H */
