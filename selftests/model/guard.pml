/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guarded plans with a root, as a model for SPIN. N members in a tree have processes that run a
 * program of OPS collectives (STEP0, STEP1, STEP2), while FAULTS faults occur at any time: a node
 * dies (at most DEATHS), or a link of the tree goes down (at most CUTS). Then the guard installs
 * the next epoch for all members at once, over any tree of live nodes. It may leave out live nodes
 * behind a link that is down (at most DROPS), and nodes may come, or come back, without a ledger
 * (at most JOIN). The root may end an operation by END, which is recorded like a result (at most
 * ENDS). README has the protocol in words, and what is left out. Comments name the functions of the
 * module that the lines model.
 *
 * What must hold; the words in parentheses are the comment of the assertion:
 *	contributions to an operation have the same number (same number), and each is counted once
 *	(twice);
 *	a member does not contribute to an operation whose end its process has got (again);
 *	a new result has the contributions of all members of the epoch (all of the epoch);
 *	a process gets the end of each operation once and in order (in order), and the result
 *	has its contribution (own);
 *	the result is the same at all members (same result);
 *	a reduce ends nowhere before the root's process has its result (root has it);
 *	a result that one process has got, the others get from the remaining members (kept);
 *	in the end all processes of the last epoch have run the whole program (ends).
 *
 * -DRULE_.. leaves out a rule; then some of these assertions must fail:
 *	RULE_KEEP_RESULT results are recorded and distributed again, not computed again
 *	RULE_TAG	a frame of an older epoch is dropped
 *	RULE_WINDOW	a process contributes at most a window ahead, the number of recorded results
 *	RULE_FRESH	a fresh member does not count for the lowest number that is needed
 *	RULE_AGREE	members agree on the operation with which they continue
 *	RULE_HEIR	a fresh member stays fresh until it, too, has the results that others need
 *	RULE_BLANK	a member that is still fresh begins each epoch as if it had just come: its
 *			process has got nothing ..
 *	RULE_VOID	.. and it has recorded nothing
 *	RULE_COUNTED	an operation may end by END only if it is in the window of all members
 *	RULE_ACK	a reduce ends at the others after the root's process has taken the result
 *			(with SLOW)
 */
#define allreduce	0
#define reduce		1

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
#ifndef WINDOW
#define WINDOW	2	/* operations that a process may be ahead; results that a member records */
#endif
#ifndef FAULTS
#define FAULTS	1
#endif
#ifndef DEATHS
#define DEATHS	FAULTS
#endif
#ifndef CUTS
#define CUTS	FAULTS
#endif
#ifndef DROPS
#define DROPS	1
#endif
#ifndef JOIN
#define JOIN	0
#endif
#ifndef ENDS
#define ENDS	0
#endif

#define NONE	7
#define ALL	(BIT(N) - 1)
#ifdef LATE		/* the last node is not a member of the first epoch */
#define FIRST		(BIT(N - 1) - 1)
#else
#define FIRST		ALL
#endif
#define BIT(i)	(1 << (i))
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define AT(i, n) ((i) * OPS + (n))		/* by operation number, which continues in all epochs */
#define IN(i, u) ((i) * (OPS + 1) + (u))	/* by turn: the operations of an epoch, from 0 on */

#define PROGRAM		(STEP0 | (STEP1 << 1) | (STEP2 << 2))
#define IS_REDUCE(n)	((PROGRAM >> (n)) & 1)

/*
 * Turn 0 of an epoch (MEET) finds F and H, the lowest and the highest operation that some process
 * needs. The next H - F turns (SAY) distribute recorded results; all others (FEED) are operations
 * of the program. In the module the lowest number is found as the greatest ~need, to which a fresh
 * member contributes 0.
 */
#define NUMBER(u)	(least[m] + (u) - 1)
#define SAYS		(most[m] - least[m])
#define AGREE(lo, hi)	((lo) * 8 + (hi))
#define LO(v)		((v) / 8)
#define HI(v)		((v) & 7)
#define DONE		BIT(N)		/* a result; in an allreduce with its contributors' bits */
#define END		BIT(N + 1)	/* a failure, with which a generation has ended */

/*
 * Frames: turn, operation number, value. The number is for assertions only. Frames have no epoch: a
 * frame of an older epoch would be dropped when it arrives, and has no other effect, so it is
 * dropped when the next epoch is installed.
 */
