# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# Measures queues of tasks: the queue of one node; the queues of all nodes of a cube, with load
# balancing rounds; a simple server over AF_UNIX and over TCP; and shared memory. Sourced by
# guest.sh, after collectives.sh.

task_sizes=8,1024,16384

# queue BACKEND WORKERS WHAT MS: measures this queue with all sizes
queue() {
	# Only "cube" has a worker at each node. In the other fabrics, rounds would migrate tasks to
	# nodes without a worker.
	local rounds=(method off)
	[[ $1 != cube ]] || rounds=(method dem threshold 1 period 50)
	hcctl balance set "queue$2" "${rounds[@]}" || die 'rounds are not set'
	"$here/measure_tasks" -b "$4" "$1" "$2" "$task_sizes" "queue$2"
}

# There is a fabric for each number of workers, so that each node has a worker: a task at a node
# without a worker would stay there.
queues_set_up() {
	local p dim none
	for p in "${procs[@]}"; do
		dim=0 none=''
		while ((1 << dim < p)); do dim=$((dim + 1)); done
		((p == 1 << dim)) || none=$(seq -s , "$p" $(((1 << dim) - 1)))
		hcctl fabric add "queue$p" dim $dim || die 'no fabric'
		[[ ! $none ]] || hcctl node set "queue$p" "$none" fail || die 'nodes do not fail'
	done
}

tasks() {
	local backends=(node cube unix tcp shm) p
	[[ ${HC_PROCS-} ]] || procs=(4 8 16)
	queues_set_up
	peers tasks "$([[ $mode == full ]] && echo 5 || echo 2)" "$([[ $mode == full ]] && echo 300 || echo 200)" queue
	for p in "${procs[@]}"; do
		hcctl fabric del "queue$p" || die 'a fabric does not go'
	done
}
