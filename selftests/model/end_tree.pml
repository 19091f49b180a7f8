/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How operations of a plan with a root end, as a model for SPIN: each ends by its result, or by
 * END, which the root decides. There are N members in a tree, whose processes run a program of OPS
 * collectives (STEP0, STEP1, STEP2), while FAULTS faults occur at any time: a process leaves and
 * another one comes (at most LEAVES), a member refuses an operation because contributions differ or
 * memory is lacking (at most REFUSALS), a link fails (at most CUTS). README has the protocol in
 * words, and what is left out.
 *
 * What must hold; the words in parentheses are the comment of the assertion:
 *	contributions to an operation are of the same step of the program (same step), and each is
 *	counted once (twice);
 *	an operation ends in the same way at all members that the root can reach (same end);
 *	all members agree on the step with which a generation begins (agree);
 *	a process contributes to a generation from its first operation on, or not at all (one run);
 *	at most a window of results waits at a member (window);
 *	in the end all processes have run the whole program, or the plan is over (ends).
 *
 * -DRULE_.. leaves out a rule; then some of these assertions must fail:
 *	RULE_TAG	a frame of an older generation is dropped
 *	RULE_NEWER	a frame of a newer generation waits
 *	RULE_READ	a process contributes again only after it has read the record of the failure
 *	RULE_JOIN	a process that comes after one that had begun belongs to the next
 *			generation, so its member sends STOP
 *	RULE_AGAIN	a member whose link to a child is down sends STOP in each generation,
 *			until the plan is over
 *	RULE_BELOW	a member enters the next generation only after all operations below END have
 *			ended at it
 *	RULE_VOID	data that a member has of operations from END on is dropped
 *	RULE_WHOLE	STOP names the first operation to which not all data is contributed, even if
 *			some is
 *	RULE_ROOT_NEED	if the root's process leaves, STOP names its first reduce or gather whose
 *			result it has not got ..
 *	RULE_ROOT_WHOLE	.. completely
 *	RULE_LAST	a scatter ends at a member once all blocks are on their way, not with the
 *			member's own block
 *	RULE_RELAYED	a member enters the next generation after END is sent to all its children
 *	RULE_COUNTED	END occupies the place of a result in the window
 * -DPOLICY_.. leaves out what only avoids failures; then all assertions must still hold:
 *	POLICY_SOFT	the STOP of a process that leaves counts for an operation only once
 *			the root's process has begun that operation
 *	POLICY_BEGUN	if a process leaves that has begun nothing in a generation, no STOP is sent
 */
#define allreduce	0
#define reduce		1
#define bcast		2
#define gather		3
#define scatter		4
#define scatter_asked	5	/* a scatter for which all members must ask first */

#ifndef N
#define N	3
#endif
#ifndef OPS
#define OPS	2
#endif
#ifndef STEP0
#define STEP0	allreduce
#endif
#ifndef STEP1
#define STEP1	allreduce
#endif
#ifndef STEP2
#define STEP2	allreduce
#endif
#ifndef SEGMENTS
#define SEGMENTS 1	/* segments of an operation; N - 1 for a scatter: one for each block */
#endif
#ifndef AHEAD
#define AHEAD	2	/* operations that a process may have begun and that have not ended */
#endif
#ifndef FAULTS
#define FAULTS	2
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
#define QUEUE	(4 + 4 * SEGMENTS)
#endif

#define ROOT	0
#define NONE	31
#define BIT(i)	(1 << (i))
#define MIN(a, b) ((a) < (b) -> (a) : (b))

/* The tree. LEADS_TO(i): the members that are reached through member i, itself included. */
#if defined(STAR)
#define PARENT(i)	ROOT
#define CHILDREN(i)	((i) == ROOT -> BIT(N) - 2 : 0)
#define ONLY_CHILD(i)	0
#define LEADS_TO(i)	((i) == ROOT -> BIT(N) - 1 : BIT(i))
#elif N == 3		/* 0 - 1 - 2 */
#define PARENT(i)	((i) - 1)
#define CHILDREN(i)	((i) < 2 -> BIT((i) + 1) : 0)
#define ONLY_CHILD(i)	((i) == 1 -> 2 : 0)
#define LEADS_TO(i)	(BIT(N) - BIT(i))
#else			/* 0 - 1 - 3, 0 - 2 */
#define PARENT(i)	((i) == 3 -> 1 : ROOT)
#define CHILDREN(i)	((i) == ROOT -> BIT(1) | BIT(2) : ((i) == 1 -> BIT(3) : 0))
#define ONLY_CHILD(i)	((i) == 1 -> 3 : 0)
#define LEADS_TO(i)	((i) == ROOT -> BIT(N) - 1 : ((i) == 1 -> BIT(1) | BIT(3) : BIT(i)))
#endif
#define IS_CHILD(i)	((i) < N && (CHILDREN(m) & BIT(i)))