#define QUEUE	(2 * OPS + 2)
chan up[N] = [QUEUE] of { byte, byte, byte, byte }; /* from a member to its parent; last: the generation */
chan dn[N] = [QUEUE] of { byte, byte, byte };	/* from its parent to a member */

/* The state of the epoch */
byte members = FIRST, root, parent[N];
byte alive = ALL, cut;		/* cut: members whose link to the parent is down */
bool broken;			/* a node of the epoch has died, or a link is down */

/* The ledger of a member, which continues in the next epoch */
byte need[N];			/* the first operation whose end its process has not got */
byte next[N];			/* the first operation to which its process has not contributed */
byte got[N * OPS];		/* results that its process has got; for assertions before the last WINDOW */
byte fresh;			/* mask of the members without a ledger */

/* The state of a member in the present epoch */
byte least[N], most[N];		/* F and H */
byte began[N];			/* turns to which it has contributed */
byte gave[N];			/* turns sent to its parent; at the root: turns that are complete */
byte had[N];			/* turns whose result it has and has forwarded */
byte given[N];			/* turns whose result its process has got */
byte gen[N];			/* number of ENDs that it has received and forwarded */
byte ended[N];			/* turns up to the last of these ENDs */
byte have[N * (OPS + 1)];	/* contributions that it has, for turns that are not sent */
byte sum[N * (OPS + 1)];	/* sum of the contributions; or a result not got by the process */

byte faults, deaths, cuts, drops, joins, ends, budget, end_budget;
byte reduced;			/* for assertions: reduces whose result a root's process has got */

#define IS_CHILD(i)	((i) < N && (i) != m && (members & BIT(i)) && parent[(i) % N] == m)
#define CHILD(i)	(IS_CHILD(i) -> BIT(i) : 0)
#define GIVERS		(BIT(m) | CHILD(0) | CHILD(1) | CHILD(2) | CHILD(3))
#define KEPT(n)		((n) + WINDOW >= need[m] -> got[AT(m, n)] : 0)
#define IS_FRESH	(fresh & BIT(m))
#define IS_HERE		(members & alive & BIT(m))

inline combine(TURN, NR, VALUE, WHOSE)
{
	assert(TURN <= OPS && TURN >= gave[m] && !(have[IN(m, TURN)] & BIT(WHOSE))); /* twice */
	assert(TURN == 0 || (had[m] > 0 && NR == NUMBER(TURN))); /* same number */
	if
	:: TURN == 0 && !have[IN(m, 0)] -> sum[IN(m, 0)] = VALUE
	:: TURN == 0 && have[IN(m, 0)] ->
		sum[IN(m, 0)] = AGREE(MIN(LO(VALUE), LO(sum[IN(m, 0)])), MAX(HI(VALUE), HI(sum[IN(m, 0)])))
	:: TURN > 0 && NR < most[m] ->
		assert(!sum[IN(m, TURN)] || !(VALUE) || sum[IN(m, TURN)] == VALUE); /* same result */
		sum[IN(m, TURN)] = sum[IN(m, TURN)] | (VALUE)
	:: TURN > 0 && NR >= most[m] ->
		assert(!(sum[IN(m, TURN)] & (VALUE))); /* twice */
		sum[IN(m, TURN)] = sum[IN(m, TURN)] | (VALUE)
	fi;
	have[IN(m, TURN)] = have[IN(m, TURN)] | BIT(WHOSE)
}

/* The process gets the end of operation @nr. The process of a fresh member does not, but the member
 * records what others need.
 */
inline give_process()
{
	assert(nr == need[m] && v); /* in order */
	if
	:: !IS_FRESH && v == END -> next[m] = nr + 1	/* contributions from this number on are dropped */
	:: !IS_FRESH && v != END ->
		assert(nr < next[m]);
		assert(IS_REDUCE(nr) || (v & BIT(m))); /* own */
		assert(!IS_REDUCE(nr) || (reduced & BIT(nr))) /* root has it */
	:: else
	fi;
	c = 0;
	do
	:: c < N ->
		assert(!(members & alive & BIT(c)) || nr >= need[c] || !got[AT(c, nr)] ||
		       got[AT(c, nr)] == v); /* same result */
		c++
	:: else -> break
	od;
	c = 0;
	got[AT(m, nr)] = v;
	need[m]++
}

