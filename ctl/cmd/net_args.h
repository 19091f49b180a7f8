/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Networks that the command line names: "torus 5x5", "graph FILE".
 */
#ifndef _HCCTL_NET_ARGS_H
#define _HCCTL_NET_ARGS_H

#include "hcctl.h"
#include "net.h"

/**
 * struct net_arg - a network that the user wants
 * @shape: its description, for the kernel to store; "": the user has named no network
 * @spec: its kind and lengths
 * @file: if not NULL, the file with its links, and @spec is unused
 */
struct net_arg {
	char shape[HYPERCUBE_SHAPE_MAX + 1];
	struct hc_net_spec spec;
	const char *file;
};

/* For struct arg: the parser of all kinds of networks. The keyword is the name of the kind. The
 * user may name only one network.
 */
int arg_net(struct hcctl *h, const char *name, const char *word, void *dst);	/* net_arg */
/* Parse only the lengths of a kind of network. Return: 0, or HC_USAGE after printing an error. */
int net_lengths(struct hcctl *h, const char *name, const char *word, struct hc_net_spec *s);
/* Fill in NET_KINDS entries of @args, the keywords of all kinds of networks. */
#define NET_KINDS 8
void net_args(struct arg *args, struct net_arg *net);
#define NET_SHAPES "mesh RxC | torus RxC | kary K^N | ring N | tree K^L | full N |\n" \
	"          dragonfly AxH"
#define NET_WORDS NET_SHAPES " | graph FILE"

/* Make the network, or print an error; release with hc_net_free(). */
int net_arg_make(struct hcctl *h, const struct net_arg *a, struct hc_net *net);

#endif /* _HCCTL_NET_ARGS_H */