/*
 * Operation numbers continue through all generations, and END takes a number, too. END and STOP
 * carry the number of an operation (OP()). DATA, RESULT and the variables begun, need, given and
 * sent have the number of a segment, counted through all operations.
 */
#define GENERATIONS	(2 * FAULTS + 2)
#define NUMBERS		(OPS + GENERATIONS + 1)
#define ALL_SEGMENTS	(NUMBERS * SEGMENTS)
#define OP(u)		((u) / SEGMENTS)
#define FIRST(n)	((n) * SEGMENTS)
#define AT(i, u)	((i) * ALL_SEGMENTS + (u))

/* In the module a frame names its collective. Here it has the number of the step, plus one, from
 * which the collective follows.
 */
#define PROGRAM			((STEP0 << 3) | (STEP1 << 6) | (STEP2 << 9))
#define COLLECTIVE(name)	((PROGRAM >> ((name) * 3)) & 7)
#define NAMED(i, u)		COLLECTIVE(step_of[AT(i, u)])
#define GOES_UP(what)		((what) != bcast && (what) != scatter)
#define ROOT_TAKES(what)	((what) == reduce || (what) == gather)
#define HAS_BLOCKS_DOWN(what)	((what) == scatter || (what) == scatter_asked)

/* Does segment @u of a result go to child @i? The last one goes to all, as it ends the operation.
 */
#define OWN_BLOCK(i, u)		(LEADS_TO(i) & BIT((u) % SEGMENTS + 1))
#ifdef RULE_LAST
#define GOES_TO(i, u)		(!HAS_BLOCKS_DOWN(NAMED(m, u)) || OWN_BLOCK(i, u))
#else
#define GOES_TO(i, u)		(!HAS_BLOCKS_DOWN(NAMED(m, u)) || OWN_BLOCK(i, u) || (u) % SEGMENTS == SEGMENTS - 1)
#endif

/* Frames: type, generation, operation or segment, step + 1, and in DATA the member whose block it
 * is, or in STOP and END the flags.
 */
mtype = { DATA, RESULT, END, STOP };
#define HARD	1
#define OVER	2	/* the plan is over, too */
#define LOST	4	/* for assertions only: this END does not come from the root */
chan up[N] = [QUEUE] of { mtype, byte, byte, byte, byte };	/* from a member to its parent */
chan dn[N] = [QUEUE] of { mtype, byte, byte, byte, byte };	/* from its parent to a member */
#ifdef HELPER		/* with STAR: member 2 sends to member 1, too */
chan beside = [QUEUE] of { mtype, byte, byte, byte, byte };
#define GIVERS(i)	(BIT(i) | CHILDREN(i) | ((i) == 1 -> BIT(2) : 0))
#else
#define GIVERS(i)	(BIT(i) | CHILDREN(i))
#endif
#define EXPECTED(i, u)	(NAMED(i, u) == gather -> LEADS_TO(i) : GIVERS(i))

/* The state of a member */
byte gen[N];			/* number of ENDs that it has received */
byte base[N];			/* the first operation of its generation */
byte begun[N];			/* its process has begun all segments below this number */
byte given[N];			/* all segments below are sent to the parent; at the root: completed */
byte gave[N];			/* blocks of a gather's next segment that are sent; at the root: taken */
byte need[N];			/* all segments below have ended at the member */
int result[N];			/* mask of the segments of results that it has received */
byte have[N * ALL_SEGMENTS];	/* mask of the members whose contributions it has */
byte step_of[N * ALL_SEGMENTS];
byte sent[N];			/* its parent has sent member @i all segments of results below */
byte relayed[N];		/* mask of the children to which it has sent END */
byte ends[N] = NONE;		/* the operation that ends by END */
byte end_flags[N];
byte soft[N] = NONE, hard[N] = NONE, stop_flags[N];	/* the lowest STOPs so far */
byte refused[N] = NONE;
bool left[N];			/* the process that had begun in this generation has left .. */
byte left_at[N];		/* .. and STOP has named this operation */
bool held[N];			/* at the root: a result waits for space in the window */
bool cut_below[N], over[N];