/* say_took(), or the end of an operation of the program */
inline give()
{
	nr = NUMBER(given[m]);
	v = sum[IN(m, given[m])];
	sum[IN(m, given[m])] = 0;
	if
	:: nr < most[m] ->
		assert(v); /* kept */
		if
		:: nr == need[m] -> give_process()
		:: else -> assert(nr < need[m])
		fi
	:: else ->
		if
		:: IS_REDUCE(nr) && m == root && v != END -> reduced = reduced | BIT(nr)
		:: else
		fi;
		give_process()
	fi;
	given[m]++;
	if
	:: given[m] == SAYS + 1 -> fresh = fresh & ~BIT(m)
	:: else
	fi;
	nr = 0; v = 0
}

/* meet_took(): all members that have the result continue with the same numbers. */
inline agreed()
{
	least[m] = (LO(v) == NONE -> 0 : LO(v));
	most[m] = HI(v);
#ifdef RULE_KEEP_RESULT
	most[m] = least[m];
#endif
	assert(IS_FRESH || need[m] >= least[m]);
	assert(IS_FRESH || ENDS || next[m] >= most[m]);
	if
	:: IS_FRESH ->
		next[m] = MAX(next[m], most[m]);
#ifdef RULE_HEIR
		need[m] = most[m];
		fresh = fresh & ~BIT(m)
#else
		need[m] = MAX(need[m], least[m]);
		if
		:: least[m] == most[m] -> fresh = fresh & ~BIT(m)
		:: else
		fi
#endif
	:: else
	fi;
	sum[IN(m, 0)] = 0;
	given[m] = 1
}

/* The member has the result of turn @had[m]. It is sent to the children first. */
inline result()
{
	c = 0;
	do
	:: c < N ->
		if
		:: IS_CHILD(c) && !(cut & BIT(c)) ->
			assert(nfull(dn[c]));
			dn[c]!had[m], (had[m] -> NUMBER(had[m]) : 0), v
		:: else
		fi;
		c++
	:: else -> break
	od;
	c = 0;
	had[m]++;
	if
	:: had[m] == 1 -> agreed()
	:: had[m] > SAYS + 1 && v == END ->
		for (c : 0 .. OPS) {
			if
			:: c >= had[m] -> have[IN(m, c)] = 0; sum[IN(m, c)] = 0
			:: else
			fi
		}
		c = 0;
		have[IN(m, had[m] - 1)] = 0;
		began[m] = had[m]; gave[m] = had[m]; ended[m] = had[m];
		gen[m]++;
		sum[IN(m, had[m] - 1)] = v
	:: else -> sum[IN(m, had[m] - 1)] = v
	fi;
	v = 0
}

#define TURN_FULL	(gave[m] <= OPS && have[IN(m, gave[m])] == GIVERS)
#define IS_SAY(u)	((u) > 0 && NUMBER(u) < most[m])
#define IS_STEP(u)	((u) > 0 && NUMBER(u) >= most[m])
#define WAITS_FOR_ROOT	(m == root && IS_STEP(gave[m]) && IS_REDUCE(NUMBER(gave[m])))
#ifdef SLOW		/* processes take results at any time */
#define TAKES		takes
#else
#define TAKES		true
#endif
#ifdef RULE_ACK
#define ROOT_TAKES	true
#else
#define ROOT_TAKES	((TAKES && given[m] == had[m]) || !WAITS_FOR_ROOT)
#endif

