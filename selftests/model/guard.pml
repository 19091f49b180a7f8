/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guarded plans with a root, as a model for SPIN. N members in a tree have processes that run a
 * program of OPS collectives (STEP0, STEP1, STEP2), while FAULTS faults occur at any time: a node
 * dies (at most DEATHS), or a link of the tree goes down (at most CUTS). Then the guard installs
 * the next epoch for all members at once, over any tree of live nodes. It may leave out live nodes
 * behind a link that is down (at most DROPS), and nodes may come, or come back, without a ledger
 * (at most JOIN). The root may end an operation by END, which is recorded like a result (at most
 * ENDS). Members may give up waiting for the next epoch (at most GIVEUPS). Processes may leave (at
 * most LEAVES), and other processes take over (at most COMES). README has the protocol in words,
 * and what is left out. Comments name the functions of the module that the lines model.
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
 *	processes that contribute to the same operation know the same last failure (same failure);
 *	in the end all processes of the last epoch that have not left have run the whole program,
 *	unless they wait for a program that starts late (ends).
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
 *	RULE_GAVE	a member that has given up reports that in turn 0; all members then end an
 *			operation ..
 *	RULE_STAYS	.. in each epoch, until it has ended that operation itself
 *	RULE_HIGH	the operation is the first one whose end no member has ..
 *	RULE_RECORD	.. and its END is recorded and distributed again
 *	RULE_STOP	an epoch breaks when a process contributes to an operation to which another
 *			one, which has left, has not contributed
 *	RULE_LEAVES	a leave counts in the next epochs, too
 *	RULE_EMPTY	a node that comes without a process counts as one whose process has left
 *	RULE_ADMITTED	a process leaves although it has not contributed, unless its node has been a
 *			member from the first and no process has contributed there
 *	RULE_WHOLE	a member records a result when it has all of it (with PIECES) ..
 *	RULE_PIECE	.. and drops a piece with its epoch
 *
 * -DPIECES: results travel in two frames. -DRELAYS: END is limited as in the module, see README;
 * then members must record more ends than WINDOW (RESULTS).
 *
 * -DONCE checks that no process is notified of more failures than members have given up; it holds
 * with POLICY_ONCE.
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
#define WINDOW	2	/* operations that a process may be ahead */
#endif
#ifndef RESULTS
#define RESULTS	WINDOW	/* ends that a member records */
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
#ifndef GIVEUPS
#define GIVEUPS	0
#endif
#ifndef LEAVES
#define LEAVES	0
#endif
#ifndef COMES
#define COMES	0
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
#define SAYS_OF(i)	(most[i] - least[i])
#define SAYS		SAYS_OF(m)
#if GIVEUPS		/* all_end() has ended the number behind those that are distributed */
#define NUMBER_OF(i, u)	(least[i] + (u) - 1 + (over[i] && (u) > SAYS_OF(i)))
#define REPORTED_BY(v)	((v) / 64)
#ifdef POLICY_ONCE
#define REPORT(nr)	(((nr) + 1) * 64)
#define value		short
#else
#define REPORT(nr)	64	/* struct meet, .over */
#endif
#define HAS_GIVEN_UP	(gave_up & BIT(m))
#define RUNS		(!(stopped & BIT(m)))
#else
#define NUMBER_OF(i, u)	(least[i] + (u) - 1)
#define REPORT(nr)	0
#define REPORTED_BY(v)	0
#define HAS_GIVEN_UP	false
#define RUNS		true
#endif
#ifndef value
#define value		byte
#endif
#define NUMBER(u)	NUMBER_OF(m, u)
#define AGREE(lo, hi)	((lo) * 8 + (hi))
#define LO(v)		(((v) / 8) & 7)
#define HI(v)		((v) & 7)
#define MERGE(a, b)	(AGREE(MIN(LO(a), LO(b)), MAX(HI(a), HI(b))) + \
			 MAX(REPORTED_BY(a), REPORTED_BY(b)) * 64)
#define DONE		BIT(N)		/* a result; in an allreduce with its contributors' bits */
#define END		BIT(N + 1)	/* a failure, with which a generation has ended */

/*
 * Frames: turn, operation number, value. The number is for assertions only. Frames have no epoch: a
 * frame of an older epoch would be dropped when it arrives, and has no other effect, so it is
 * dropped when the next epoch is installed.
 */
