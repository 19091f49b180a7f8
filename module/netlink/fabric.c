// SPDX-License-Identifier: GPL-2.0
/*
 * Creation and removal of fabrics.
 *
 * With thousands of endpoints this takes seconds, during which a request would hold generic
 * netlink's lock (netlink/deferred.c). So each request is handed over to a work item of its own,
 * which answers it when the work is done; other requests are served meanwhile.
 *
 * The work runs in a kernel thread. Its memory is charged to the memory cgroup of the requester,
 * and the work item is counted for the accounting owner of the network namespace (limits.c). If the
 * requester closes its socket, a fabric that is not complete is removed again.
 *
 * Lifetime: the requester's socket holds the network namespace. When the module is unloaded, these
 * work items end before sockets and fabrics are removed.
 */
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "netlink/priv.h"

/**
 * struct fabric_job - a request to create or remove a fabric
 * @work: runs @does
 * @does: creates or removes the fabric
 * @asked: the requester
 * @said: the extack of the answer
 * @p: parameters of the fabric
 * @name: its name
 * @shape: its topology in words, for users
 * @net: its network namespace
 * @account: the accounting owner to which the job is charged
 * @memcg: memory cgroup to which memory is charged
 */
struct fabric_job {
	struct work_struct work;
	int (*does)(struct fabric_job *job);
	struct hc_asked asked;
	struct hc_said said;
	struct hc_fabric_params p;
	char name[HYPERCUBE_NAME_MAX];
	char shape[HYPERCUBE_SHAPE_MAX + 1];
	struct net *net;
	struct hc_account *account;
	struct mem_cgroup *memcg;
};

static struct workqueue_struct *jobs;

static void job_free(struct fabric_job *job)
{
	mem_cgroup_put(job->memcg);
	hc_uncharge(job->account, HC_LIMIT_JOBS, 1);
	hc_account_put(job->account);
	hc_asked_free(&job->asked);
	kvfree(job->p.topo.peers);
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

	job->account = hc_account_get(job->net);
	if (!job->account)
		return -ENOMEM;
	err = hc_charge(job->account, HC_LIMIT_JOBS, 1, extack);
	if (err)
		hc_account_put(job->account);
	return err;
}

static int job_start(struct sk_buff *skb, struct genl_info *info, struct fabric_job *job)
{
	int err;

	job->net = genl_info_net(info);
	err = job_charge(job, info->extack);
	if (err)
		goto err_free;
	/* A request with a table of peers is too long to be copied: only its headers are copied. */
	err = hc_asked_keep(&job->asked, skb, info, job->p.topo.peers);
	if (err)
		goto err_charge;
	job->p.asker = job->asked.sk;
	job->memcg = get_mem_cgroup_from_mm(current->mm);
	INIT_WORK(&job->work, job_work);
	queue_work(jobs, &job->work);
	/* -EINTR makes netlink send no answer now; job_work() sends it. */
	return -EINTR;

err_charge:
	hc_uncharge(job->account, HC_LIMIT_JOBS, 1);
	hc_account_put(job->account);
err_free:
	kvfree(job->p.topo.peers);
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

/* Compute the number of rows of the table of peers and their common length. */
static int table_size(struct genl_info *info, struct hc_topo *t)
{
	unsigned int size = nla_len(info->attrs[HYPERCUBE_A_FABRIC_PEERS]);
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != HYPERCUBE_A_FABRIC_PEERS)
			continue;
		if (nla_len(attr) != size || size % sizeof(u16) || !size) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "All nodes must have the same number of ports, at least one");
			return -EINVAL;
		}
		if (++t->nodes > HYPERCUBE_NODES_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr, "A fabric has at most 4096 nodes");
			return -EINVAL;
		}
	}
	t->ports = size / sizeof(u16);
	return 0;
}

static int table_get(struct genl_info *info, struct hc_topo *t)
{
	struct nlattr *attr;
	u16 *peer, *next;
	int err, rem;

	*t = (struct hc_topo){};
	err = table_size(info, t);
	if (err)
		return err;
	peer = kvmalloc_array(t->nodes, t->ports * sizeof(*peer), GFP_KERNEL_ACCOUNT);
	if (!peer)
		return -ENOMEM;
	next = peer;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem)
		if (nla_type(attr) == HYPERCUBE_A_FABRIC_PEERS) {
			memcpy(next, nla_data(attr), nla_len(attr));
			next += t->ports;
		}
	t->peers = peer;
	return 0;
}

/* Get the topology: a dimension, or a table of peers. */
static int topo_get(struct genl_info *info, struct hc_topo *t)
{
	struct nlattr *dim = info->attrs[HYPERCUBE_A_FABRIC_DIM];
	struct nlattr *peers = info->attrs[HYPERCUBE_A_FABRIC_PEERS];

	if (dim && peers) {
		NL_SET_ERR_MSG_ATTR(info->extack, peers,
				    "A fabric has a dimension or a table of peers, not both");
		return -EINVAL;
	}
	if (peers)
		return table_get(info, t);
	*t = hc_topo_cube(nla_get_u32(dim));
	return 0;
}

int hc_nl_fabric_new(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr *segment = info->attrs[HYPERCUBE_A_FABRIC_SEGMENT];
	struct nlattr *fixed = info->attrs[HYPERCUBE_A_FABRIC_SUBCUBE_MASK];
	struct nlattr *shape = info->attrs[HYPERCUBE_A_FABRIC_SHAPE];
	struct nlattr *base = info->attrs[HYPERCUBE_A_FABRIC_SUBCUBE_VALUE];
	struct nlattr *id = info->attrs[HYPERCUBE_A_FABRIC_ID];
	struct fabric_job *job;
	int err;

	if (hc_missing(info, HYPERCUBE_A_FABRIC_NAME, "A fabric needs a name") ||
	    (!info->attrs[HYPERCUBE_A_FABRIC_PEERS] &&
	     hc_missing(info, HYPERCUBE_A_FABRIC_DIM, "A fabric needs a dimension")))
		return -EINVAL;
	err = id_check(info, id) ?: part_check(info, fixed, base);
	if (err)
		return err;
	job = job_new(info, create);
	if (!job)
		return -ENOMEM;
	err = topo_get(info, &job->p.topo);
	if (err) {
		kfree(job);
		return err;
	}
	if (shape)
		nla_strscpy(job->shape, shape, sizeof(job->shape));
	job->p.shape = job->shape;
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