/* Do everything that a member can do by itself. */
inline advance()
{
	do
	/* meet_begin() */
	:: began[m] == 0 ->
#ifdef RULE_FRESH
		v = AGREE((IS_FRESH -> 0 : need[m]), (IS_FRESH -> 0 : need[m]));
#else
		v = AGREE((IS_FRESH -> NONE : need[m]), (IS_FRESH -> 0 : need[m]));
#endif
		combine(0, 0, v, m);
		v = 0;
		began[m]++
	/* say_begin() */
	:: began[m] > 0 && began[m] == given[m] && IS_SAY(began[m]) ->
		nr = NUMBER(began[m]);
		v = KEPT(nr);
		combine(began[m], nr, v, m);
		nr = 0; v = 0;
		began[m]++
	/* feed() */
	:: began[m] > 0 && given[m] > SAYS && given[m] >= ended[m] && IS_STEP(began[m]) && NUMBER(began[m]) < next[m] ->
		assert(NUMBER(began[m]) >= need[m]); /* again */
		combine(began[m], NUMBER(began[m]), BIT(m), m);
		began[m]++
	:: TURN_FULL && m != root ->
		if
		:: !(cut & BIT(m)) ->
			assert(nfull(up[m]));
			up[m]!gave[m], (gave[m] -> NUMBER(gave[m]) : 0), sum[IN(m, gave[m])], gen[m]
		:: else
		fi;
		have[IN(m, gave[m])] = 0; sum[IN(m, gave[m])] = 0;
		gave[m]++
	:: TURN_FULL && m == root && ROOT_TAKES ->
		v = sum[IN(m, gave[m])];
		if
		:: IS_STEP(gave[m]) ->
			assert(v == members); /* all of the epoch */
			v = (IS_REDUCE(NUMBER(gave[m])) -> DONE : v | DONE)
		:: else
		fi;
		have[IN(m, gave[m])] = 0; sum[IN(m, gave[m])] = 0;
#if defined(SLOW) && !defined(RULE_ACK)
		if
		:: WAITS_FOR_ROOT -> gave[m]++; result(); give(); takes = 0
		:: else -> gave[m]++; result()
		fi
#else
		gave[m]++;
		result()
#endif
	:: given[m] < had[m] && TAKES -> give(); takes = 0
	:: else -> break
	od
}

/* Take a contribution. One of an older generation is dropped; there can be none of a newer one. */
inline receive(FROM)
{
	if
	:: g == gen[m] -> combine(turn, nr, v, FROM)
	:: else -> assert(g < gen[m])
	fi;
	g = 0
}

#define CAME_FROM(i)	(IS_CHILD(i) && nempty(up[(i) % N]))
#ifdef RULE_WINDOW
#define IN_WINDOW	true
#else
#define IN_WINDOW	(next[m] < need[m] + WINDOW)
#endif

#define REACHES(i)	((i) >= N || !(members & ~fresh & BIT(i)) || NUMBER(had[m]) < need[(i) % N] + WINDOW)
#ifdef RULE_COUNTED
#define END_IN_WINDOW	true
#else
#define END_IN_WINDOW	(REACHES(0) && REACHES(1) && REACHES(2) && REACHES(3))
#endif

proctype node(byte m)
{
	byte c, nr, v, g, turn;
	bit takes;

end:	do
	:: atomic {
		if
		:: m != root && nempty(dn[m]) ->
			dn[m]?turn, nr, v;
			assert(turn == had[m] && (turn == 0 || nr == NUMBER(turn))); /* same number */
			turn = 0; nr = 0;
			result()
		:: CAME_FROM(0) -> up[0]?turn, nr, v, g; receive(0)
		:: CAME_FROM(1) -> up[1]?turn, nr, v, g; receive(1)
		:: CAME_FROM(2) -> up[2]?turn, nr, v, g; receive(2)
#if N > 3
		:: CAME_FROM(3) -> up[3]?turn, nr, v, g; receive(3)
#endif
		/* The process contributes, whether the plan is broken or not. */
		:: IS_HERE && !IS_FRESH && next[m] < OPS && IN_WINDOW -> next[m]++
#if ENDS
		:: IS_HERE && m == root && ends < end_budget && had[m] > SAYS && NUMBER(had[m]) < OPS &&
		   END_IN_WINDOW ->
			ends++; v = END; result()
#endif
#ifdef SLOW
		:: IS_HERE && (given[m] < had[m] || (TURN_FULL && WAITS_FOR_ROOT)) -> takes = 1
#endif
		fi;
		turn = 0; nr = 0; v = 0;
		advance();
		takes = 0 }
	od
}

/* Frames under way over the link from member @x to its parent are lost with the link. */
inline drain(x)
{
	do
	:: nempty(up[x]) -> up[x]?_, _, _, _
	:: empty(up[x]) && nempty(dn[x]) -> dn[x]?_, _, _
	:: empty(up[x]) && empty(dn[x]) -> break
	od
}

#define SOME(x, set)	x = 0; do :: (set) & BIT(x) -> break :: (set) >> (x + 1) -> x++ od	/* one of the set */

inline blank()
{
	need[m] = 0; next[m] = 0
}

