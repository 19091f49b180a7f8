/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How plans of rings with REPAIR repair themselves (module/coll/ring/ring_repair.c and
 * ring_repair_coord.c), as a model for SPIN. N nodes, each of which is linked with each other, are
 * members of one ring. DEATHS nodes die, CUTS times a link of the ring fails, and LOSSES frames are
 * lost, at any time. Comments name the functions of the module that the lines model; README says
 * what is left out.
 *
 * Names: "coord" is the repair coordinator (COORD()), a ballot is the number of an attempt. Messages
 * have the names that they have in the module. The states none, answered, assigned are REPAIR_NONE,
 * REPAIR_ANSWERED, REPAIR_ASSIGNED.
 *
 * What must hold; the word in parentheses is the comment of the assertion:
 *	a node gets no message twice (twice), and none before it is assigned to a ring (early);
 *	a message that is back at its source has been at all members (acknowledged);
 *	in the end all live nodes work in one ring of them all, with the same operation numbers, and
 *	have the messages of each other (repaired); this takes a bounded number of attempts (ends).
 *
 * -DRULE_.. leaves out a rule; then some of these assertions must fail.
 */
#ifndef N
#define N	3
#endif
#ifndef DEATHS
#define DEATHS	1
#endif
#ifndef CUTS
#define CUTS	0
#endif
#ifndef LOSSES
#define LOSSES	0
#endif
#define ATTEMPTS 15

#define NO_NODE	255
#define BIT(i)	(1 << (i))
#define ALL	(BIT(N) - 1)
#define COORD(ballot)	((ballot) % 8)
#define NEXT_BALLOT(b, i)	(((b) / 8 + 1) * 8 + (i))

mtype = { REQUEST, ASK, ASSIGN, COMMIT, ANSWER, ASSIGNED, COMMITTED, NO, DATA, END };
mtype = { none, answered, assigned };

/* Frames from one node to another: kind, ballot, operation number, and a set of nodes or the node
 * whose message it is. Frames on a path stay in order, but paths may differ in speed.
 */
#define WAY(from, to)	((to) * N + (from))
chan box[N * N] = [7] of { mtype, byte, byte, byte };

bool lives[N];
byte unseen[N];		/* nodes that have died, and whose death the node does not know yet */
byte cut[N];		/* neighbours over links that have failed, which the node has not noticed yet */
byte view[N];		/* the nodes that can be reached, as the link-state database has it */

bool broken[N];
mtype phase[N];
byte received[N];
byte ran[N];
byte base[N];		/* number of the current operation */
byte next[N];		/* the first operation that has not begun */
byte set[N];
byte got[N];
bool called[N];

bool coord[N];		/* the node acts as the repair coordinator */
bool again[N];
byte ballot[N];
mtype what[N];
byte want[N];
byte alive[N];
byte free_nr[N];

byte losses = LOSSES;

inline put(to, m, b, x, y)
{
	if
	:: !lives[to]
	:: else ->
		if
		:: losses > 0 && m != DATA && m != END && to != me -> losses--
		:: box[WAY(me, to)] ! m, b, x, y
		fi
	fi
}

/* Set @who to the member after this one in the ring of the members @s. */
inline behind(s, who)
{
	j = (me + 1) % N;
	do
	:: !(s & BIT(j)) -> j = (j + 1) % N
	:: else -> break
	od;
	who = j;
	j = 0
}

/* hc_broke(), hc_repair_stop() */
inline do_break()
{
	broken[me] = true;
	phase[me] = none;
	called[me] = false;
	/* Send END along the ring. */
	behind(set[me], to);
	if
	:: to != me -> put(to, END, 0, base[me], 0)
	:: else
	fi
}

/* coord_notify() */
inline notify()
{
	k = 0;
	do
	:: k < N && (want[me] & BIT(k)) -> put(k, what[me], ballot[me], free_nr[me], alive[me]); k++
	:: k < N && !(want[me] & BIT(k)) -> k++
	:: k == N -> break
	od;
	k = 0
}

inline lowest()
{
	k = 0;
	do
	:: !(view[me] & BIT(k)) -> k++
	:: else -> break
	od;
	low = k;
	k = 0
}

/* hc_coord_begin() */
inline begin()
{
	lowest();
	if
	:: low != me -> coord[me] = false; again[me] = false; called[me] = false
	:: else ->
		if
		:: ballot[me] > received[me] -> ballot[me] = NEXT_BALLOT(ballot[me], me)
		:: else -> ballot[me] = NEXT_BALLOT(received[me], me)
		fi;
		assert(ballot[me] / 8 < ATTEMPTS); /* ends */
		coord[me] = true;
		again[me] = false;
		alive[me] = view[me];
		want[me] = alive[me];
		what[me] = ASK;
		free_nr[me] = 0;
		notify()
	fi
}

