/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Networks that the command line names: "torus 5x5", "graph FILE".
 */
#ifndef _HCCTL_NET_ARGS_H
#define _HCCTL_NET_ARGS_H

#include "hcctl.h"
#include "net.h"

/**
 * struct net_arg - a network that the user asked for
 * @shape: its description, for the kernel to store; "": none was asked for
 * @spec: its kind and lengths
 * @file: instead of that, the file with its links, or NULL
 */
struct net_arg {
	char shape[HYPERCUBE_SHAPE_MAX + 1];
	struct hc_net_spec spec;
	const char *file;
};

/* For struct arg, of each kind of network, whose keyword is its name. Only one may be given. */
int arg_net(struct hcctl *h, const char *name, const char *word, void *dst);	/* net_arg */
/* The lengths of one kind alone, or complain that they are not written so. */
int net_lengths(struct hcctl *h, const char *name, const char *word, struct hc_net_spec *s);
/* Fill in NET_KINDS keywords, of all kinds of networks. */
#define NET_KINDS 8
void net_args(struct arg *args, struct net_arg *net);
#define NET_SHAPES "mesh RxC | torus RxC | kary K^N | ring N | tree K^L | full N |\n" \
	"          dragonfly AxH"
#define NET_WORDS NET_SHAPES " | graph FILE"

/* Make the network, or print an error; release with hc_net_free(). */
int net_arg_make(struct hcctl *h, const struct net_arg *a, struct hc_net *net);

#endif /* _HCCTL_NET_ARGS_H */
