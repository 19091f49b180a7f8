/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How operations of a plan without a root end, as a model for SPIN: each ends by its result, or by
 * END, which is flooded along the plan's edges. There are four members of a plan of recursive
 * doubling, or with -DRING three members of a ring, whose blocks travel N - 1 hops. The members'
 * processes run a program of OPS steps, while FAULTS faults occur at any time: a process leaves and
 * another one comes (at most LEAVES), a member refuses an operation (at most REFUSALS), an edge
 * fails (at most CUTS). README has the protocol in words.
 *
 * What must hold; the words in parentheses are the comment of the assertion:
 *	contributions to an operation are of the same step of the program (same step), and each is
 *	counted once (twice);
 *	an operation ends in the same way at all members (same end), unless the plan is over;
 *	all members agree on the step with which a generation begins (agree);
 *	in the end all processes have run the whole program, or the plan is over (ends).
 *
 * -DRULE_.. leaves out a rule; then some of these assertions must fail:
 *	RULE_FLOOD	a member forwards END
 *	RULE_LEAST	of several ENDs the one with the lowest operation number counts
 *	RULE_NOTHING	END names an operation to which its sender has contributed nothing
 *	RULE_OVER	"the plan is over" counts in each generation, even in an END of an older one
 *	RULE_TAG	a frame of an older generation is dropped
 *	RULE_NEWER	a frame of a newer generation waits
 *	RULE_READ	a process contributes again only after it has read the record of the failure
 *	RULE_BELOW	a member enters the next generation only after all operations below END have
 *			ended at it
 *	RULE_SOFT	after a process has left, its member sends END when it receives data of an
 *			operation to which the process does not contribute, or when another comes
 * -DPOLICY_.. leaves out what only avoids failures; then all assertions must still hold:
 *	POLICY_BEGUN	if a process leaves that has begun nothing in a generation, no END is sent
 *	POLICY_SOFT	if a process leaves that has begun something, END is sent only once a member
 *			waits for it
 */
#ifndef OPS
#define OPS	2
#endif
#ifndef AHEAD
#define AHEAD	2	/* operations that a process may have begun and that have not ended */
#endif
#ifndef FAULTS
#define FAULTS	1
#endif
#ifndef LEAVES
#define LEAVES	FAULTS
#endif
#ifndef REFUSALS
#define REFUSALS 1
#endif
#ifndef CUTS
#define CUTS	0
#endif
#ifndef QUEUE
#define QUEUE	10
#endif

#define NONE	31
#define BIT(i)	(1 << (i))
/* Each member has two peers: those of stages 0 and 1, or its left and right neighbours in the ring.
 * An edge of the ring is number 0 at one end and number 1 at the other.
 */
#ifdef RING
#define N		3
#define PEER(i, d)	(((i) + 2 - (d)) % 3)
#define OTHER_END(d)	(1 - (d))
#else
#define N		4
#define PEER(i, d)	((i) ^ (1 + (d)))
#define OTHER_END(d)	(d)
#endif
#define FROM_PEER(i, d)	box[(i) * 2 + (d)]
#define TO_PEER(i, d)	FROM_PEER(PEER(i, d), OTHER_END(d))
#define EDGE(i, d)	BIT((i) * 2 + (d))

/* The operations of each generation are numbered from 0. In the module the numbers continue after
 * END.
 */
#define GENERATIONS	(2 * FAULTS + 2)
#define AT(i, n)	((i) * OPS + (n))

/* Frames: type, generation, operation, step + 1, and in DATA the member whose block it is, or in
 * END whether the plan is over.
 */
mtype = { DATA, END };
chan box[N * 2] = [QUEUE] of { mtype, byte, byte, byte, byte };

/* The state of a member: all operations with lower numbers are begun by its process (begun), or
 * have ended (need).
 */
byte gen[N], begun[N], need[N];
byte gave0[N], gave1[N];	/* sent to the peer of stage 0, 1; in a ring gave0: own blocks sent */
byte have[N * OPS];		/* contributions: 1 own, 2 and 4 of the peers; in a ring a bit for each member */
byte step_of[N * OPS];
byte ends[N] = NONE;
bool end_over[N], over[N];
bool left[N];			/* the process that had begun in this generation has left */