inline forget()
{
	for (c : 0 .. OPS - 1) {
		got[AT(m, c)] = 0
	}
	c = 0
}

/*
 * hc_guard_quiet(), hc_guard_pass(). A stopped member is modelled as one that does nothing until
 * the next epoch.
 */
inline pass()
{
	m = 0;
	do
	:: m < N ->
		if
		:: !(set & old & BIT(m)) -> blank(); forget()
		:: (set & old & fresh & BIT(m)) ->
#ifndef RULE_BLANK
			blank();
#endif
#ifndef RULE_VOID
			forget();
#endif
		:: else
		fi;
		for (c : 0 .. OPS) {
			have[IN(m, c)] = 0; sum[IN(m, c)] = 0
		}
		c = 0;
		least[m] = 0; most[m] = 0; began[m] = 0; gave[m] = 0; had[m] = 0; given[m] = 0;
		gen[m] = 0; ended[m] = 0;
#ifdef RULE_AGREE
		least[m] = need[m]; most[m] = need[m]; began[m] = 1; gave[m] = 1; had[m] = 1; given[m] = 1;
#endif
		m++
	:: else -> break
	od;
	m = 0
}

/* Choose any tree over the members @set of the next epoch. */
inline tree()
{
	SOME(x, set);
#ifdef RULE_TAG
	if
	:: x != root || set != members ->
		for (c : 0 .. N - 1) {
			drain(c)
		}
	:: else
	fi;
#else
	for (c : 0 .. N - 1) {
		drain(c);
		parent[c] = 0
	}
#endif
	c = 0;
	root = x;
	parent[x] = x;
	old = BIT(x);
	do
	:: old != set ->
		SOME(x, set & ~old);
		SOME(c, old);
#ifdef RULE_TAG
		if
		:: parent[x] != c -> drain(x)
		:: else
		fi;
#endif
		parent[x] = c;
		old = old | BIT(x);
		x = 0; c = 0
	:: else -> break
	od;
	x = 0
}

proctype guard()
{
	byte m, c, nr, v, x, set, old;
	bit takes;

end:	do
	:: atomic { faults < budget ->
		faults++;
		SOME(x, ALL);
		if
		:: deaths < DEATHS && (members & alive & BIT(x)) && (members & alive & ~BIT(x)) ->
			deaths++;
			alive = alive & ~BIT(x);
			broken = true;
			for (c : 0 .. N - 1) {
				if
				:: (members & BIT(c)) && (c == x || parent[c] == x) -> cut = cut | BIT(c); drain(c)
				:: else
				fi
			}
			c = 0
		:: cuts < CUTS && (members & BIT(x)) && x != root && !(cut & BIT(x)) ->
			cuts++;
			cut = cut | BIT(x);
			broken = true;
			drain(x)
		:: else
		fi;
		x = 0 }
	:: atomic { broken || (joins < JOIN && members != ALL) ->
		set = members & alive;
		old = set;
		if
		:: broken
		:: joins < JOIN && old != ALL ->
			SOME(x, ALL & ~old);
			joins++;
			alive = alive | BIT(x); fresh = fresh | BIT(x); set = set | BIT(x)
		fi;
		if
		:: true
		:: broken && drops < cuts && drops < DROPS && (old & (old - 1)) ->
			SOME(x, old);
			drops++;
			set = set & ~BIT(x)
		fi;
		fresh = fresh & set;
		pass();
		tree();
		members = set;
		broken = false; cut = 0; old = 0;
		do
		:: m < N && (set & BIT(m)) -> advance(); m++
		:: m < N && !(set & BIT(m)) -> m++
		:: else -> break
		od;
		m = 0; set = 0 }
	od
}

init {
	byte m;

	atomic {
		select(budget : 0 .. FAULTS);
		select(end_budget : 0 .. ENDS);
		for (m : 0 .. N - 1) {
#ifndef STAR
			parent[m] = (m -> m - 1 : 0);
#endif
			/* The members of the first epoch have nothing to agree on. */
			began[m] = 1; gave[m] = 1; had[m] = 1; given[m] = 1;
			run node(m)
		}
		run guard();
		m = 0
	}
	timeout;
	atomic {
		for (m : 0 .. N - 1) {
			assert(!(members & BIT(m)) || ((alive & BIT(m)) && need[m] == OPS && next[m] == OPS)) /* ends */
		}
	}
}