/* The state of the member's process */
bool present[N] = true, joins[N], unread[N];
byte failed_at[N];		/* steps from the first step of the generation to an unread failure */
byte first_step[N];		/* the step with which the process has begun in this generation */

/* Links, as masks of the members whose link to the parent they are: links that are down, and links
 * of which the node at the upper or at the lower end has not noticed that they are down
 */
byte down, unseen_above, unseen_below;

/* For assertions only: the first step and the first number of each generation, and masks of the
 * members at which operations have ended in each way
 */
byte gen_step[GENERATIONS + 1] = NONE, gen_base[GENERATIONS + 1] = NONE;
byte ok[GENERATIONS * OPS], failed[GENERATIONS * OPS];
bool begins[N];			/* a new process has not contributed yet */
bool lost[N];			/* operations may end here in another way than at the root */
byte leaves, refusals, cuts, budget;
#define USED		(leaves + refusals + cuts)
#define STEP(i, n)	(gen_step[gen[i]] + (n) - base[i])
#define ENDED(i, n)	(gen[i] * OPS + (n) - base[i])

/*
 * The number that a member reports in its credits: what it has forwarded and its process has taken.
 * Here the parent reads it at once; in the module a credit needs some time, as if the parent read
 * it later.
 */
#define TAKEN(i) \
	(ONLY_CHILD(i) && !(down & BIT(ONLY_CHILD(i))) -> MIN(need[i], sent[ONLY_CHILD(i)]) : need[i])
#ifdef WINDOW		/* operations whose results are sent to a child but not yet taken */
#define IN_WINDOW(i, n)	((n) < OP(TAKEN(i)) + WINDOW)
#define AT_MOST(i, n, more) assert((n) < OP(TAKEN(i)) + WINDOW + more)
#else
#define IN_WINDOW(i, n)	true
#define AT_MOST(i, n, more) skip
#endif
#define HAS_ROOM(i, n)	(!IS_CHILD(i) || (down & BIT(i)) || IN_WINDOW((i) % N, n))
#define ROOM_FOR_ALL(n)	(HAS_ROOM(1, n) && HAS_ROOM(2, n) && HAS_ROOM(3, n))
#ifdef RULE_COUNTED
#define END_HAS_ROOM(i)	true
#else
#define END_HAS_ROOM(i)	IN_WINDOW(i, ends[m])
#endif

inline to_parent(TYPE, NR, NAME, WITH)
{
	if
	:: m != ROOT && !(down & BIT(m)) -> assert(nfull(up[m])); up[m]!TYPE(gen[m], NR, NAME, WITH)
	:: else
	fi
}

#define RESULT_WAITS(i)	(sent[i] < ALL_SEGMENTS && (result[m] & BIT(sent[i])))
#define END_WAITS(i)	(ends[m] != NONE && !(relayed[m] & BIT(i)) && sent[i] >= FIRST(ends[m]))

/* Send each child what follows for it, as far as its window allows: results, and END after the
 * results of all operations before it.
 */
inline relay()
{
	c = 1;
	do
	:: c == N -> break
	:: c < N && (!IS_CHILD(c) || (down & BIT(c))) -> c++
	:: c < N && IS_CHILD(c) && !(down & BIT(c)) ->
		do
		:: RESULT_WAITS(c) && !GOES_TO(c, sent[c]) -> sent[c]++
		:: RESULT_WAITS(c) && GOES_TO(c, sent[c]) && IN_WINDOW(c, OP(sent[c])) ->
			assert(nfull(dn[c]));
			dn[c]!RESULT(gen[m], sent[c], step_of[AT(m, sent[c])], 0);
			sent[c]++
		:: else -> break
		od;
		if
		:: END_WAITS(c) && END_HAS_ROOM(c) ->
			assert(nfull(dn[c]));
			AT_MOST(c, ends[m], 1);	/* window */
			dn[c]!END(gen[m], ends[m], 0, end_flags[m]);
			relayed[m] = relayed[m] | BIT(c)
		:: else
		fi;
		c++
	od;
	c = 0
}

