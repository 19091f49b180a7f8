// SPDX-License-Identifier: GPL-2.0
/*
 * Who may install a plan: a requester with CAP_NET_ADMIN in the user namespace that owns the
 * fabric's network namespace, as for all changes of a fabric; or the user to whom such a requester
 * has entrusted a guarded plan (GUARD_UID). That user may install only the next epoch of this plan,
 * and only when the plan is broken.
 *
 * The user is trusted with the data of the plan: it chooses the root, and which of the nodes that
 * it was granted take part. It is not trusted with anything else:
 *
 * - The request names the broken epoch (PREV), so it replaces no newer epoch. The user cannot
 *   choose the next epoch (EPOCH): all plans of a fabric share the numbers of epochs, and a high
 *   number would leave none to the other plans.
 * - Only a broken plan is replaced, and operations of other plans do not end. As the user may break
 *   the plan (by closing a member's socket), and may send requests that are refused late, its
 *   requests are rate-limited: the fabric is locked for their grace periods. Each plan has its own
 *   limit, so that one user cannot use up the limit of another; the administrator bounds the sum by
 *   the number of plans that it entrusts to users.
 * - How long members wait, the recipe, and the user itself do not change, so the user cannot keep
 *   operations waiting for longer, and can neither pass on nor extend its right.
 * - Members are among the nodes that the user was granted (hc_grant_make()), which bounds the
 *   plan's memory, too. That memory is charged as before to the fabric's accounting owner, and to
 *   the memory cgroup of the requester.
 * - The fabric is on one machine (hc_guard_uid_check()), so no data crosses trunks; and it is in
 *   the network namespace of the requester's socket, as in all requests.
 */
#include <linux/capability.h>
#include <net/netlink.h>

#include "coll/plan.h"
#include "fabric/fabric.h"
#include "netlink/priv.h"

/* Return: true if @uid has both opened the socket and sent the request. As for capabilities, a
 * descriptor that was passed to another program, or that was received from another user, is not
 * enough.
 */
static bool is_sender(const struct sk_buff *skb, kuid_t uid)
{
	const struct socket *sock = NETLINK_CB(skb).sk->sk_socket;

	return uid_valid(uid) && uid_eq(current_euid(), uid) && sock && sock->file &&
	       uid_eq(sock->file->f_cred->euid, uid);
}

static int refuse(struct genl_info *info, int attr, const char *text)
{
	info->extack->_msg = text;
	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	return -EPERM;
}

/* Do the request's GUARD and RECIPE attributes equal those of the plan? */
static bool is_same_guard(struct genl_info *info, const struct hc_plan *plan)
{
	const struct nlattr *guard = info->attrs[HYPERCUBE_A_PLAN_GUARD];
	const struct nlattr *recipe = info->attrs[HYPERCUBE_A_PLAN_GUARD_RECIPE];

	return guard && nla_get_u32(guard) == plan->guard && !recipe == !plan->recipe &&
	       (!recipe || !nla_strcmp(recipe, plan->recipe));
}

/* Limit the rate of a guard's requests. All attempts count, because an attempt that fails late
 * costs as much as one that succeeds.
 */
static int keep_pace(struct genl_info *info, struct hc_plan *plan)
{
	if (jiffies - plan->tried < HC_GUARD_PACE) {
		NL_SET_ERR_MSG(info->extack,
			       "Who guards a plan has just asked for its next epoch: try later");
		return -EAGAIN;
	}
	plan->tried = jiffies;
	return 0;
}

/* Check everything that the user who guards a plan requests, except the members. */
static int check_next(struct genl_info *info, const struct hc_plan *plan)
{
	const struct nlattr *prev = info->attrs[HYPERCUBE_A_PLAN_PREV];
	static const int not_given[] = {
		HYPERCUBE_A_PLAN_EPOCH, HYPERCUBE_A_PLAN_LOCAL, HYPERCUBE_A_PLAN_REPAIR,
		HYPERCUBE_A_PLAN_GUARD_UID,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(not_given); i++)
		if (info->attrs[not_given[i]])
			return refuse(info, not_given[i],
				      "Who guards a plan may not choose this: CAP_NET_ADMIN may");
	if (!prev)
		return refuse(info, HYPERCUBE_A_PLAN_ID,
			      "Who guards a plan must name the epoch that is to be replaced");
	if (!is_same_guard(info, plan))
		return refuse(info, HYPERCUBE_A_PLAN_GUARD,
			      "Who guards a plan may not change its time or its recipe");
	if (nla_get_u32(prev) != plan->epoch) {
		NL_SET_ERR_MSG(info->extack, "The plan has another epoch by now");
		return -ESTALE;
	}
	if (!READ_ONCE(plan->broken))
		return refuse(info, HYPERCUBE_A_PLAN_ID,
			      "Who guards a plan may replace it only when it is broken");
	return 0;
}

/* Check for CAP_NET_ADMIN. @guards: the requester guards the plan, so it does not need the
 * capability, and a refusal must not be recorded as a denial in the audit log.
 */
static bool is_admin(const struct sk_buff *skb, struct genl_info *info, bool guards)
{
	struct user_namespace *owner = genl_info_net(info)->user_ns;

	return !(guards && !ns_capable_noaudit(owner, CAP_NET_ADMIN)) &&
	       netlink_ns_capable(skb, owner, CAP_NET_ADMIN);
}

int hc_nl_guard_may(const struct sk_buff *skb, struct genl_info *info)
{
	const struct nlattr *id = info->attrs[HYPERCUBE_A_PLAN_ID];
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_plan *plan = id ? xa_load(&fabric->plans, nla_get_u32(id)) : NULL;
	bool guards = plan && is_sender(skb, plan->guard_uid);

	lockdep_assert_held(&fabric->lock);
	info->user_ptr[1] = NULL;
	if (is_admin(skb, info, guards))
		return 0;
	if (!guards) {
		NL_SET_ERR_MSG(info->extack,
			       "Installing a plan needs CAP_NET_ADMIN, or to be the user who guards it");
		return -EPERM;
	}
	info->user_ptr[1] = plan;
	return check_next(info, plan) ?: keep_pace(info, plan);
}

/* Set the user who may guard a plan. The family requires CAP_NET_ADMIN for this command. */
int hc_nl_plan_set(struct sk_buff *skb, struct genl_info *info)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_plan *plan;
	kuid_t uid;
	int err;

	if (hc_missing(info, HYPERCUBE_A_PLAN_ID, "The request names no plan") ||
	    hc_missing(info, HYPERCUBE_A_PLAN_GUARD_UID, "The request names nothing to set"))
		return -EINVAL;
	NL_SET_BAD_ATTR(info->extack, info->attrs[HYPERCUBE_A_PLAN_ID]);
	plan = xa_load(&fabric->plans, nla_get_u32(info->attrs[HYPERCUBE_A_PLAN_ID]));
	if (!plan) {
		NL_SET_ERR_MSG(info->extack, "No such plan in this fabric");
		return -ENOENT;
	}
	if (!plan->guard) {
		NL_SET_ERR_MSG(info->extack, "Only a guarded plan has a user who may guard it");
		return -EINVAL;
	}
	err = hc_guard_uid_check(info, fabric) ?:
	      hc_nl_uid(skb, info, HYPERCUBE_A_PLAN_GUARD_UID, &uid);
	if (err)
		return err;
	WRITE_ONCE(plan->guard_uid, uid);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	return 0;
}