/* The state of the member's process */
bool present[N] = true, joins[N], unread[N];
byte failed_at[N];		/* steps from the first step of the generation to an unread failure */
byte first_step[N];		/* the step with which the process has begun in this generation */

byte down, unseen;		/* ends of edges: down; down and not noticed by the member */

/* For assertions only */
byte gen_step[GENERATIONS + 1] = NONE;
byte ok[GENERATIONS * OPS], failed[GENERATIONS * OPS];
byte leaves, refusals, cuts, budget;
#define USED		(leaves + refusals + cuts)
#define ENDED(i, n)	(gen[i] * OPS + (n))
#define MAY_FAIL	(USED < budget && (USED > 0 || m == 0))	/* All members are alike: the first fault is at 0. */

inline to_peer(D, TYPE, NR, NAME, WITH)
{
	if
	:: !(down & EDGE(m, D)) -> assert(nfull(TO_PEER(m, D))); TO_PEER(m, D)!TYPE(gen[m], NR, NAME, WITH)
	:: else
	fi
}

/* Handle END with operation @NR: the lowest number counts, and a change is sent to both peers. */
inline end_at(NR, IS_OVER, FLOODS)
{
	if
#ifdef RULE_LEAST
	:: ends[m] == NONE ->
#else
	:: NR < ends[m] || (IS_OVER && !end_over[m]) ->
#endif
		ends[m] = (NR < ends[m] -> NR : ends[m]);
		end_over[m] = end_over[m] | IS_OVER;
		if
		:: FLOODS -> to_peer(0, END, ends[m], 0, end_over[m]); to_peer(1, END, ends[m], 0, end_over[m])
		:: else
		fi
	:: else
	fi
}

inline contribution(NR, BITS, NAME)
{
	assert(step_of[AT(m, NR)] == 0 || step_of[AT(m, NR)] == NAME); /* same step */
	step_of[AT(m, NR)] = NAME;
	assert(!(have[AT(m, NR)] & (BITS))); /* twice */
	have[AT(m, NR)] = have[AT(m, NR)] | (BITS)
}

/* Send what can be sent, and complete the operations that have all contributions. */
inline advance()
{
	do
#ifdef RING
	:: gave0[m] < begun[m] && gave0[m] < ends[m] ->
		to_peer(1, DATA, gave0[m], step_of[AT(m, gave0[m])], m);
		/* Forward the left neighbour's block if it has arrived before the own one was sent.
		 */
		if
		:: have[AT(m, gave0[m])] & BIT(PEER(m, 0)) -> to_peer(1, DATA, gave0[m], step_of[AT(m, gave0[m])], PEER(m, 0))
		:: else
		fi;
		gave0[m]++
	:: need[m] < begun[m] && need[m] < ends[m] && have[AT(m, need[m])] == BIT(N) - 1 ->
#else
	:: gave0[m] < begun[m] && gave0[m] < ends[m] -> to_peer(0, DATA, gave0[m], step_of[AT(m, gave0[m])], m); gave0[m]++
	:: gave1[m] < gave0[m] && gave1[m] < ends[m] && (have[AT(m, gave1[m])] & 3) == 3 ->
		to_peer(1, DATA, gave1[m], step_of[AT(m, gave1[m])], m);
		gave1[m]++
	:: need[m] < gave1[m] && need[m] < ends[m] && have[AT(m, need[m])] == 7 ->
#endif
		if
		:: !left[m] ->
			ok[ENDED(m, need[m])] = ok[ENDED(m, need[m])] | BIT(m);
			assert(CUTS || failed[ENDED(m, need[m])] == 0) /* same end */
		:: else
		fi;
		need[m]++
	:: else -> break
	od
}

#ifdef RULE_FLOOD
#define FLOODS	false
#else
#define FLOODS	true
#endif
/* Has the member received data of an operation to which the process that has left does not
 * contribute?
 */
#define WAITED(k)	((k) < OPS && (k) >= begun[m] && have[AT(m, k)])
#define IS_WAITED	(WAITED(0) || WAITED(1) || WAITED(2))
#ifdef RULE_SOFT
#define COUNTS(CASE)	false
#else
#define COUNTS(CASE)	(left[m] && ends[m] > begun[m] && (CASE))
#endif

