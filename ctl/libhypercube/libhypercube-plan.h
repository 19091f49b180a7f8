/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libhypercube-plan: find plans around the faults of a fabric, and install them.
 *
 * The planners are those of hcctl(8), which makes plans on the command line. Every function that
 * returns int returns 0 (or what its description says) or a negative errno, which
 * hcl_plan_explain() describes. The functions use netlink in the network namespace of the calling
 * thread, which must be the fabric's. Any thread may call them at any time.
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

/* In place of a root: the planner chooses the best one. */
#define HCL_PLAN_ANY	UINT32_MAX

/**
 * struct hcl_plan - an installed plan
 * @id: its id
 * @type: enum hypercube_plan_type
 * @epoch: number of this installation; each installation under the id has another number
 * @dim: dimension of the fabric
 * @root: sink of a tree, source of a broadcast, lowest node of recursive doubling; of rings the
 *	node where the first ring begins
 * @members: number of its members, see hcl_plan_members()
 * @broken: not 0: a fault has broken it, and a new plan is needed
 * @cause_node: the node that has failed, or that is at the faulty link; ~0: not known
 * @cause_dim: the dimension of the faulty link; ~0: not known, or the fault is not a link's
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
 * @id: the plan's id, 1 or more; an installed plan with this id is replaced, and its pending
 *	operations end with -ESTALE
 * @type: enum hypercube_plan_type
 * @root: the sink of a tree, or HCL_PLAN_ANY; the source of a broadcast; else HCL_PLAN_ANY
 * @plan: set to the installed plan, or NULL
 *
 * The plan is that of "hcctl tree find", "bcast plan", "doubling plan" or "ring plan" without
 * further keywords: the tree with most members and fewest steps, the broadcast to all nodes that
 * the source can reach, the largest subcube without faults, or the rings of the largest connected
 * component. A node that is cut off is not a member. If faults change meanwhile, the function plans
 * again. One member installs a plan, and the others wait for it with hcl_plan_await().
 *
 * Needs CAP_NET_ADMIN in the user namespace that the fabric's network namespace belongs to.
 *
 * Return: 0; -EPERM; -ENODEV (no such fabric here); -EINVAL (no such type, @id 0, or a @root where
 * the type allows none, or no @root where it needs one); -ERANGE (@root is not a node); -ENOLINK
 * (@root is cut off or has failed); -EHOSTDOWN (no node is left, or none is connected with
 * another); -ESTALE (the faults change too fast); -EDQUOT (limits, see hypercube(7)); -ENOMEM; -EIO
 * (no module).
 */
int hcl_plan_install(const char *fabric, uint32_t id, uint32_t type, uint32_t root,
		     struct hcl_plan *plan);

/**
 * hcl_plan_install_members() - install a tree plan with exactly the given members
 * @fabric: name of the fabric
 * @id: as hcl_plan_install()
 * @nodes: the members' numbers, in any order
 * @n: number of members
 * @guard_ms: install it as a guarded plan, whose members wait this many ms for its next epoch; 0:
 *	it is not guarded
 * @plan: set to the installed plan, or NULL
 *
 * As "hcctl tree find .. members" does, see hcctl-tree(8): other nodes only relay, and the sink is
 * any member. The process that guards the plan ("hcctl guard") plans it again with the same
 * members, or waits until they are connected.
 *
 * Needs the same rights as hcl_plan_install().
 *
 * Return: as hcl_plan_install(); -ERANGE (no such node); -ENOLINK (a member has failed or is cut
 * off); -E2BIG (the kernel stores the list of members of a guarded plan, and this list is too
 * long).
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
 * @id: the plan's id; it need not be installed yet
 * @epoch: epoch of the plan that the caller knows; 0: any epoch will do
 * @ms: milliseconds to wait at most; 0: check once
 * @plan: filled in
 *
 * Checks every few milliseconds, and returns when a plan of another epoch is installed that no
 * fault has broken. Needs no privilege.
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
 * @max: number of entries of @nodes
 *
 * If each member contributes or receives a block, the blocks are in this order.
 *
 * Return: the number of members, which may be more than @max, or as hcl_plan_get().
 */
int hcl_plan_members(const char *fabric, uint32_t id, uint32_t *nodes, size_t max);

