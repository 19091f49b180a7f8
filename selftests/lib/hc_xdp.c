// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches XDP programs of two instructions, which are loaded without a compiler.
 *
 *	hc_xdp pass | drop IFNAME	attaches a program in generic mode; it returns XDP_PASS or
 *					XDP_DROP
 *	hc_xdp native IFNAME		tries to attach a program in native mode; prints the error
 *					if this fails
 *	hc_xdp off IFNAME		detaches the program
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INSNS 2

/* Load a program that returns @action. Return: its file descriptor, or -1. */
static int program(int action)
{
	const struct bpf_insn insns[INSNS] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = action },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_XDP;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = INSNS;
	attr.license = (uintptr_t)"GPL";
	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

struct request {
	struct nlmsghdr nlh;
	struct ifinfomsg info;
	struct nlattr xdp;
	struct nlattr fd_attr;
	int32_t fd;
	struct nlattr flags_attr;
	uint32_t flags;
};

/* Attach the program @fd. Return: 0 or a negative errno. */
static int attach(const char *ifname, int fd, uint32_t flags)
{
	struct request r = {
		.nlh = {
			.nlmsg_len = sizeof(r), .nlmsg_type = RTM_SETLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
		.info = { .ifi_family = AF_UNSPEC, .ifi_index = if_nametoindex(ifname) },
		.xdp = {
			.nla_len = sizeof(r) - offsetof(struct request, xdp),
			.nla_type = IFLA_XDP | NLA_F_NESTED,
		},
		.fd_attr = { .nla_len = NLA_HDRLEN + 4, .nla_type = IFLA_XDP_FD },
		.fd = fd,
		.flags_attr = { .nla_len = NLA_HDRLEN + 4, .nla_type = IFLA_XDP_FLAGS },
		.flags = flags,
	};
	struct {
		struct nlmsghdr nlh;
		struct nlmsgerr err;
		char more[512];
	} answer;
	int nl = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int err = -EIO;

	if (nl >= 0 && send(nl, &r, sizeof(r), 0) == sizeof(r) &&
	    recv(nl, &answer, sizeof(answer), 0) > 0 && answer.nlh.nlmsg_type == NLMSG_ERROR)
		err = answer.err.error;
	close(nl);
	return err;
}

int main(int argc, char **argv)
{
	const char *verb = argc == 3 ? argv[1] : "";
	uint32_t flags = XDP_FLAGS_SKB_MODE;
	int fd = -1, err;

	if (!strcmp(verb, "pass")) {
		fd = program(XDP_PASS);
	} else if (!strcmp(verb, "drop")) {
		fd = program(XDP_DROP);
	} else if (!strcmp(verb, "native")) {
		fd = program(XDP_PASS);
		flags = XDP_FLAGS_DRV_MODE;
	} else if (strcmp(verb, "off")) {
		fprintf(stderr, "usage: hc_xdp { pass | drop | native | off } IFNAME\n");
		return 2;
	}
	if (fd < 0 && strcmp(verb, "off")) {
		fprintf(stderr, "hc_xdp: no program: %s\n", strerror(errno));
		return 4;
	}
	err = attach(argv[2], fd, flags);
	if (err)
		fprintf(stderr, "hc_xdp: %s\n", strerror(-err));
	return !!err;
}