/* coord_next() */
inline coord_next()
{
	want[me] = alive[me];
	if
	:: what[me] == ASK && alive[me] != view[me] -> again[me] = true; want[me] = 0
	:: what[me] == ASK && alive[me] == view[me] ->
		what[me] = ASSIGN;
#ifndef RULE_NUMBERS
		free_nr[me]++;	/* 2 * HC_OP_WINDOW: a dead node may have begun operations no other has */
#endif
		notify()
	:: what[me] == ASSIGN -> what[me] = COMMIT; notify()
	:: what[me] == COMMIT -> coord[me] = false; want[me] = 0
	fi
}

/* own_send() */
inline contribute()
{
	next[me] = base[me] + 1;
	got[me] = got[me] | BIT(me);
	behind(set[me], to);
	if
	:: to != me -> put(to, DATA, 0, base[me], me)
	:: else
	fi
}

/* hc_ring_data_rx(): @x is the operation number, @y the node whose message it is */
inline take_data()
{
	if
	:: x < base[me] || (x == base[me] && broken[me])	/* the operation has ended at this node */
	:: x == base[me] && !broken[me] && y == me ->
		j = 0;
		do
		:: j < N ->
			assert(!(set[me] & BIT(j)) || base[j] > x ||
			       (base[j] == x && (got[j] & BIT(me)))); /* acknowledged */
			j++
		:: else -> break
		od;
		j = 0
	:: x == base[me] && !broken[me] && y != me ->
		assert(!(got[me] & BIT(y))); /* twice */
		got[me] = got[me] | BIT(y);
		behind(set[me], to);
		put(to, DATA, 0, x, y)
	:: x > base[me] ->
		assert(false) /* early */
	fi
}

/* ask_take() */
inline take_ask()
{
	if
	:: b == received[me] && (phase[me] == assigned || ran[me] == b)
#ifdef RULE_BALLOT
	:: false
#else
	:: b < received[me] -> put(from, NO, received[me], 0, 0)
	:: b == received[me] && phase[me] == none && ran[me] != b -> put(from, NO, received[me], 0, 0)
#endif
	:: else ->
		if
		:: !broken[me] -> do_break()
		:: else
		fi;
		received[me] = b;
		phase[me] = answered;
		put(from, ANSWER, b, next[me], 0)
	fi
}

/* assign_take() */
inline take_assign()
{
	if
	:: b != received[me] || (phase[me] == none && (broken[me] || ran[me] != b)) ->
		put(from, NO, received[me], 0, 0)
	:: b == received[me] && phase[me] == answered ->
		/* links_allow() */
		if
		:: unseen[me] & y -> put(from, NO, received[me], 0, 0)
		:: else ->
			broken[me] = false;
			phase[me] = assigned;
			base[me] = x;
			next[me] = x;
			set[me] = y;
			got[me] = 0;
			put(from, ASSIGNED, b, 0, 0)
		fi
	:: else -> put(from, ASSIGNED, b, 0, 0)
	fi
}

/* commit_take() */
inline take_commit()
{
	if
	:: b != received[me] || broken[me] || (phase[me] != assigned && ran[me] != b) ->
		put(from, NO, received[me], 0, 0)
	:: else ->
		if
		:: phase[me] == assigned -> phase[me] = none; ran[me] = b; contribute()
		:: else
		fi;
		put(from, COMMITTED, b, 0, 0)
	fi
}

/* hc_coord_answer() */
inline take_answer(w)
{
	if
	:: coord[me] && !again[me] && b == ballot[me] && what[me] == w && (want[me] & BIT(from)) ->
		want[me] = want[me] & ~BIT(from);
		again[me] = alive[me] != view[me];
#ifndef RULE_NUMBERS
		if
		:: x > free_nr[me] -> free_nr[me] = x
		:: else
		fi;
#endif
#ifdef RULE_PHASES
		/* A member that is assigned to a ring commits without waiting for the others. */
		if
		:: w == ASSIGN && !again[me] -> put(from, COMMIT, ballot[me], 0, 0)
		:: else
		fi
#endif
	:: else
	fi
}

inline take_no()
{
	if
	:: b > received[me] -> received[me] = b
	:: else
	fi;
	if
	:: coord[me] && b >= ballot[me] -> again[me] = true
	:: else
	fi
}

/* hc_coord_request() */
inline take_request()
{
	if
	:: b > received[me] -> received[me] = b
	:: else
	fi;
	if
	:: coord[me] && b == ballot[me] && !x -> again[me] = true
	:: coord[me] && (b != ballot[me] || x)
	:: !coord[me] && !broken[me] && phase[me] == none && b < ran[me] && (set[me] & BIT(from))
	:: else -> begin()
	fi
}

/* hc_repair_rx() */
inline receive()
{
	if
	:: m == DATA -> take_data()
	:: m == END ->
		if
		:: x >= base[me] && !broken[me] -> do_break()
		:: else
		fi
	:: m == REQUEST -> take_request()
	:: m == ASK -> take_ask()
	:: m == ASSIGN -> take_assign()
	:: m == COMMIT -> take_commit()
	:: m == ANSWER -> take_answer(ASK)
	:: m == ASSIGNED -> take_answer(ASSIGN)
	:: m == COMMITTED -> take_answer(COMMIT)
	:: m == NO -> take_no()
	fi
}