/* Record END, which never changes after that. */
inline end_at(NR, FLAGS)
{
	assert(ends[m] == NONE);
	ends[m] = NR;
	end_flags[m] = FLAGS
}

/* At the root: end the first incomplete operation by END, if it cannot or must not become complete.
 */
inline root_decide()
{
	if
	:: m == ROOT && ends[m] == NONE &&
	   (OP(given[m]) >= hard[m] ||
	    (OP(given[m]) >= soft[m] && begun[m] > FIRST(OP(given[m])) && GOES_UP(COLLECTIVE(STEP(m, OP(given[m])) + 1)))) ->
		end_at(OP(given[m]), stop_flags[m] & OVER)
	:: else
	fi
}

/* Handle a STOP: members below, or this one, do not contribute all data to operation @NR and later
 * ones. The lowest number is kept, and is sent to the parent after the data.
 */
inline stop_at(NR, FLAGS)
{
	if
	:: ends[m] == NONE &&
	   (NR < soft[m] || ((FLAGS & HARD) && NR < hard[m]) || ((FLAGS & OVER) && !(stop_flags[m] & OVER))) ->
		soft[m] = MIN(NR, soft[m]);
		if
		:: FLAGS & HARD -> hard[m] = MIN(NR, hard[m]); stop_flags[m] = stop_flags[m] | FLAGS
		:: else
		fi;
		to_parent(STOP, NR, 0, FLAGS)
	:: else
	fi
}

#ifdef SLOW		/* processes other than the root's take results at any time */
#define READS(i)	((i) == ROOT || reads)
#else
#define READS(i)	true
#endif
/* The process takes results in order. Results for a process that has left are discarded. */
inline deliver()
{
	do
	:: need[m] < ALL_SEGMENTS && (result[m] & BIT(need[m])) && (left[m] || (present[m] && begun[m] > need[m] && READS(m))) ->
		if
		:: !left[m] && need[m] % SEGMENTS == SEGMENTS - 1 ->
			ok[ENDED(m, OP(need[m]))] = ok[ENDED(m, OP(need[m]))] | BIT(m);
			c = 0;
			do
			:: c < N -> assert(lost[c] || lost[m] || !(failed[ENDED(m, OP(need[m]))] & BIT(c))); c++ /* same end */
			:: else -> break
			od;
			c = 0
		:: else
		fi;
		need[m]++
	:: else -> break
	od
}

/* Forward the blocks of a gather as they arrive. */
inline give_blocks()
{
	c = 1;
	do
	:: c < N && (have[AT(m, given[m])] & ~gave[m] & BIT(c)) ->
		to_parent(DATA, given[m], step_of[AT(m, given[m])], c);
		gave[m] = gave[m] | BIT(c);
		c++
	:: c < N && !(have[AT(m, given[m])] & ~gave[m] & BIT(c)) -> c++
	:: else -> break
	od;
	c = 0
}

#define NEXT_KNOWN	(given[m] < ALL_SEGMENTS && step_of[AT(m, given[m])] != 0)
#define NEXT_LIVES	(given[m] < FIRST(ends[m]) && given[m] < FIRST(refused[m]))
#define NEXT_COMPLETE	(have[AT(m, given[m])] == EXPECTED(m, given[m]))
/* The root's process must take results that only the root gets. */
#define NEXT_TAKEN	(NAMED(m, given[m]) == gather -> gave[m] == LEADS_TO(m) : (NAMED(m, given[m]) != reduce || takes))

