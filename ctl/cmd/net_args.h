/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Networks that the command line names: "torus 5x5", "graph FILE".
 */
#ifndef _HCCTL_NET_ARGS_H
#define _HCCTL_NET_ARGS_H

#include "hcctl.h"
#include "net.h"

/**
 * struct net_arg - the network that the command line names
 * @shape: description of the network, for the kernel to store; "": the command line names no
 *	network
 * @spec: its kind and lengths
 * @file: the file with the links of the network; NULL: @spec has the network
 */
struct net_arg {
	char shape[HYPERCUBE_SHAPE_MAX + 1];
	struct hc_net_spec spec;
	const char *file;
};

/* For struct arg: the parser of the keywords for networks. Each keyword is the name of a kind of
 * network; the command line may have only one of them.
 */
int arg_net(struct hcctl *h, const char *name, const char *word, void *dst);	/* net_arg */
/* Parse the lengths of a network; @name is the name of its kind. Return: 0, or HC_USAGE after
 * printing an error.
 */
int net_lengths(struct hcctl *h, const char *name, const char *word, struct hc_net_spec *s);
/* Fill NET_KINDS entries of @args with the keywords for networks, which are parsed into @net. */
#define NET_KINDS 8
void net_args(struct arg *args, struct net_arg *net);
#define NET_SHAPES "mesh RxC | torus RxC | kary K^N | ring N | tree K^L | full N |\n" \
	"          dragonfly AxH"
#define NET_WORDS NET_SHAPES " | graph FILE"

/* Make the network that @a describes. Release it with hc_net_free(). Return: 0, or an error after
 * printing it.
 */
int net_arg_make(struct hcctl *h, const struct net_arg *a, struct hc_net *net);

#endif /* _HCCTL_NET_ARGS_H */