#ifdef PIECES
#define QUEUE	(4 * OPS + 2)
#else
#define QUEUE	(2 * OPS + 2)
#endif
/* From a member to its parent; the last field is the generation. */
chan up[N] = [QUEUE] of { byte, byte, value, byte };
chan dn[N] = [QUEUE] of { byte, byte, value };	/* from its parent to a member */

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
byte began[N];			/* number of turns to which it has contributed */
byte gave[N];			/* number of turns that are sent to its parent; at the root: that are complete */
byte had[N];			/* number of turns whose result it has and has forwarded */
byte given[N];			/* number of turns whose result its process has got */
byte gen[N];			/* number of ENDs that it has received and forwarded */
byte ended[N];			/* number of turns up to the last of these ENDs */
byte have[N * (OPS + 1)];	/* contributions that it has, for turns that are not sent */
value sum[N * (OPS + 1)];	/* sum of the contributions; or a result not got by the process */

#ifdef PIECES		/* the result of an allreduce is sent down in two frames */
#define PIECE		BIT(N + 2)	/* the first frame of a result */
#define IN_PIECES	(had[m] > 0 && ((v) & ALL) && (v) != END)
#define HAS_PIECE	(piece[m] != 0)
byte piece[N];			/* the result of which the member has sent and received one piece */
#else
#define HAS_PIECE	false
#endif

#if GIVEUPS
byte gave_up;			/* mask of the members whose ledger has failed for the process */
byte stopped;			/* mask of the members that have given up in this epoch */
#ifdef POLICY_ONCE
byte since[N];			/* the greatest need of a member that has given up */
#endif
bool over[N];			/* some member reported in turn 0 that it has given up */
byte known[N];			/* last failure that the process knows: its number + 1, or .. */
#define UNKNOWN	7		/* .. its contributions have failed at no common number */
#define ANY	6		/* .. it has come later */
byte giveups;
#ifdef ONCE
byte ends_of[N];		/* number of ENDs of which the process was notified */
#endif
#ifdef RULE_STAYS
byte reported;
#endif
#endif

#if LEAVES
byte left;			/* mask of the members whose process has left */
byte begun = ALL & ~FIRST;	/* mask of the members where a process has contributed, or that came */
byte idle;			/* mask of those whose leave the others ignore: a program starts late */
#ifdef RULE_ADMITTED
byte took;			/* mask of the members whose present process has contributed */
#define COUNTS	took
#else
#define COUNTS	begun
#endif
#if defined(RULE_LEAVES) || defined(RULE_EMPTY)
byte silent;			/* mask of those whose leave is not reported */
#endif
byte leaver = NONE;		/* the epoch is broken because this member's process has left */
byte leaves, comes, leave_budget;
#if COMES
byte came;			/* mask of the members where another process came after that */
#endif
#endif

byte faults, deaths, cuts, drops, joins, ends, budget, end_budget;
byte reduced;			/* for assertions: reduces whose result a root's process has got */

#define IS_CHILD(i)	((i) < N && (i) != m && (members & BIT(i)) && parent[(i) % N] == m)
#define CHILD(i)	(IS_CHILD(i) -> BIT(i) : 0)
#define GIVERS		(BIT(m) | CHILD(0) | CHILD(1) | CHILD(2) | CHILD(3))
#define KEPT(n)		((n) + RESULTS >= need[m] -> got[AT(m, n)] : 0)
#define IS_FRESH	(fresh & BIT(m))
#define IS_HERE		(RUNS && (members & alive & BIT(m)))
#if LEAVES
#define HAS_LEFT	(left & BIT(m))
#else
#define HAS_LEFT	false
#endif