/* Send what can be sent to the parent; at the root, complete operations in order. */
inline advance()
{
	do
	:: m != ROOT && NEXT_KNOWN && !GOES_UP(NAMED(m, given[m])) -> given[m]++
	:: m != ROOT && NEXT_KNOWN && NEXT_LIVES && NAMED(m, given[m]) == gather && (have[AT(m, given[m])] & ~gave[m]) ->
		give_blocks()
	:: m != ROOT && NEXT_KNOWN && NAMED(m, given[m]) == gather && gave[m] == LEADS_TO(m) ->
		gave[m] = 0;
		given[m]++
	:: m != ROOT && NEXT_KNOWN && NEXT_LIVES && GOES_UP(NAMED(m, given[m])) && NAMED(m, given[m]) != gather &&
	   NEXT_COMPLETE ->
		to_parent(DATA, given[m], step_of[AT(m, given[m])], m);
#ifdef HELPER
		if
		:: m == 2 -> assert(nfull(beside)); beside!DATA(gen[m], given[m], step_of[AT(m, given[m])], m)
		:: else
		fi;
#endif
		given[m]++
	:: m == ROOT && NEXT_KNOWN && NEXT_LIVES && !held[m] &&
	   (GOES_UP(NAMED(m, given[m])) -> NEXT_COMPLETE && NEXT_TAKEN : begun[m] > given[m]) ->
		if
		:: ROOM_FOR_ALL(OP(given[m])) ->
			result[m] = result[m] | BIT(given[m]);
			gave[m] = 0;
			takes = 0;
			given[m]++
		:: else -> held[m] = true
		fi
	:: else -> break
	od;
	deliver();
	root_decide();
	relay()
}

inline contribution(NR, WHOSE, NAME)
{
	assert(step_of[AT(m, NR)] == 0 || step_of[AT(m, NR)] == NAME); /* same step */
	step_of[AT(m, NR)] = NAME;
	assert(!(have[AT(m, NR)] & BIT(WHOSE))); /* twice */
	have[AT(m, NR)] = have[AT(m, NR)] | BIT(WHOSE)
}

#ifdef RULE_NEWER
#define IS_OLD	(g != gen[m])
#else
#define IS_OLD	(g < gen[m])
#endif
inline receive()
{
	if
	:: t == DATA -> from = f
	:: else
	fi;
	if
	:: IS_OLD && t == END -> assert(lost[m] || (f & LOST) || gen_step[g + 1] <= gen_step[g] + n - gen_base[g]) /* agree */
#ifdef RULE_TAG
	:: t == DATA && IS_OLD && n < ALL_SEGMENTS && !(have[AT(m, n)] & BIT(from)) ->
		contribution(n, from, s)
	:: IS_OLD && !(t == DATA && n < ALL_SEGMENTS && !(have[AT(m, n)] & BIT(from))) && t != END
#else
	:: IS_OLD && t != END
#endif
	:: !IS_OLD && t == DATA ->
		assert(n >= FIRST(base[m]));
		contribution(n, from, s)
	:: !IS_OLD && t == RESULT ->
		assert(n >= FIRST(base[m]) && ends[m] == NONE);
		assert(step_of[AT(m, n)] == 0 || step_of[AT(m, n)] == s); /* same step */
		AT_MOST(m, OP(n), 0); /* window */
		/* Segments of a scatter that this member does not receive have blocks of other
		 * members.
		 */
		c = (HAS_BLOCKS_DOWN(COLLECTIVE(s)) -> FIRST(OP(n)) : n);
		do
		:: c <= n -> result[m] = result[m] | BIT(c); step_of[AT(m, c)] = s; c++
#ifdef RULE_LAST
		:: c > n && c % SEGMENTS && HAS_BLOCKS_DOWN(COLLECTIVE(s)) && !(LEADS_TO(m) >> (c % SEGMENTS + 1)) ->
			result[m] = result[m] | BIT(c); step_of[AT(m, c)] = s; c++
		:: c > n && !(c % SEGMENTS && HAS_BLOCKS_DOWN(COLLECTIVE(s)) && !(LEADS_TO(m) >> (c % SEGMENTS + 1))) ->
			break
#else
		:: else -> break
#endif
		od;
		c = 0
	:: !IS_OLD && t == END ->
		assert(n >= base[m]);
		if
		:: f & LOST -> lost[m] = true
		:: else
		fi;
		/* A member at the lower end of a broken link may have sent its END before. */
		if
		:: ends[m] == NONE -> end_at(n, f)
		:: else -> assert(lost[m])
		fi
	:: !IS_OLD && t == STOP -> assert(n >= base[m]); stop_at(n, f)
	fi;
	t = 0; g = 0; n = 0; s = 0; f = 0; from = 0
}

