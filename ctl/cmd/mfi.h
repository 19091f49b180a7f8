/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl mfi: what its files share.
 */
#ifndef _HCCTL_MFI_H
#define _HCCTL_MFI_H

#include "cmd.h"
#include "plan/mfi.h"

/* Sets of faults looked at, one by one. */
#define MFI_SETS 20000000
/* Faults in each of them. */
#define MFI_ESCAPE 6
/* Rows of a fault matrix. */
#define MFI_ROWS 5000

/**
 * struct mfi_graph - what a file says
 * @links: between processors, both ways
 * @nlinks: how many
 * @envs: environments
 * @nenvs: how many pairs
 * @tgs: how many faults an environment may have, and whose that is
 * @ntgs: how many of these
 * @names: the processors' numbers, ascending; the pairs have indices into this
 * @n: how many
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
 * struct mfi_place - processes on the nodes of a fabric
 * @fabric: its name
 * @mapping: which of them go together
 * @seed: of MFI_RANDOM, not 0
 * @nodes: those that can reach each other, in ascending order
 * @nnodes: how many
 * @of: the part of each process
 * @parts: how many, each on a node of its own
 * @at: where in @nodes each part is
 * @hops: from all processes to those that they ask
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
 * struct mfi_view - what was found, to be printed
 * @net: the processors
 * @names: their numbers, or NULL: they count from 0
 * @pattern: word for the environments
 * @found: the largest set
 * @coloured: size of the paper's multi-colouring
 * @groups: which may fail as a whole
 * @given: the set was given, not found: nothing of the above but its set
 * @escape: dimension of the errors that escape with the set; negative: not known
 * @matrix: print the fault matrix
 * @ntried: how many of @tried
 * @tried: all sets of 1, 2, .. faults
 * @complete: the last of them is
 * @place: where the processes go, or NULL
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
/* The index of a number; UINT32_MAX: there is no such processor. */
uint32_t mfi_index(const uint32_t *names, uint32_t n, uint32_t number);

/* --- mfi_print.c --- */
/* "torus 5x5" in @buf */
const char *mfi_what(char *buf, const struct hc_mfi_net *net);
/* Rows that the matrix has; UINT64_MAX: more than can be counted. */
uint64_t mfi_sets(uint64_t n, uint32_t k);
/* An array; text: with commas, the first ones of many. */
void mfi_out_members(struct hcctl *h, const char *key, const struct mfi_view *v, const bool *set);
int mfi_print(struct hcctl *h, const struct mfi_view *v);

/* --- mfi_place.c --- */
/* Fill in the rest of @p; release with mfi_place_free() in any case. */
int mfi_place(struct hcctl *h, const struct mfi_view *v, struct mfi_place *p,
	      bool (*go_on)(void *arg), void *arg);
void mfi_place_free(struct mfi_place *p);

/* --- mfi_place_print.c --- */
extern const char *const mfi_mappings[];
int mfi_place_print(struct hcctl *h, const struct mfi_view *v);

/* --- mfi_plot_print.c --- */
int mfi_plot(struct hcctl *h, const char *file, const struct mfi_view *v);

#endif /* _HCCTL_MFI_H */
