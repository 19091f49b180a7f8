# SPDX-License-Identifier: GPL-2.0
#
# Converts what vm/run --count has counted between two marks to one JSON object: instructions by
# group of functions, and the numbers of calls of some functions.
# awk -f path.awk OBJECTS SYMBOLS COUNT
#   OBJECTS: functions of the module, as lines "NAME FOLDER" in the order in which they are linked
#   SYMBOLS: the sorted /proc/kallsyms of the machine
#   COUNT: a file count.N of vm/run --count

# Return: the group of a kernel function. Of several patterns that match, the first one counts. The
# patterns are made from traces of Linux 6.1.
function group(name) {
	if (name ~ /^(__|_)?(mem(cpy|move|set)|copy_user_generic|clear_page|rep_movs|copy_page)/)
		return "copy"
	if (name ~ /^(entry_|do_syscall|x64_sys|_*sys_|syscall|exit_to_user|__x64|fput|__fget|__fdget|sockfd|copy_msghdr|iovec|__import_iovec|import_|_*copy_(msghdr|from_user|to_user)|check_stack_object|__check_|__virt_addr|is_vmalloc|security_|_*sock_(send|recv|poll|do_)|put_cmsg|move_addr|do_(sys_)?poll|.*poll_?(wait|select|freewait|initwait|iter)|fpregs|restore_|vfs_|ksys_|new_sync|rw_verify|__get_user|__put_user|_*sock_cmsg)/)
		return "calls"
	if (name ~ /skb|^(sock_[wr]free|sock_def|sock_alloc_send|_*copy_(from|to)_iter|iov_iter|simple_copy|sk_|dev_|_*netif|packet_|eth_|.*datagram|validate_xmit|netdev_)/)
		return "skbs"
	if (name ~ /napi|softirq|^(net_rx_action|__local_bh|__netif|process_backlog|smpboot|ksoftirqd|irq_exit)/)
		return "softirqs"
	if (name ~ /slab|kmem_|kmalloc|^(kfree|k?vfree|_*alloc_pages|get_page|free_(unref|pcp|page|compound)|xa[s_]|__xa|memcg|obj_cgroup|percpu_(counter|ref)|mod_|__mod_|this_cpu_cmpxchg|cmpxchg_double|cache_from|page_(counter|frag)|rmqueue|put_cpu_partial|__unfreeze|setup_object|__put_page|put_page|should_fail|sock_k|prep_new|zone_|radix|rcu_free|__free_|__page|__build|release_pages|build_)/)
		return "memory"
	if (name ~ /sched|ttwu|wake|_fair|_rq|load_avg|futex|wait|switch|hrtimer|timer|tick|clock|rcu|cpuacct|cgroup|preempt|_task|_entity|runtime|vruntime|_next|_curr|resched|plist|hash_bucket|get_user_pages|kthread|queue|update_|timekeep|ktime|cpu_idle|default_idle|mutex|^(_raw|up|down|rb)_|^(load_new_mm|__rseq|save_fpregs|xfd_|detach_if|calc_wheel|clear_buddies|check_spread|native_load_tls|__(rd|wr)gsbase|select_estimate|timespec|read_tsc|amd_clear)/)
		return "scheduler"
	return "others"
}

FILENAME != file { file = FILENAME; part++ }
part == 1 { folders[$1] = folders[$1] " " $2; next }
part == 2 {
	if ($2 !~ /[tTwW]/)
		next
	address[++n] = $1
	name[n] = $3
	if ($4 == "[hypercube]") {
		# Functions with the same name appear here in the order of their objects.
		sub(/^ /, "", folders[$3])
		split(folders[$3], word, " ")
		owner[n] = (1 in word) ? word[1] : "others"
		sub(/^[^ ]+/, "", folders[$3])
	} else {
		owner[n] = group($3)
	}
	next
}
{
	if ($1 < "8") {
		sum["user"] += $2 * $3
		next
	}
	low = 1
	high = n
	while (low < high) {
		middle = int((low + high + 1) / 2)
		if (address[middle] <= $1)
			low = middle
		else
			high = middle - 1
	}
	sum[owner[low]] += $2 * $3
	inside[name[low]] += $2 * $3
	if (address[low] == $1)
		# If several symbols have the same address, the last one is found.
		called[name[low]] += $3
}

END {
	if (names) {
		for (f in inside)
			printf "%d %s\n", inside[f], f
		exit
	}
	printf "{\"groups\":{"
	for (g in sum)
		printf "%s\"%s\":%d", (separator++ ? "," : ""), g, sum[g]
	printf "},\"events\":{\"calls\":%d,\"wakes\":%d,\"switches\":%d,\"polls\":%d,\"threads\":%d}}\n",
		called["do_syscall_64"], called["ttwu_do_activate"], called["__switch_to"],
		called["node_poll"], called["run_ksoftirqd"]
}