/* The process gets the cause of END for all operations that it has begun and that have not ended. */
inline fail_begun()
{
	if
	:: present[m] && !left[m] && begun[m] > FIRST(base[m]) ->
		n = ends[m];
		do
		:: FIRST(n) < begun[m] ->
			assert(!(ok[ENDED(m, n)] & BIT(m)));
			failed[ENDED(m, n)] = failed[ENDED(m, n)] | BIT(m);
			c = 0;
			do
			:: c < N -> assert(lost[c] || lost[m] || !(ok[ENDED(m, n)] & BIT(c))); c++ /* same end */
			:: else -> break
			od;
			c = 0;
			n++
		:: else -> break
		od;
		n = 0;
		unread[m] = true;
		failed_at[m] = ends[m] - base[m]
	:: present[m] && !left[m] && begun[m] == FIRST(base[m]) -> assert(ends[m] == base[m])
	:: present[m] && left[m]		/* the new process contributes from the next generation on */
	:: !present[m] -> assert(left[m] || ends[m] == base[m])
	fi
}

/* Enter the next generation, after END. */
inline move_on()
{
	assert(gen[m] + 1 <= GENERATIONS);
	if
	:: !lost[m] ->
		assert(gen_step[gen[m] + 1] == NONE || gen_step[gen[m] + 1] == STEP(m, ends[m])); /* agree */
		assert(gen_base[gen[m] + 1] == NONE || gen_base[gen[m] + 1] == ends[m] + 1);
		gen_step[gen[m] + 1] = STEP(m, ends[m]);
		gen_base[gen[m] + 1] = ends[m] + 1
	:: else
	fi;
	fail_begun();
	over[m] = over[m] | ((end_flags[m] & OVER) != 0);
	gen[m]++;
	base[m] = ends[m] + 1;
	begun[m] = FIRST(base[m]); need[m] = FIRST(base[m]); given[m] = FIRST(base[m]); gave[m] = 0; result[m] = 0;
	ends[m] = NONE; end_flags[m] = 0; relayed[m] = 0; held[m] = false;
	soft[m] = NONE; hard[m] = NONE; stop_flags[m] = 0; refused[m] = NONE; left[m] = false; left_at[m] = 0;
	n = 0;
#ifdef RULE_VOID
	n = ALL_SEGMENTS;
#endif
	do
	:: n < ALL_SEGMENTS -> have[AT(m, n)] = 0; step_of[AT(m, n)] = 0; n++
	:: else -> break
	od;
	n = 0;
	c = 1;
	do
	:: c < N && IS_CHILD(c) -> sent[c] = FIRST(base[m]); c++
	:: c < N && !IS_CHILD(c) -> c++
	:: else -> break
	od;
	c = 0;
#ifndef RULE_AGAIN
	if
	:: cut_below[m] && !over[m] -> stop_at(base[m], HARD | OVER)
	:: else
	fi
#endif
}

/* The process leaves. STOP names the first operation to which it has not contributed all data, or at
 * the root, whose result it has not got completely.
 */
inline leave()
{
	leaves++;
	present[m] = false; unread[m] = false; failed_at[m] = 0; joins[m] = false;
	if
#ifndef POLICY_BEGUN
	:: begun[m] == FIRST(base[m])
#endif
	:: else ->
		left[m] = true;
#ifdef RULE_WHOLE
		n = OP(begun[m] + SEGMENTS - 1);
#else
		n = OP(begun[m]);
#endif
#ifndef RULE_ROOT_NEED
		if
		:: m == ROOT ->
			c = n;
#ifdef RULE_ROOT_WHOLE
			n = OP(need[m] + SEGMENTS - 1);
#else
			n = OP(need[m]);
#endif
			do
			:: n < c && !ROOT_TAKES(COLLECTIVE(first_step[m] + n - base[m] + 1)) -> n++
			:: else -> break
			od;
			c = 0
		:: else
		fi;
#endif
		left_at[m] = n;
#ifdef POLICY_SOFT
		stop_at(n, HARD);
#else
		stop_at(n, (m == ROOT -> HARD : 0));
#endif
		n = 0
	fi
}