inline take_data()
{
	if
	:: n >= ends[m]
	:: else ->
#ifdef RING
		contribution(n, BIT(f), s);
		if
		:: PEER(m, 1) != f && n < gave0[m] -> to_peer(1, DATA, n, s, f)
		:: else
		fi
#else
		contribution(n, 2 << d, s)
#endif
	fi;
	if
	:: COUNTS(IS_WAITED) -> end_at(begun[m], false, FLOODS)
	:: else
	fi
}

#ifdef RULE_NEWER
#define IS_OLD	(g != gen[m])
#else
#define IS_OLD	(g < gen[m])
#endif
inline receive()
{
	if
	:: IS_OLD && t == END ->
		assert(gen_step[g + 1] <= gen_step[g] + n || CUTS); /* agree */
#ifndef RULE_OVER
		if
		:: f && !over[m] -> end_at(need[m], true, FLOODS)
		:: else
		fi
#endif
#ifdef RULE_TAG
	:: IS_OLD && t == DATA -> take_data()
#else
	:: IS_OLD && t == DATA
#endif
	:: !IS_OLD && t == DATA -> take_data()
	:: !IS_OLD && t == END -> end_at(n, f, FLOODS)
	fi;
	t = 0; g = 0; n = 0; s = 0; f = 0; d = 0
}

inline begin()
{
	if
	:: joins[m] -> joins[m] = false; first_step[m] = gen_step[gen[m]]
	:: else
	fi;
	assert(first_step[m] == gen_step[gen[m]]); /* same step */
#ifdef RING
	contribution(begun[m], BIT(m), first_step[m] + begun[m] + 1);
#else
	contribution(begun[m], 1, first_step[m] + begun[m] + 1);
#endif
	begun[m]++
}

/* The process gets the cause of END for all operations that it has begun and that have not ended.
 */
inline fail_begun()
{
	if
	:: present[m] && !left[m] && begun[m] > 0 ->
		n = (ends[m] > need[m] -> ends[m] : need[m]);	/* if the plan is over, END may name an ended one */
		do
		:: n < begun[m] ->
			assert(!(ok[ENDED(m, n)] & BIT(m)));
			failed[ENDED(m, n)] = failed[ENDED(m, n)] | BIT(m);
			assert(CUTS || ok[ENDED(m, n)] == 0); /* same end */
			n++
		:: else -> break
		od;
		n = 0;
		unread[m] = true;
		failed_at[m] = ends[m]
	:: present[m] && !left[m] && begun[m] == 0 -> assert(ends[m] == 0 || CUTS)
	:: present[m] && left[m]	/* the new process contributes from the next generation on */
	:: !present[m] -> assert(left[m] || ends[m] == 0 || CUTS)
	fi
}

/* Enter the next generation, after END. */
inline move_on()
{
	assert(gen[m] + 1 <= GENERATIONS);
	assert(CUTS || gen_step[gen[m] + 1] == NONE || gen_step[gen[m] + 1] == gen_step[gen[m]] + ends[m]); /* agree */
	gen_step[gen[m] + 1] = gen_step[gen[m]] + ends[m];
	fail_begun();
	over[m] = over[m] | end_over[m];
	gen[m]++;
	begun[m] = 0; need[m] = 0; gave0[m] = 0; gave1[m] = 0; ends[m] = NONE; end_over[m] = false; left[m] = false;
	do
	:: n < OPS -> have[AT(m, n)] = 0; step_of[AT(m, n)] = 0; n++
	:: else -> break
	od;
	n = 0
}

inline leave()
{
	leaves++;
	present[m] = false; unread[m] = false; failed_at[m] = 0; joins[m] = false;
	if
#ifndef POLICY_BEGUN
	:: begun[m] == 0
#endif
	:: else ->
		left[m] = true;
		if
#ifndef POLICY_SOFT
		:: !IS_WAITED
#endif
		:: else -> end_at(begun[m], false, true)
		fi
	fi
}

#ifdef RULE_NOTHING
#define REFUSED		(need[m])
#else
#define REFUSED		(begun[m])
#endif
inline refuse()
{
	refusals++;
	n = REFUSED;
	end_at(n, false, true);
	n = 0
}