inline combine(TURN, NR, VALUE, WHOSE)
{
	assert(TURN <= OPS && TURN >= gave[m] && !(have[IN(m, TURN)] & BIT(WHOSE))); /* twice */
	assert(TURN == 0 || (had[m] > 0 && NR == NUMBER(TURN))); /* same number */
	if
	:: TURN == 0 && !have[IN(m, 0)] -> sum[IN(m, 0)] = VALUE
	:: TURN == 0 && have[IN(m, 0)] ->
		sum[IN(m, 0)] = MERGE(VALUE, sum[IN(m, 0)])
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
	:: !IS_FRESH && v == END ->
		next[m] = nr + 1;	/* contributions from this number on are dropped */
#if GIVEUPS
		known[m] = nr + 1;
#endif
#ifdef POLICY_ONCE
		gave_up = gave_up & ~BIT(m);
#endif
#ifdef ONCE
		ends_of[m]++;
		assert(ends_of[m] <= giveups) /* once */
#endif
	:: !IS_FRESH && v != END && HAS_GIVEN_UP -> next[m] = MAX(next[m], nr + 1)
	:: !IS_FRESH && v != END && !HAS_GIVEN_UP ->
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

#if GIVEUPS
/* A member has given up: end the first operation of which no member has the result. */
inline all_end()
{
	if
	:: over[m] ->
		nr = most[m]; v = END;
		give_process();
#ifdef RULE_RECORD
		got[AT(m, nr)] = 0;
#endif
		nr = 0; v = 0
	:: else
	fi;
	gave_up = gave_up & ~BIT(m)
}
#endif

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
	:: given[m] == SAYS + 1 ->
		fresh = fresh & ~BIT(m);
#if GIVEUPS
		all_end()
#endif
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
	assert(IS_FRESH || ENDS || GIVEUPS || COMES || next[m] >= most[m]);
#if GIVEUPS
	/* After the program, processes contribute to nothing that could end. */
	over[m] = REPORTED_BY(v) && most[m] < OPS;
#ifdef POLICY_ONCE
	since[m] = (over[m] -> REPORTED_BY(v) - 1 : 0);
#endif
#ifdef RULE_HIGH
	most[m] = (over[m] -> least[m] : most[m]);
#endif
#endif
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
	given[m] = 1;
#if GIVEUPS
	if
	:: SAYS == 0 -> all_end()
	:: else
	fi
#endif
}

/* Send @v, which is the result of turn @had[m] or a piece of it, to the children. */
inline send_down()
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
	c = 0
}

/* The member has the result of turn @had[m]. It is sent to the children first. */
inline result()
{
	send_down();
#ifdef PIECES
	piece[m] = 0;
#endif
#ifdef POLICY_ONCE
	if
	:: had[m] > 0 && had[m] <= SAYS && v == END && NUMBER(had[m]) >= since[m] -> over[m] = 0
	:: else
	fi;
#endif
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
#if COMES
		left = left & ~(came & BIT(m)); came = came & ~BIT(m);
#endif
		sum[IN(m, had[m] - 1)] = v
	:: else -> sum[IN(m, had[m] - 1)] = v
	fi;
	v = 0
}

#ifdef PIECES
/* hc_guard_result(): the member has the first piece of a result. */
inline piece_came()
{
	assert(!HAS_PIECE); /* twice */
	send_down();
	piece[m] = v & ~PIECE;
#ifdef RULE_WHOLE
	got[AT(m, NUMBER(had[m]))] = v;
#endif
	v = 0
}
#endif