inline come()
{
	present[m] = true;
	joins[m] = true;
	begins[m] = true;
	if
#ifdef RULE_JOIN
	:: left[m] -> left[m] = false
#else
	:: left[m] -> stop_at(left_at[m], HARD)
#endif
	:: else
	fi
}

/* The process begins the next operation, or contributes the next segment of it. */
inline begin()
{
	if
	:: joins[m] -> joins[m] = false; first_step[m] = gen_step[gen[m]]
	:: else
	fi;
	assert(lost[m] || first_step[m] == gen_step[gen[m]]); /* same step */
	assert(begun[m] == FIRST(base[m]) || !begins[m]); /* one run */
	begins[m] = false;
	n = begun[m];
	s = first_step[m] + OP(n) - base[m] + 1;
	if
	:: GOES_UP(COLLECTIVE(s)) -> contribution(n, m, s); begun[m]++
	:: !GOES_UP(COLLECTIVE(s)) && m == ROOT -> step_of[AT(m, n)] = s; begun[m]++
	:: else -> step_of[AT(m, n)] = s; begun[m] = FIRST(OP(n) + 1)
	fi;
	n = 0;
	s = 0
}

inline take_block()
{
	do
	:: have[AT(m, given[m])] & ~gave[m] & BIT(c) -> break
	:: else -> c++
	od;
	gave[m] = gave[m] | BIT(c);
	c = 0
}

#if CUTS
#define CUT_CHILD(i)	(IS_CHILD(i) && (unseen_above & BIT(i)))

/* The member at the lower end of a link notices that the link is down, and sends END for the first
 * operation whose result it does not have.
 */
inline see_cut_above()
{
	unseen_below = unseen_below & ~BIT(m);
	lost[m] = true;
	n = base[m];
	do
	:: n < NUMBERS && (result[m] & BIT(FIRST(n) + SEGMENTS - 1)) -> n++
	:: else -> break
	od;
	end_at(n, OVER | LOST);
	n = 0
}

/* The member at the upper end of a link notices that the link is down, and sends STOP for the first
 * operation that lacks a contribution from below.
 */
inline see_cut_below()
{
	if
	:: CUT_CHILD(1) -> from = 1
	:: CUT_CHILD(2) -> from = 2
	:: CUT_CHILD(3) -> from = 3
	fi;
	unseen_above = unseen_above & ~BIT(from);
	cut_below[m] = true;
	n = base[m];
	do
	:: n < NUMBERS && step_of[AT(m, FIRST(n) + SEGMENTS - 1)] != 0 &&
	   (!GOES_UP(NAMED(m, FIRST(n) + SEGMENTS - 1)) ||
	    !(EXPECTED(m, FIRST(n) + SEGMENTS - 1) & LEADS_TO(from) & ~have[AT(m, FIRST(n) + SEGMENTS - 1)])) -> n++
	:: else -> break
	od;
	stop_at(n, HARD | OVER);
	n = 0;
	from = 0
}
#endif

#ifdef RULE_NEWER
#define IS_NEWER(q)	false
#else
#define IS_NEWER(q)	(q?[_, eval(gen[m] + 1), _, _, _] || q?[_, eval(gen[m] + 2), _, _, _] || q?[_, eval(gen[m] + 3), _, _, _])
#endif
#define CAME_FROM(i)	(IS_CHILD(i) && nempty(up[(i) % N]) && !IS_NEWER(up[(i) % N]))
#ifdef RULE_BELOW
#define BELOW_ENDED	true
#else
#define BELOW_ENDED	(need[m] >= FIRST(ends[m]))
#endif
#ifdef RULE_RELAYED
#define END_RELAYED	true
#else
#define END_RELAYED	(!(CHILDREN(m) & ~down & ~relayed[m]))
#endif
#ifdef RULE_READ
#define HAS_READ	true
#else
#define HAS_READ	(!unread[m])
#endif
#define CAN_RELAY(i)	(IS_CHILD(i) && !(down & BIT(i)) && \
	((RESULT_WAITS((i) % N) && IN_WINDOW((i) % N, OP(sent[(i) % N]))) || (END_WAITS((i) % N) && END_HAS_ROOM((i) % N))))
#define MY_STEP		((joins[m] -> gen_step[gen[m]] : first_step[m]) + OP(begun[m]) - base[m])