#define HAS_ALL_FROM(n, d)	(have[AT(m, n)] & (2 << (d)))
/* The member at end @D of an edge notices that the edge is down, and sends END for the first
 * operation that lacks a contribution over this edge.
 */
inline see_cut(D)
{
	unseen = unseen & ~EDGE(m, D);
	n = need[m];
#ifndef RING
	do
	:: n < OPS && HAS_ALL_FROM(n, D) -> n++
	:: else -> break
	od;
#endif
	end_at(n, true, true);
	n = 0
}

#ifdef RULE_NEWER
#define IS_NEWER(q)	false
#else
#define IS_NEWER(q)	(q?[_, eval(gen[m] + 1), _, _, _] || q?[_, eval(gen[m] + 2), _, _, _] || q?[_, eval(gen[m] + 3), _, _, _])
#endif
#ifdef RULE_BELOW
#define BELOW_ENDED	true
#else
#define BELOW_ENDED	(need[m] >= ends[m])
#endif
#ifdef RULE_READ
#define HAS_READ	true
#else
#define HAS_READ	(!unread[m])
#endif

proctype node(byte m)
{
	byte g, n, s, f;
	bit d;
	mtype t;

end:	do
	:: atomic {
		if
		:: nempty(FROM_PEER(m, 0)) && !IS_NEWER(FROM_PEER(m, 0)) -> FROM_PEER(m, 0)?t(g, n, s, f); receive()
		:: nempty(FROM_PEER(m, 1)) && !IS_NEWER(FROM_PEER(m, 1)) -> FROM_PEER(m, 1)?t(g, n, s, f); d = 1; receive()
		:: ends[m] != NONE && BELOW_ENDED -> move_on()
		:: present[m] && !left[m] && HAS_READ && begun[m] < ends[m] && begun[m] - need[m] < AHEAD && !over[m] &&
		   (joins[m] -> gen_step[gen[m]] : first_step[m]) + begun[m] < OPS -> begin()
		/* The process reads the record of the failure, and continues with the first step of
		 * the generation.
		 */
		:: present[m] && unread[m] ->
			unread[m] = false; first_step[m] = first_step[m] + failed_at[m]; failed_at[m] = 0
		:: present[m] && !left[m] && leaves < LEAVES && MAY_FAIL && !over[m] -> leave()
		:: !present[m] && !over[m] -> present[m] = true; joins[m] = true
		:: present[m] && COUNTS(true) -> end_at(begun[m], false, FLOODS)
		/* The member refuses an operation: it lacks memory, or contributions differ. */
		:: refusals < REFUSALS && MAY_FAIL && present[m] && !left[m] && REFUSED < OPS && REFUSED < ends[m] -> refuse()
#if CUTS
		:: (unseen & EDGE(m, 0)) && !over[m] -> see_cut(0)
		:: (unseen & EDGE(m, 1)) && !over[m] -> see_cut(1)
#endif
		fi;
		advance() }
	od
}

#if CUTS
proctype links()
{
	bit d;
end:	do
	:: atomic { cuts < CUTS && USED < budget ->
		select(d : 0 .. 1);
		cuts++;
		down = down | EDGE(0, d) | EDGE(PEER(0, d), OTHER_END(d));
		unseen = unseen | EDGE(0, d) | EDGE(PEER(0, d), OTHER_END(d));
		do
		:: FROM_PEER(0, d)?_, _, _, _, _
		:: empty(FROM_PEER(0, d)) && nempty(TO_PEER(0, d)) -> TO_PEER(0, d)?_, _, _, _, _
		:: empty(FROM_PEER(0, d)) && empty(TO_PEER(0, d)) -> break
		od;
		d = 0 }
	od
}
#endif

init {
	byte m;

	atomic {
		gen_step[0] = 0;
		select(budget : 0 .. FAULTS);
		for (m : 0 .. N - 1) {
			run node(m)
		}
#if CUTS
		run links();
#endif
		m = 0
	}
	timeout;
	atomic {
		for (m : 0 .. N - 1) {
			assert(over[m] || present[m]);
			assert(over[m] || (begun[m] == need[m] && gen_step[gen[m]] + need[m] == OPS)) /* ends */
		}
	}
}
