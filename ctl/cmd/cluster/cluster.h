/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the files of hcctl cluster, for a fabric that spans several machines and is
 * described by one file. cluster_read.c reads the file, ssh.c runs hcctl on the hosts,
 * cluster_fabric.c makes the fabrics, cluster_trunk.c and cluster_plan.c find and make missing
 * trunks and plans, and cluster.c calls all of these in turn.
 */
#ifndef _HCCTL_CLUSTER_H
#define _HCCTL_CLUSTER_H

#include <sys/types.h>

#include "cmd/state/state.h"

#define CLUSTER_FORMAT	"hypercube-cluster"
#define CLUSTER_VERSION	1
/* Maximum number of hosts. While a command runs, there is a connection to each host. */
#define CLUSTER_HOSTS	1024

/**
 * struct cluster_host - a machine that holds a partition of the fabric
 * @name: name of the host in messages, and by default for ssh
 * @ssh: name of the host for ssh; NULL: the host is this machine
 * @netns: a network namespace on the host, or NULL
 * @address: address, with or without a port, at which other hosts reach this one
 * @tls: CERT,KEY,CA[,NAME]: files on the host, and a name; or NULL
 * @no_plans: the host accepts no plans from other hosts
 * @fixed: subcube mask of its partition
 * @base: subcube value of its partition
 */
struct cluster_host {
	const char *name;
	const char *ssh;
	const char *netns;
	const char *address;
	const char *tls;
	bool no_plans;
	uint32_t fixed;
	uint32_t base;
};

/**
 * struct cluster_trunk - a trunk between two hosts
 * @dim: dimension of its links
 * @listen: index of the host that listens
 * @connect: index of the host that connects
 * @address: address to connect to
 * @up: the trunk is established at both ends
 */
struct cluster_trunk {
	uint32_t dim;
	size_t listen;
	size_t connect;
	const char *address;
	bool up;
};

/**
 * struct cluster_plan - a plan that all hosts are to have
 * @id: id of the plan
 * @type: its plan type
 * @with: further keywords of the plan, or NULL
 * @up: all hosts have the plan
 */
struct cluster_plan {
	uint32_t id;
	const struct planner *type;
	const char *with;
	bool up;
};

/**
 * struct cluster - contents of a cluster file, and the state of a command
 * @file: its name
 * @root: the JSON document, which holds the strings
 * @state: the state that the fabric is to have, as if it were on one machine; its plans are in
 *	@plan
 * @keep: keepalive time of trunks, ms; 0: the default
 * @digest: trunks without TLS have digests
 * @ssh: the ssh program
 * @ssh_dir: folder of the sockets of shared connections, or ""
 * @dry: dry run: only print what would be done
 * @there: for each host, whether it has the fabric; in a dry run, whether it already has it
 * @changes: number of changes printed so far
 */
struct cluster {
	const char *file;
	struct json_object *root;
	struct state state;
	uint32_t keep;
	bool digest;
	struct cluster_host *host;
	size_t nhosts;
	struct cluster_trunk *trunk;
	size_t ntrunks;
	struct cluster_plan *plan;
	size_t nplans;
	const char *ssh;
	char ssh_dir[32];
	bool dry;
	bool *there;
	size_t changes;
};

/* --- cluster_read.c: release with cluster_free(), even after an error --- */
int cluster_read(struct hcctl *h, const char *file, struct cluster *c);
void cluster_free(struct cluster *c);

/* --- ssh.c --- */

/**
 * struct remote - an hcctl that runs on a host
 * @host: the host
 * @pid: the local process, hcctl or ssh; 0: it could not be started
 * @fd: its standard input, output and error: files in memory
 */
struct remote {
	const struct cluster_host *host;
	pid_t pid;
	int fd[3];
};

#define REMOTE_WORDS 64

/**
 * struct remote_call - a command line of hcctl that is to run on hosts
 * @words: its arguments; NULL ends them
 * @input: standard input of the command, or NULL
 * @text: the output of the command is text, not JSON
 */
struct remote_call {
	const char *words[REMOTE_WORDS];
	const char *input;
	bool text;
};

int remote_start(struct hcctl *h, const struct cluster *c, const struct cluster_host *host,
		 const struct remote_call *call, struct remote *r);
/* Wait until hcctl on a host ends, and print its error messages, each after the name of the host.
 * *@said is set to its output, to be freed. Return: 0 or an exit status.
 */
int remote_end(struct hcctl *h, struct remote *r, char **said);
/* Run a command on all hosts at the same time; or if @to is not NULL, on the hosts for which its
 * entry is true. @input, if not NULL, has the standard input for each host. @said is set to the
 * output of each host, or NULL if there is none; release it with remote_free().
 */
int remote_all(struct hcctl *h, const struct cluster *c, const struct remote_call *call,
	       const bool *to, char * const *input, struct json_object **said);
int remote_one(struct hcctl *h, const struct cluster *c, size_t i, const struct remote_call *call,
	       struct json_object **said);
void remote_free(const struct cluster *c, struct json_object **said);
/* Close the shared connections. */
void remote_close(struct cluster *c);

/* --- cluster.c --- */
/* Begin to print that an object is added (@comes) or removed: an element of the open array, in text
 * such as "one: + trunk". @host may be NULL. The caller prints further attributes, and then calls
 * cluster_change_end().
 */
void cluster_change(struct hcctl *h, struct cluster *c, const char *host, bool comes,
		    const char *object);
void cluster_change_end(struct hcctl *h);

/* --- cluster_fabric.c --- */
/* Make the fabrics on the hosts, or change them to the state that the file describes. */
int cluster_fabrics(struct hcctl *h, struct cluster *c);
int cluster_fabrics_del(struct hcctl *h, struct cluster *c);
/* Return: the fabric with the cluster's name in @all, the list of a host's fabrics, or NULL. */
struct json_object *cluster_fabric_of(const struct cluster *c, struct json_object *all);
/* Wait until the nodes on all hosts have the FAULT words that follow from the file. A warning is
 * printed if that takes too long.
 */
int cluster_settle(struct hcctl *h, struct cluster *c);

/* --- cluster_trunk.c --- */
int cluster_trunks(struct hcctl *h, struct cluster *c);

/* --- cluster_plan.c --- */
int cluster_plans(struct hcctl *h, struct cluster *c);

/* --- all_hosts.c --- */
/* Run the same command on all hosts of the file @file. */
int cluster_all_hosts(struct hcctl *h, const char *file, int argc, char **argv);

/* Return: a member of a JSON object that another program has printed; NULL if there is none. */
static inline struct json_object *cluster_get(struct json_object *o, const char *key)
{
	struct json_object *v = NULL;

	if (json_object_is_type(o, json_type_object))
		json_object_object_get_ex(o, key, &v);
	return v;
}

static inline const char *cluster_text(struct json_object *o, const char *key)
{
	struct json_object *v = cluster_get(o, key);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";
}

static inline uint64_t cluster_number(struct json_object *o, const char *key)
{
	return json_object_get_uint64(cluster_get(o, key));
}

static inline bool cluster_flag(struct json_object *o, const char *key)
{
	return json_object_get_boolean(cluster_get(o, key));
}

/* Return: the length of an array; 0 if @o is not an array. */
static inline size_t cluster_length(struct json_object *o)
{
	return json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
}

#endif /* _HCCTL_CLUSTER_H */