/**
 * hcl_plan_remove() - remove a plan
 * @fabric: name of the fabric
 * @id: the plan's id
 *
 * Its pending operations end with -ESTALE.  Needs the same rights as hcl_plan_install().
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
 * When a fault breaks the plan, its members wait, and the guard computes and installs the next
 * epoch. The guard is "hcctl guard", see hcctl-guard(8), which is found by PATH. It runs as a child
 * process in a process group of its own, and ends when the program ends for any reason, or with
 * hcl_guard_end(). Any number of programs may guard a plan. A program that waits for any child
 * process (waitpid(-1, ..)) may get the status of the guard.
 *
 * The caller needs CAP_NET_ADMIN as for hcl_plan_install(), or must be the user who may guard the
 * plan ("hcctl plan set .. guard-uid"). Otherwise the guard starts, but reports an error when the
 * plan breaks.
 *
 * Return: 0; -EPERM (the program has more rights than its user, by set-user-ID or file
 * capabilities, so it may not search PATH); -ENODEV (no such fabric here); -ENOENT (no such plan);
 * -EINVAL (it is not guarded); -ENOEXEC (there is no hcctl); -EAGAIN, -EMFILE, .. (no process, no
 * descriptors); -ENOMEM; -EIO (no module).
 */
int hcl_guard(struct hcl_guard **guard, const char *fabric, uint32_t id);

/**
 * hcl_guard_fd() - get the descriptor by which a guard reports errors
 * @guard: the guard
 *
 * The descriptor is non-blocking. Lines of text can be read from it; each is the reason why the
 * guard could not plan at that time. When the guard has ended, read() returns 0 after the last
 * line.
 *
 * Return: the descriptor, for poll(). It belongs to the guard.
 */
int hcl_guard_fd(const struct hcl_guard *guard);

/**
 * hcl_guard_end() - end a guard
 * @guard: the guard, which is freed; NULL is allowed
 *
 * The plan stays as it is. If there is a line that was not read from hcl_guard_fd(),
 * hcl_plan_explain() then has the last one, even if this returns 0.
 *
 * Return: 0; -ECHILD if the guard had ended before, because the fabric was removed or the guard was
 * killed.
 */
int hcl_guard_end(struct hcl_guard *guard);

/**
 * struct hcl_checked - installed pairs of trees, see libhypercube-checked.h
 * @best: the pair to use
 * @members: number of members of @best
 * @nunseen: number of nodes that relay in both trees of @best
 * @unseen: these nodes, ascending: each of them can corrupt results undetected
 * @npairs: number of pairs in @pair
 * @pair: for hcl_checked_locate(): a pair for each dimension that has members on both sides
 * @dimension: for each entry of @pair its dimension
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
 * @id: the first pair has the ids @id and @id + 1, and the pair of dimension k has @id + 2 + 2 * k
 *	and the id after it; plans with these ids are replaced
 * @root: the sink of the first tree of each pair, or HCL_PLAN_ANY
 * @c: set to the installed pairs, to be released with hcl_checked_free(); or NULL
 *
 * As "hcctl checked plan .. apply rotated" does; hcctl-checked(8) describes which trees are found.
 * One member installs them; the others wait for the last one with hcl_plan_await() and call
 * hcl_checked_get(). Needs the same rights as hcl_plan_install().
 *
 * Return: as hcl_plan_install().
 */
int hcl_checked_install(const char *fabric, uint32_t id, uint32_t root, struct hcl_checked **c);

/**
 * hcl_checked_get() - describe installed pairs of trees
 * @fabric: name of the fabric
 * @id: as hcl_checked_install()
 * @c: set to the pairs, to be released with hcl_checked_free()
 *
 * Computes the relays from the plans and the present faults. Unless the plans are broken, these are
 * the faults for which the plans were made. Needs no privilege.
 *
 * Return: 0; -ENODEV (no such fabric here); -ENOENT (no such pair); -ENOLINK (a fault has broken a
 * tree); -EINVAL (the plans are not such trees); -ENOMEM; -EIO (no module).
 */
int hcl_checked_get(const char *fabric, uint32_t id, struct hcl_checked **c);

/* Free what hcl_checked_install() or hcl_checked_get() has returned, or NULL. The plans stay
 * installed: see hcl_checked_remove().
 */
void hcl_checked_free(struct hcl_checked *c);

/**
 * hcl_checked_remove() - remove the plans of pairs of trees
 * @fabric: name of the fabric
 * @c: the pairs
 *
 * Return: as hcl_plan_remove(), for the first plan that could not be removed.
 */
int hcl_checked_remove(const char *fabric, const struct hcl_checked *c);

/**
 * hcl_plan_explain() - describe in words why the latest failed call has failed
 * @buf: filled in with one line without newline, NUL terminated
 * @size: bytes at @buf; 256 are enough
 *
 * The call is the latest one of a function of this library, in this thread, that has failed. For
 * example "fabric hc0: No such fabric (No such file or directory)", or "fabric hc0: no tree: no
 * live node".
 *
 * Return: @buf; "" if no call has failed.
 */
char *hcl_plan_explain(char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* LIBHYPERCUBE_PLAN_H */
