/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl mfi: what its files share.
 */
#ifndef _HCCTL_MFI_H
#define _HCCTL_MFI_H

#include "cmd/cmd.h"
#include "plan/mfi.h"

/* Maximum number of fault sets that are checked one by one. The search for escaping errors is
 * refused if there are more.
 */
#define MFI_SETS 20000000
/* Maximum number of faults in each of these sets. */
#define MFI_ESCAPE 6
/* Maximum number of rows of a fault matrix. */
#define MFI_ROWS 5000

/**
 * struct mfi_graph - processors, links and environments of a file
 * @links: links between processors, each in both directions
 * @nlinks: number of entries of @links
 * @envs: environments, as pairs: a processor, and a processor of its environment (see
 *	ctl/plan/mfi.h)
 * @nenvs: number of entries of @envs
 * @tgs: pairs: a number of faults, and the processor whose environment may have so many faults
 * @ntgs: number of entries of @tgs
 * @names: numbers of the processors, ascending; @links and @envs have indices into this array
 * @n: number of processors
 */
struct mfi_graph {
	struct hc_mfi_pair *links;
	size_t nlinks;
	struct hc_mfi_pair *envs;
	size_t nenvs;
	struct hc_mfi_pair *tgs;
	size_t ntgs;
	uint32_t *names;
	uint32_t n;
};

enum mfi_mapping { MFI_GROUPS, MFI_BLOCK, MFI_RANDOM };

/**
 * struct mfi_place - placement of processes on the nodes of a fabric
 * @fabric: name of the fabric
 * @mapping: how the processes are divided into parts; the processes of a part share a node
 * @seed: seed of MFI_RANDOM, not 0
 * @nodes: the nodes of a connected component: the lowest live node, and all nodes that it can reach
 *	over healthy links; ascending
 * @nnodes: number of entries of @nodes
 * @of: for each process, the number of its part
 * @parts: number of parts
 * @at: for each part, the index of its node in @nodes
 * @hops: sum of the hops from each process to each process that it asks
 */
struct mfi_place {
	const char *fabric;
	enum mfi_mapping mapping;
	uint64_t seed;
	uint32_t *nodes;
	uint32_t nnodes;
	uint32_t *of;
	uint32_t parts;
	uint32_t *at;
	uint64_t hops;
};

/**
 * struct mfi_view - results to be printed
 * @net: the processors
 * @names: numbers of the processors; NULL: the processors are numbered from 0
 * @pattern: keyword of the environments' pattern
 * @found: the largest set of faults that was found, or the set that the user has given
 * @coloured: size of the set that the paper's multi-colouring finds
 * @groups: groups of processes, each of which may fail as a whole
 * @given: the user has given the set; then only .set of @found is valid, and @coloured and @groups
 *	are not
 * @escape: dimension of the space of errors that the set can hide; negative: not known
 * @matrix: print the fault matrix
 * @ntried: number of entries of @tried
 * @tried: for k = 1, 2, .., the result of trying all sets of k faults
 * @complete: the last entry of @tried is complete
 * @place: placement of the processes, or NULL
 */
struct mfi_view {
	const struct hc_mfi_net *net;
	const uint32_t *names;
	const char *pattern;
	struct hc_mfi_found found;
	uint32_t coloured;
	struct hc_mfi_groups groups;
	bool given;
	int escape;
	bool matrix;
	uint32_t ntried;
	struct hc_mfi_escape tried[MFI_ESCAPE];
	bool complete;
	const struct mfi_place *place;
};

static inline uint32_t mfi_name(const struct mfi_view *v, uint32_t u)
{
	return v->names ? v->names[u] : u;
}

/* --- mfi_read.c --- */
int mfi_read(struct hcctl *h, const char *file, struct mfi_graph *g);
void mfi_graph_free(struct mfi_graph *g);
/* Return: the index of the processor with the number @number; UINT32_MAX if there is none. */
uint32_t mfi_index(const uint32_t *names, uint32_t n, uint32_t number);

/* --- mfi_print.c --- */
/* Write a description of the network, such as "torus 5x5", into @buf. */
const char *mfi_what(char *buf, const struct hc_mfi_net *net);
/* Return: the number of sets of @k of @n processors; UINT64_MAX if it is too large to count. The
 * fault matrix has a row for each such set.
 */
uint64_t mfi_sets(uint64_t n, uint32_t k);
/* Print the members of a set as an array. Text: separated by commas, and only the first members if
 * there are many.
 */
void mfi_out_members(struct hcctl *h, const char *key, const struct mfi_view *v, const bool *set);
int mfi_print(struct hcctl *h, const struct mfi_view *v);

/* --- mfi_place.c --- */
/* Place the processes on nodes of a fabric: fill in @p, in which the caller has set @fabric,
 * @mapping and @seed. @go_on(@arg) returns false when the time limit has passed. Release with
 * mfi_place_free() in any case.
 */
int mfi_place(struct hcctl *h, const struct mfi_view *v, struct mfi_place *p,
	      bool (*go_on)(void *arg), void *arg);
void mfi_place_free(struct mfi_place *p);

/* --- mfi_place_print.c --- */
extern const char *const mfi_mappings[];
int mfi_place_print(struct hcctl *h, const struct mfi_view *v);

/* --- mfi_plot_print.c --- */
int mfi_plot(struct hcctl *h, const char *file, const struct mfi_view *v);

#endif /* _HCCTL_MFI_H */
