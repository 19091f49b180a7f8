/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the files of hcctl cluster: a fabric that spans machines, described by one file.
 * cluster_read.c reads it, remote.c runs hcctl on the hosts, cluster_trunk.c and cluster_plan.c
 * compare and make trunks and plans, cluster_fabric.c fabrics, cluster.c all of it in turn.
 */
#ifndef _HCCTL_CLUSTER_H
#define _HCCTL_CLUSTER_H

#include <sys/types.h>

#include "state.h"

#define CLUSTER_FORMAT	"hypercube-cluster"
#define CLUSTER_VERSION	1
/* Each has a connection of its own. */
#define CLUSTER_HOSTS	1024

/**
 * struct cluster_host - a machine that holds a part of the fabric
 * @name: for people, and by default for ssh
 * @ssh: whom ssh is to ask; NULL: it is this machine
 * @netns: a network namespace there, or NULL
 * @address: where others reach it, with a port or without
 * @tls: CERT,KEY,CA[,NAME] there, or NULL
 * @no_plans: it takes no plans of others
 * @fixed: bits that all its nodes share
 * @base: what they are
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
 * struct cluster_trunk - between two hosts
 * @dim: along this dimension
 * @listen: number of the host that listens
 * @connect: of the one that connects
 * @address: where
 * @up: both ends have it
 */
struct cluster_trunk {
	uint32_t dim;
	size_t listen;
	size_t connect;
	const char *address;
	bool up;
};

/**
 * struct cluster_plan - a plan for all
 * @id: its number
 * @type: what makes it
 * @with: more words for that, or NULL
 * @up: all have it
 */
struct cluster_plan {
	uint32_t id;
	const struct planner *type;
	const char *with;
	bool up;
};

/**
 * struct cluster - what a file says
 * @file: its name
 * @root: all of it, for the strings
 * @state: the fabric as if all of it was here; its plans are in @plan
 * @keep: ms of silence that ends a trunk; 0: default
 * @digest: trunks have digests, but with TLS
 * @ssh: what is run for a host elsewhere
 * @ssh_dir: where connections that are shared have their sockets, or ""
 * @dry: say what would be done
 * @there: hosts that have the fabric, or will have it when that is needed
 * @changes: those said so far
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

/* --- cluster_read.c: release with cluster_free(), whatever is returned --- */
int cluster_read(struct hcctl *h, const char *file, struct cluster *c);
void cluster_free(struct cluster *c);

/* --- remote.c --- */

/**
 * struct remote - an hcctl on a host
 * @host: which
 * @pid: of what runs here for it; 0: it could not be started
 * @fd: its standard input, output and error, files in memory
 */
struct remote {
	const struct cluster_host *host;
	pid_t pid;
	int fd[3];
};

#define REMOTE_WORDS 64

/**
 * struct remote_call - what is to be run
 * @words: behind "hcctl"; NULL ends them
 * @input: for standard input, or NULL
 * @text: no JSON is wanted
 */
struct remote_call {
	const char *words[REMOTE_WORDS];
	const char *input;
	bool text;
};

int remote_start(struct hcctl *h, const struct cluster *c, const struct cluster_host *host,
		 const struct remote_call *call, struct remote *r);
/* Wait for it; its complaints are said with the name of the host.  What it has printed goes to
 * @said, for free(); 0 or an exit status.
 */
int remote_end(struct hcctl *h, struct remote *r, char **said);
/* All hosts at once, or those of @to; with @input each gets its own.  @said has what each has
 * printed, NULL: nothing; release with remote_free().
 */
int remote_all(struct hcctl *h, const struct cluster *c, const struct remote_call *call,
	       const bool *to, char * const *input, struct json_object **said);
int remote_one(struct hcctl *h, const struct cluster *c, size_t i, const struct remote_call *call,
	       struct json_object **said);
void remote_free(const struct cluster *c, struct json_object **said);
/* Close the connections that are shared. */
void remote_close(struct cluster *c);

/* --- cluster.c --- */
/* Begin a change, a member of the array that is open: "one: + trunk".  @host may be NULL. */
void cluster_change(struct hcctl *h, struct cluster *c, const char *host, bool comes,
		    const char *object);
void cluster_change_end(struct hcctl *h);

/* --- cluster_fabric.c --- */
/* Fabrics as the file has them. */
int cluster_fabrics(struct hcctl *h, struct cluster *c);
int cluster_fabrics_del(struct hcctl *h, struct cluster *c);
/* That fabric among those of a host, or NULL. */
struct json_object *cluster_fabric_of(const struct cluster *c, struct json_object *all);
/* Wait until all know of the faults that the file has, and of no others. */
int cluster_settle(struct hcctl *h, struct cluster *c);

/* --- cluster_trunk.c --- */
int cluster_trunks(struct hcctl *h, struct cluster *c);

/* --- cluster_plan.c --- */
int cluster_plans(struct hcctl *h, struct cluster *c);

/* --- all_hosts.c --- */
/* The same command on all hosts of a file. */
int cluster_all_hosts(struct hcctl *h, const char *file, int argc, char **argv);

/* Members of JSON that somebody else has printed: no more than what is there is believed. */
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

/* Of an array, or nothing. */
static inline size_t cluster_length(struct json_object *o)
{
	return json_object_is_type(o, json_type_array) ? json_object_array_length(o) : 0;
}

#endif /* _HCCTL_CLUSTER_H */
