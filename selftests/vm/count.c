// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU's emulation that counts, between two marks, how often the virtual machine
 * executes each translation block. A translation block is a run of instructions that is always
 * entered at its beginning.
 *
 * A mark is an instruction without any other effect: a nopl of a certain address (count.h). The
 * mark BEGIN starts counting. The mark END writes FOLDER/count.N, with N = 0, 1, ..: a line for
 * each block that was executed, with its address in hex, its number of instructions, and the number
 * of executions. A machine with one processor whose time is counted in instructions (-icount)
 * executes the same instructions in each run, whatever else the host does.
 *
 * The functions of QEMU 6 to 8 are declared here, as Debian has no package with QEMU's header.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"

#define PLUGIN __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*tb_fn)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*insn_fn)(unsigned int cpu, void *arg);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, tb_fn fn);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *ptr,
					      uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, insn_fn fn, int flags,
					    void *arg);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

PLUGIN int qemu_plugin_version = 1;

/* A translation block. QEMU may translate a block several times; translations with the same address
 * and length count as one block.
 */
struct block {
	struct block *next;
	uint64_t address;
	uint64_t insns;
	uint64_t count;
};

#define HASH (1 << 16)
static struct block *blocks[HASH];
static const char *folder = ".";

static struct block *block_get(uint64_t address, uint64_t insns)
{
	struct block **head = &blocks[(address ^ address >> 16 ^ insns * 0x9e37) % HASH];
	struct block *b;

	for (b = *head; b; b = b->next)
		if (b->address == address && b->insns == insns)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	*b = (struct block){ .next = *head, .address = address, .insns = insns };
	*head = b;
	return b;
}

static void begin(unsigned int cpu, void *arg)
{
	(void)cpu;
	(void)arg;
	for (size_t i = 0; i < HASH; i++)
		for (struct block *b = blocks[i]; b; b = b->next)
			b->count = 0;
}

static void end(unsigned int cpu, void *arg)
{
	static unsigned int number;
	char name[4096];
	FILE *f;

	(void)cpu;
	(void)arg;
	snprintf(name, sizeof(name), "%s/count.%u", folder, number++);
	f = fopen(name, "w");
	if (!f) {
		perror(name);
		exit(1);
	}
	for (size_t i = 0; i < HASH; i++)
		for (struct block *b = blocks[i]; b; b = b->next)
			if (b->count)
				fprintf(f, "%016" PRIx64 " %" PRIu64 " %" PRIu64 "\n", b->address,
					b->insns, b->count);
	fclose(f);
}

/* Return: the kind of mark that the instruction is; 0 if it is not a mark. */
static int mark_kind(const struct qemu_plugin_insn *insn)
{
	unsigned char mark[] = COUNT_MARK;
	const unsigned char *bytes = qemu_plugin_insn_data(insn);

	if (qemu_plugin_insn_size(insn) != COUNT_MARK_SIZE)
		return 0;
	mark[COUNT_MARK_KIND] = bytes[COUNT_MARK_KIND];
	return memcmp(bytes, mark, COUNT_MARK_SIZE) ? 0 : mark[COUNT_MARK_KIND];
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	uint64_t *count = &block_get(qemu_plugin_tb_vaddr(tb), n)->count;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, count, 1);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		int kind = mark_kind(insn);

		if (kind == 1)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, 0, NULL);
		else if (kind == 2)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, 0, NULL);
	}
}

PLUGIN int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "folder=", strlen("folder=")))
			folder = strdup(argv[i] + strlen("folder="));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
