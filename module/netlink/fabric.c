// SPDX-License-Identifier: GPL-2.0
/*
 * Fabrics come and go.
 *
 * With thousands of endpoints that takes seconds, during which a request would hold generic
 * netlink's lock (netlink/later.c).  So each is left to a work item of its own, which answers
 * when it is done; others' requests are served meanwhile.
 *
 * The work runs in nobody's name: memory is charged to the cgroup of the task that asked, and
 * the number of work items to its account (limits.c).  If that task closes its socket, a fabric
 * that is not finished is given up.
 *
 * Lifetime: the socket of the task that asked holds the namespace.  When the module is unloaded the
 * works end before the sockets and the fabrics do.
 */
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "netlink/priv.h"

/**
 * struct fabric_job - a fabric is to be made or removed
 * @work: does it
 * @does: how
 * @asked: who is to be answered
 * @said: what
 * @p: the fabric
 * @name: its name
 * @net: its namespace
 * @payer: the payer whose account the job is on
 * @memcg: what memory is charged to
 */
struct fabric_job {
	struct work_struct work;
	int (*does)(struct fabric_job *job);
	struct hc_asked asked;
	struct hc_said said;
	struct hc_fabric_params p;
	char name[HYPERCUBE_NAME_MAX];
	struct net *net;
	struct hc_payer *payer;
	struct mem_cgroup *memcg;
};

static struct workqueue_struct *jobs;

static void job_free(struct fabric_job *job)
{
	mem_cgroup_put(job->memcg);
	hc_uncharge(job->payer, HC_LIMIT_JOBS, 1);
	hc_payer_put(job->payer);
	hc_asked_free(&job->asked);
	kfree(job);
}

static void job_work(struct work_struct *work)
{
	struct fabric_job *job = container_of(work, struct fabric_job, work);
	struct mem_cgroup *old = set_active_memcg(job->memcg);
	int err = job->does(job);

	hc_asked_answer(&job->asked, err, &job->said.extack);
	set_active_memcg(old);
	job_free(job);
}

static int job_charge(struct fabric_job *job, struct netlink_ext_ack *extack)
{
	int err;

	job->payer = hc_payer_get(job->net);
	if (!job->payer)
		return -ENOMEM;
	err = hc_charge(job->payer, HC_LIMIT_JOBS, 1, extack);
	if (err)
		hc_payer_put(job->payer);
	return err;
}

static int job_start(struct sk_buff *skb, struct genl_info *info, struct fabric_job *job)
{
	int err;

	job->net = genl_info_net(info);
	err = job_charge(job, info->extack);
	if (err)
		goto err_free;
	err = hc_asked_keep(&job->asked, skb, info, false);
	if (err)
		goto err_charge;
	job->p.asker = job->asked.sk;
	job->memcg = get_mem_cgroup_from_mm(current->mm);
	INIT_WORK(&job->work, job_work);
	queue_work(jobs, &job->work);
	/* -EINTR makes netlink send no answer now: job_work() sends it. */
	return -EINTR;

err_charge:
	hc_uncharge(job->payer, HC_LIMIT_JOBS, 1);
	hc_payer_put(job->payer);
err_free:
	kfree(job);
	return err;
}

static struct fabric_job *job_new(struct genl_info *info, int (*does)(struct fabric_job *job))
{
	struct fabric_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	job->does = does;
	nla_strscpy(job->name, info->attrs[HYPERCUBE_A_FABRIC_NAME], sizeof(job->name));
	job->p.name = job->name;
	return job;
}

/* ------------------------------------------------------------ requests */

static int create(struct fabric_job *job)
{
	return hc_fabric_create(job->net, &job->p, &job->said.extack);
}

static int id_check(struct genl_info *info, const struct nlattr *id)
{
	if (!id || (nla_get_u32(id) && nla_get_u32(id) <= HYPERCUBE_FABRIC_ID_MAX))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, id, "A fabric's id is 1 to 65535");
	return -ERANGE;
}

static int part_check(struct genl_info *info, const struct nlattr *fixed, const struct nlattr *base)
{
	if (!fixed == !base)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, fixed ?: base,
			    "The part that is here is named by the bits that are fixed and what they are");
	return -EINVAL;
}

int hc_nl_fabric_new(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *segment = info->attrs[HYPERCUBE_A_FABRIC_SEGMENT];
	struct nlattr *fixed = info->attrs[HYPERCUBE_A_FABRIC_FIXED];
	struct nlattr *base = info->attrs[HYPERCUBE_A_FABRIC_BASE];
	struct nlattr *id = info->attrs[HYPERCUBE_A_FABRIC_ID];
	struct fabric_job *job;
	int err;

	if (hc_missing(info, HYPERCUBE_A_FABRIC_NAME, "A fabric needs a name") ||
	    hc_missing(info, HYPERCUBE_A_FABRIC_DIM, "A fabric needs a dimension"))
		return -EINVAL;
	err = id_check(info, id) ?: part_check(info, fixed, base);
	if (err)
		return err;
	job = job_new(info, create);
	if (!job)
		return -ENOMEM;
	job->p.dim = nla_get_u32(info->attrs[HYPERCUBE_A_FABRIC_DIM]);
	job->p.fixed = fixed ? nla_get_u32(fixed) : 0;
	job->p.base = base ? nla_get_u32(base) : 0;
	job->p.id = id ? nla_get_u32(id) : 0;
	job->p.segment = segment ? nla_get_u32(segment) : 0;
	return job_start(skb, info, job);
}

static int destroy(struct fabric_job *job)
{
	return hc_fabric_destroy(job->net, job->p.name, &job->said.extack);
}

int hc_nl_fabric_del(struct sk_buff *skb, struct genl_info *info)
{
	struct fabric_job *job;

	if (hc_missing(info, HYPERCUBE_A_FABRIC_NAME, "The request names no fabric"))
		return -EINVAL;
	job = job_new(info, destroy);
	return job ? job_start(skb, info, job) : -ENOMEM;
}

int hc_nl_fabrics_init(void)
{
	jobs = alloc_workqueue("hypercube", WQ_UNBOUND, 0);
	return jobs ? 0 : -ENOMEM;
}

void hc_nl_fabrics_exit(void)
{
	destroy_workqueue(jobs);
}