/* The root has combined the result of turn @had[m]. */
inline complete()
{
#ifdef PIECES
	if
	:: IN_PIECES -> v = v | PIECE; piece_came()
	:: else -> result()
	fi
#else
	result()
#endif
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

/* Has member @i contributed to the same operation, knowing another failure as the last one? */
#define KNOWS_OTHERWISE(i) \
	((members & ~stopped & BIT(i)) && gen[i] == gen[m] && began[i] > began[m] && \
	 known[i] != known[m] && known[i] != ANY && known[m] != ANY)

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
#if GIVEUPS && !defined(RULE_GAVE)
#ifdef RULE_STAYS
		v = v | (!IS_FRESH && HAS_GIVEN_UP && !(reported & BIT(m)) -> REPORT(need[m]) : 0);
		reported = reported | (gave_up & BIT(m));
#else
		v = v | (!IS_FRESH && HAS_GIVEN_UP -> REPORT(need[m]) : 0);
#endif
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
#if GIVEUPS
		for (c : 0 .. N - 1) {
			assert(!KNOWS_OTHERWISE(c)) /* same failure */
		}
		c = 0;
#endif
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
	:: TURN_FULL && m == root && ROOT_TAKES && !HAS_PIECE ->
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
		:: else -> gave[m]++; complete()
		fi
#else
		gave[m]++;
		complete()
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

#define CAME_FROM(i)	(RUNS && IS_CHILD(i) && nempty(up[(i) % N]))
#ifdef RULE_WINDOW
#define IN_WINDOW	true
#else
#define IN_WINDOW	(next[m] < need[m] + WINDOW)
#endif

#define REACHES(i)	((i) >= N || !(members & ~fresh & BIT(i)) || NUMBER(had[m]) < need[(i) % N] + WINDOW)
#define MOVED(i)	(!IS_CHILD(i) || gen[(i) % N] == gen[m])
#define ALL_MOVED	(MOVED(0) && MOVED(1) && MOVED(2) && MOVED(3))
#ifdef RELAYS		/* hc_end_enter(): all children are in the generation that ends */
#define END_IN_WINDOW	ALL_MOVED
#define MAY_TAKE	(ALL_MOVED || !dn[m]?[turn, nr, eval(END)])
#elif defined(RULE_COUNTED)
#define END_IN_WINDOW	true
#else
#define END_IN_WINDOW	(REACHES(0) && REACHES(1) && REACHES(2) && REACHES(3))
#endif
#ifndef MAY_TAKE
#define MAY_TAKE	true
#endif

#if LEAVES
/*
 * hc_leave(), others_gave(), hc_part_came(): STOP names the first operation to which the process
 * has not contributed, or at the root the first one that is not complete. It breaks the epoch when
 * it meets a contribution of another process to this operation, or to a later one.
 */
#define FIRST_OWED(x)	(x == root -> NUMBER_OF(x % N, gave[x % N]) : next[x % N])
#define IS_FED(i)	((members & alive & ~fresh & BIT(i)) && given[i] > SAYS_OF(i))
#define IS_AHEAD(i, x) \
	((i) < N && (i) != (x) && IS_FED((i) % N) && next[(i) % N] > FIRST_OWED(x))
#if defined(RULE_STOP)
#define REPORTED	0
#elif defined(RULE_LEAVES) || defined(RULE_EMPTY)
#define REPORTED	(left & ~idle & ~silent)
#else
#define REPORTED	(left & ~idle)
#endif
#define BREAKS(x)	((REPORTED & BIT(x)) && IS_FED(x % N) && \
			 (IS_AHEAD(0, x) || IS_AHEAD(1, x) || IS_AHEAD(2, x) || IS_AHEAD(3, x)))
#endif
#if COMES
#define CAME_BEFORE(x)	((came & BIT(x)) && NUMBER(had[m]) >= FIRST_OWED(x))
#endif