/* coord_call() */
inline call()
{
	lowest();
	called[me] = true;
	if
	:: low == me -> begin()
	:: else -> put(low, REQUEST, received[me], (phase[me] != none), 0)
	fi
}

/* hc_repair_tends(), for any node */
#define TENDS(i)	(lives[i] && (coord[i] || broken[i] || phase[i] == assigned))
#if N == 3
#define restless	(TENDS(0) || TENDS(1) || TENDS(2))
#else
#define restless	(TENDS(0) || TENDS(1) || TENDS(2) || TENDS(3))
#endif

#define ARRIVED(u)	nempty(box[WAY(u, me)])

proctype node(byte me)
{
	mtype m;
	byte from, b, x, y, to, j, k, low;
	byte silent;

	do
	:: atomic { lives[me] && (ARRIVED(0) || ARRIVED(1) || ARRIVED(2) || ARRIVED(N - 1)) ->
		if
		:: ARRIVED(0) -> from = 0
		:: ARRIVED(1) -> from = 1
		:: ARRIVED(2) -> from = 2
#if N > 3
		:: ARRIVED(3) -> from = 3
#endif
		fi;
		box[WAY(from, me)] ? m, b, x, y;
		if
		:: COORD(b) == from -> silent = 0
		:: else
		fi;
		receive();
		m = 0; from = 0; b = 0; x = 0; y = 0; to = 0; low = 0 }
	/* hc_lsdb_rx(), hc_coll_links_known(). The neighbours of a dead node notice its death in
	 * this way, too: their links to it fail.
	 */
	:: atomic { lives[me] && unseen[me] ->
		view[me] = view[me] & ~unseen[me];
		if
		:: !broken[me] && (set[me] & unseen[me]) -> do_break()
		:: else
		fi;
		unseen[me] = 0;
		called[me] = false;
		if
		:: coord[me] && alive[me] != view[me] -> again[me] = true
		:: else
		fi;
		to = 0 }
	/* hc_plan_fault() */
	:: atomic { lives[me] && cut[me] ->
		if
		:: !broken[me] -> do_break()
		:: else
		fi;
		cut[me] = 0; to = 0 }
	/* hc_repair_tend() */
	:: atomic { lives[me] && coord[me] && again[me] -> begin(); low = 0 }
	:: atomic { lives[me] && broken[me] && !coord[me] && phase[me] == none && !called[me] -> call(); low = 0 }
	/* hc_coord_go_on() */
	:: atomic { lives[me] && coord[me] && !again[me] && !want[me] -> coord_next() }
#ifndef RULE_REPEAT
	/* A second has passed in which nothing was received. */
	:: atomic { timeout && restless && lives[me] && TENDS(me) ->
		silent++;
		if
		:: coord[me] -> notify()
		:: !coord[me] && (phase[me] == none || silent > 2) -> silent = 0; call()
		:: else
		fi;
		low = 0 }
#endif
	:: atomic { !lives[me] ->
		for (k : 0 .. N - 1) {
			do
			:: box[WAY(k, me)] ? m, b, x, y
			:: empty(box[WAY(k, me)]) -> break
			od
		}
		k = 0;
		m = 0; b = 0; x = 0; y = 0; silent = 0 } break
	:: atomic { timeout && lives[me] && !restless } -> break
	od
}

#define HAS_ENDED(i)	(!lives[i] || \
	(!broken[i] && phase[i] == none && set[i] == living && got[i] == living && base[i] == base[first]))

init {
	byte i, deaths = DEATHS, cuts = CUTS, living = ALL, first = 0, who;

	atomic {
		for (i : 0 .. N - 1) {
			lives[i] = true;
			phase[i] = none;
			view[i] = ALL;
			set[i] = ALL;
			/* The first operation is under way, and all members have sent their
			 * messages.
			 */
			next[i] = 1;
			got[i] = BIT(i);
		}
		for (i : 0 .. N - 1) {
			box[WAY(i, (i + 1) % N)] ! DATA, 0, 0, i
		}
		for (i : 0 .. N - 1) {
			run node(i)
		}
	}
	do
	:: atomic { deaths > 0 ->
		deaths--;
		select(who : 0 .. N - 1);
		if
		:: lives[who] ->
			lives[who] = false;
			living = living & ~BIT(who);
			for (i : 0 .. N - 1) {
				unseen[i] = unseen[i] | BIT(who)
			}
		:: else
		fi }
	:: atomic { cuts > 0 ->
		cuts--;
		select(who : 0 .. N - 1);
		cut[who] = 1;
		cut[(who + 1) % N] = 1 }
	:: deaths == 0 && cuts == 0 -> break
	od;
	/* Wait until all nodes have finished. */
	_nr_pr == 1;
	do
	:: !lives[first] -> first++
	:: else -> break
	od;
	for (i : 0 .. N - 1) {
		assert(HAS_ENDED(i)) /* repaired */
	}
}