proctype node(byte m)
{
	byte c, g, n, s, f, from;
	bit takes, reads;
	mtype t;

end:	do
	:: atomic {
		if
		:: m != ROOT && nempty(dn[m]) && !IS_NEWER(dn[m]) -> dn[m]?t(g, n, s, f); from = PARENT(m); receive()
		:: CAME_FROM(1) || CAME_FROM(2) || CAME_FROM(3) ->
			if
			:: CAME_FROM(1) -> from = 1
			:: CAME_FROM(2) -> from = 2
#if N > 3
			:: CAME_FROM(3) -> from = 3
#endif
			fi;
			up[from]?t(g, n, s, f);
			receive()
#ifdef HELPER
		:: m == 1 && nempty(beside) && !IS_NEWER(beside) -> beside?t(g, n, s, f); from = 2; receive()
#endif
		:: ends[m] != NONE && BELOW_ENDED && END_RELAYED -> move_on()
#ifdef WINDOW
		/* A credit has arrived. */
		:: CAN_RELAY(1) || CAN_RELAY(2) || CAN_RELAY(3)
		:: held[m] && NEXT_LIVES && ROOM_FOR_ALL(OP(given[m])) -> held[m] = false; takes = 1
#endif
		:: present[m] && !left[m] && HAS_READ && begun[m] < FIRST(ends[m]) && OP(begun[m]) - OP(need[m]) < AHEAD &&
		   !over[m] && MY_STEP < OPS -> begin()
		/* The root's process takes the result of a reduce, or a block of a gather. */
		:: m == ROOT && present[m] && !left[m] && !held[m] && NEXT_KNOWN && NEXT_LIVES && NAMED(m, given[m]) == reduce &&
		   NEXT_COMPLETE -> takes = 1
		:: m == ROOT && present[m] && !left[m] && !held[m] && NEXT_KNOWN && NEXT_LIVES && NAMED(m, given[m]) == gather &&
		   begun[m] > given[m] && (have[AT(m, given[m])] & ~gave[m]) -> take_block()
#ifdef SLOW
		:: m != ROOT && present[m] && !left[m] && begun[m] > need[m] && (result[m] & BIT(need[m])) -> reads = 1
#endif
		/* The process reads the record of the failure, and continues with the first step of
		 * the generation.
		 */
		:: present[m] && unread[m] ->
			unread[m] = false; first_step[m] = first_step[m] + failed_at[m]; failed_at[m] = 0
		:: present[m] && !left[m] && leaves < LEAVES && USED < budget && !over[m] -> leave()
		:: !present[m] && !over[m] -> come()
		:: refusals < REFUSALS && USED < budget && given[m] < FIRST(ends[m]) && have[AT(m, given[m])] != 0 &&
		   refused[m] == NONE && given[m] % SEGMENTS == 0 ->
			refusals++; refused[m] = OP(given[m]); stop_at(OP(given[m]), HARD)
#if CUTS
		:: (unseen_below & BIT(m)) && ends[m] == NONE && !over[m] -> see_cut_above()
		:: (CUT_CHILD(1) || CUT_CHILD(2) || CUT_CHILD(3)) && ends[m] == NONE && !over[m] -> see_cut_below()
#endif
		fi;
		advance();
		takes = 0;
		reads = 0 }
	od
}

#if CUTS
proctype links()
{
	byte i;
end:	do
	:: atomic { cuts < CUTS && USED < budget ->
		select(i : 1 .. N - 1);
		if
		:: down & BIT(i)
		:: else ->
			cuts++;
			down = down | BIT(i); unseen_above = unseen_above | BIT(i); unseen_below = unseen_below | BIT(i);
			do
			:: up[i]?_, _, _, _, _
			:: empty(up[i]) && nempty(dn[i]) -> dn[i]?_, _, _, _, _
			:: empty(up[i]) && empty(dn[i]) -> break
			od
		fi;
		i = 0 }
	od
}
#endif

init {
	byte m;

	atomic {
		gen_step[0] = 0; gen_base[0] = 0;
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
			assert(over[m] || (begun[m] == need[m] && need[m] % SEGMENTS == 0 && STEP(m, OP(need[m])) == OPS)) /* ends */
		}
	}
}