proctype node(byte m)
{
	byte c, nr, g, turn;
	value v;
	bit takes;

end:	do
	:: atomic {
		if
		:: RUNS && m != root && nempty(dn[m]) && MAY_TAKE ->
			dn[m]?turn, nr, v;
			assert(turn == had[m] && (turn == 0 || nr == NUMBER(turn))); /* same number */
			turn = 0; nr = 0;
#ifdef PIECES
			if
			:: had[m] > 0 && (v & PIECE) -> piece_came()
			:: else ->
				assert(v == END || !IN_PIECES || piece[m] == v); /* same result */
				result()
			fi
		:: RUNS && m == root && HAS_PIECE -> v = piece[m]; result()
#else
			result()
#endif
		:: CAME_FROM(0) -> up[0]?turn, nr, v, g; receive(0)
		:: CAME_FROM(1) -> up[1]?turn, nr, v, g; receive(1)
		:: CAME_FROM(2) -> up[2]?turn, nr, v, g; receive(2)
#if N > 3
		:: CAME_FROM(3) -> up[3]?turn, nr, v, g; receive(3)
#endif
		/* The process contributes, whether the plan is broken or not. */
		:: IS_HERE && !IS_FRESH && !HAS_LEFT && next[m] < OPS && IN_WINDOW ->
			next[m]++;
#if LEAVES
			begun = begun | BIT(m);
#ifdef RULE_ADMITTED
			took = took | BIT(m)
#endif
#endif
#if GIVEUPS
		/* give_up(). A fresh member behaves like a slow one: its ledger is dropped. */
		:: IS_HERE && broken && !IS_FRESH && giveups < GIVEUPS ->
			giveups++;
			stopped = stopped | BIT(m); gave_up = gave_up | BIT(m);
			next[m] = need[m];
			known[m] = UNKNOWN
#endif
#if LEAVES
		/* hc_leave(); or hc_user.leaves before the epoch runs, or after it is broken */
		:: (members & alive & BIT(m)) && !HAS_LEFT && leaves < leave_budget ->
			leaves++; left = left | BIT(m);
			/* leave_idle() */
			if
			:: true
			:: !broken && IS_FED(m) && !(COUNTS & BIT(m)) -> idle = idle | BIT(m)
			fi;
#ifdef RULE_ADMITTED
			took = took & ~BIT(m)
#endif
#endif
#if COMES
		:: IS_HERE && HAS_LEFT && (idle & BIT(m)) && comes < COMES ->
			comes++; left = left & ~BIT(m); idle = idle & ~BIT(m)
		/* hc_came(), and the END that answers it */
		:: IS_HERE && HAS_LEFT && !(idle & BIT(m)) && !broken && IS_FED(m) &&
		   next[m] < OPS && comes < COMES && !(came & BIT(m)) ->
			comes++; came = came | BIT(m)
		:: IS_HERE && m == root && had[m] > SAYS && NUMBER(had[m]) < OPS && END_IN_WINDOW &&
		   (CAME_BEFORE(0) || CAME_BEFORE(1) || CAME_BEFORE(2) || CAME_BEFORE(3)) ->
			v = END; result()
#endif
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
	need[m] = 0; next[m] = 0;
#if GIVEUPS
	known[m] = ANY;
#ifdef ONCE
	ends_of[m] = 0
#endif
#endif
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
#if GIVEUPS
	stopped = 0; gave_up = gave_up & set;
#ifdef RULE_STAYS
	reported = reported & gave_up;
#endif
#endif
#if LEAVES
	left = left & set; leaver = NONE;
#ifdef RULE_ADMITTED
	took = took & set;
#endif
	idle = 0;		/* hc_guard_quiet(): hc_user.leaves */
#ifdef RULE_LEAVES
	silent = left;
#endif
#endif
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
#if defined(PIECES) && !defined(RULE_PIECE)
		piece[m] = 0;
#endif
#if GIVEUPS
		over[m] = 0;
#ifdef POLICY_ONCE
		since[m] = 0;
#endif
#endif
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

#if LEAVES
/* Other processes may take over. The guard leaves out the node whose process has left. */
inline leave_out()
{
#if COMES
	left = left & ~came; came = 0;
#endif
	do
	:: (left & set) && comes < COMES ->
		comes++;
		SOME(x, left & set);
		left = left & ~BIT(x);
		x = 0
	:: break
	od;
	if
	:: leaver != NONE && (set & ~BIT(leaver)) -> set = set & ~BIT(leaver)
	:: leaver == NONE || !(set & ~BIT(leaver)) || !(left & BIT(leaver))
	fi
}
#endif

proctype guard()
{
	byte m, c, nr, x, set, old;
	value v;
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
#if LEAVES
	:: atomic { !broken && (BREAKS(0) || BREAKS(1) || BREAKS(2) || BREAKS(3)) ->
		if
		:: BREAKS(0) -> leaver = 0
		:: BREAKS(1) -> leaver = 1
		:: BREAKS(2) -> leaver = 2
		:: BREAKS(3) -> leaver = 3
		fi;
		broken = true }
#endif
	:: atomic { broken || (joins < JOIN && members != ALL) ->
		set = members & alive;
		old = set;
		if
		:: broken
		:: joins < JOIN && old != ALL ->
			SOME(x, ALL & ~old);
			joins++;
			alive = alive | BIT(x); fresh = fresh | BIT(x); set = set | BIT(x);
#if LEAVES
			left = left & ~BIT(x); begun = begun | BIT(x);
			/* waiting_check(): does the node have a process? */
			if
			:: true
			:: leaves < leave_budget ->
				leaves++; left = left | BIT(x);
#ifdef RULE_EMPTY
				silent = silent | BIT(x)
#endif
			fi
#endif
		fi;
		if
		:: true
		:: broken && drops < cuts && drops < DROPS && (old & (old - 1)) ->
			SOME(x, old);
			drops++;
			set = set & ~BIT(x)
		fi;
#if LEAVES
		leave_out();
#endif
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

/* Does a member wait for a program that starts late? */
#if LEAVES
#define IDLES	(idle & members & ~begun)
#else
#define IDLES	false
#endif

init {
	byte m;

	atomic {
		select(budget : 0 .. FAULTS);
		select(end_budget : 0 .. ENDS);
#if LEAVES
		select(leave_budget : 0 .. LEAVES);
#endif
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
			assert(!(members & BIT(m)) || HAS_LEFT || IDLES ||
			       ((alive & BIT(m)) && need[m] == OPS && next[m] == OPS)) /* ends */
		}
	}
}
