/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How plans of rings with REPAIR repair themselves (module/coll/ring/ring_repair.c and
 * ring_repair_coord.c), as a model for SPIN. N nodes, each of which is linked with each other, are
 * members of one ring. DEATHS nodes die, CUTS times a link of the ring fails, and LOSSES frames are
 * lost, at any time. Comments name the functions of the module that the lines model; README says
 * what is left out.
 *
 * Names: "desk" is the repair coordinator (MASTER()), a ballot is the number of an attempt. The
 * messages of the module are: help: REQUEST; ask and asked: ASK and ANSWER; place and placed:
 * ASSIGN and ASSIGNED; go and gone: COMMIT and COMMITTED; no: NO; broke: END. The states none,
 * stopped, held are REPAIR_NONE, REPAIR_ANSWERED, REPAIR_ASSIGNED.
 *
 * What must hold; the word in parentheses is the comment of the assertion:
 *	a node gets no message twice (twice), and none before it is assigned to a ring (early);
 *	a message that is back at its source has been at all members (acknowledged);
 *	in the end all live nodes work in one ring of them all, with the same operation numbers, and
 *	have the messages of each other (mended); this takes a bounded number of attempts (ends).
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

#define NOBODY	255
#define BIT(i)	(1 << (i))
#define ALL	(BIT(N) - 1)
#define MASTER(ballot)	((ballot) % 8)
#define NEXT_BALLOT(b, i)	(((b) / 8 + 1) * 8 + (i))

mtype = { help, ask, place, go, asked, placed, gone, no, data, broke };
mtype = { none, stopped, held };

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
byte heard[N];
byte ran[N];
byte base[N];		/* number of the current operation */
byte next[N];		/* the first operation that has not begun */
byte set[N];
byte got[N];
bool called[N];

bool desk[N];		/* the node acts as the repair coordinator */
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
		:: losses > 0 && m != data && m != broke && to != me -> losses--
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
	:: to != me -> put(to, broke, 0, base[me], 0)
	:: else
	fi
}

/* coord_notify() */
inline tell()
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
	:: low != me -> desk[me] = false; again[me] = false; called[me] = false
	:: else ->
		if
		:: ballot[me] > heard[me] -> ballot[me] = NEXT_BALLOT(ballot[me], me)
		:: else -> ballot[me] = NEXT_BALLOT(heard[me], me)
		fi;
		assert(ballot[me] / 8 < ATTEMPTS); /* ends */
		desk[me] = true;
		again[me] = false;
		alive[me] = view[me];
		want[me] = alive[me];
		what[me] = ask;
		free_nr[me] = 0;
		tell()
	fi
}

/* coord_next() */
inline desk_next()
{
	want[me] = alive[me];
	if
	:: what[me] == ask && alive[me] != view[me] -> again[me] = true; want[me] = 0
	:: what[me] == ask && alive[me] == view[me] ->
		what[me] = place;
#ifndef RULE_NUMBERS
		free_nr[me]++;	/* 2 * HC_OP_WINDOW: a dead node may have begun operations no other has */
#endif
		tell()
	:: what[me] == place -> what[me] = go; tell()
	:: what[me] == go -> desk[me] = false; want[me] = 0
	fi
}

/* own_send() */
inline contribute()
{
	next[me] = base[me] + 1;
	got[me] = got[me] | BIT(me);
	behind(set[me], to);
	if
	:: to != me -> put(to, data, 0, base[me], me)
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
		put(to, data, 0, x, y)
	:: x > base[me] ->
		assert(false) /* early */
	fi
}

/* ask_take() */
inline take_ask()
{
	if
	:: b == heard[me] && (phase[me] == held || ran[me] == b)
#ifdef RULE_BALLOT
	:: false
#else
	:: b < heard[me] -> put(from, no, heard[me], 0, 0)
	:: b == heard[me] && phase[me] == none && ran[me] != b -> put(from, no, heard[me], 0, 0)
#endif
	:: else ->
		if
		:: !broken[me] -> do_break()
		:: else
		fi;
		heard[me] = b;
		phase[me] = stopped;
		put(from, asked, b, next[me], 0)
	fi
}

/* assign_take() */
inline take_place()
{
	if
	:: b != heard[me] || (phase[me] == none && (broken[me] || ran[me] != b)) ->
		put(from, no, heard[me], 0, 0)
	:: b == heard[me] && phase[me] == stopped ->
		/* links_allow() */
		if
		:: unseen[me] & y -> put(from, no, heard[me], 0, 0)
		:: else ->
			broken[me] = false;
			phase[me] = held;
			base[me] = x;
			next[me] = x;
			set[me] = y;
			got[me] = 0;
			put(from, placed, b, 0, 0)
		fi
	:: else -> put(from, placed, b, 0, 0)
	fi
}

/* commit_take() */
inline take_go()
{
	if
	:: b != heard[me] || broken[me] || (phase[me] != held && ran[me] != b) ->
		put(from, no, heard[me], 0, 0)
	:: else ->
		if
		:: phase[me] == held -> phase[me] = none; ran[me] = b; contribute()
		:: else
		fi;
		put(from, gone, b, 0, 0)
	fi
}

/* hc_coord_answer() */
inline take_answer(w)
{
	if
	:: desk[me] && !again[me] && b == ballot[me] && what[me] == w && (want[me] & BIT(from)) ->
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
		:: w == place && !again[me] -> put(from, go, ballot[me], 0, 0)
		:: else
		fi
#endif
	:: else
	fi
}

inline take_no()
{
	if
	:: b > heard[me] -> heard[me] = b
	:: else
	fi;
	if
	:: desk[me] && b >= ballot[me] -> again[me] = true
	:: else
	fi
}

/* hc_coord_request() */
inline take_help()
{
	if
	:: b > heard[me] -> heard[me] = b
	:: else
	fi;
	if
	:: desk[me] && b == ballot[me] && !x -> again[me] = true
	:: desk[me] && (b != ballot[me] || x)
	:: !desk[me] && !broken[me] && phase[me] == none && b < ran[me] && (set[me] & BIT(from))
	:: else -> begin()
	fi
}

/* hc_repair_rx() */
inline receive()
{
	if
	:: m == data -> take_data()
	:: m == broke ->
		if
		:: x >= base[me] && !broken[me] -> do_break()
		:: else
		fi
	:: m == help -> take_help()
	:: m == ask -> take_ask()
	:: m == place -> take_place()
	:: m == go -> take_go()
	:: m == asked -> take_answer(ask)
	:: m == placed -> take_answer(place)
	:: m == gone -> take_answer(go)
	:: m == no -> take_no()
	fi
}

/* coord_call() */
inline call()
{
	lowest();
	called[me] = true;
	if
	:: low == me -> begin()
	:: else -> put(low, help, heard[me], (phase[me] != none), 0)
	fi
}

/* hc_repair_tends(), for any node */
#define TENDS(i)	(lives[i] && (desk[i] || broken[i] || phase[i] == held))
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
		:: MASTER(b) == from -> silent = 0
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
		:: desk[me] && alive[me] != view[me] -> again[me] = true
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
	:: atomic { lives[me] && desk[me] && again[me] -> begin(); low = 0 }
	:: atomic { lives[me] && broken[me] && !desk[me] && phase[me] == none && !called[me] -> call(); low = 0 }
	/* hc_coord_go_on() */
	:: atomic { lives[me] && desk[me] && !again[me] && !want[me] -> desk_next() }
#ifndef RULE_REPEAT
	/* A second has passed in which nothing was received. */
	:: atomic { timeout && restless && lives[me] && TENDS(me) ->
		silent++;
		if
		:: desk[me] -> tell()
		:: !desk[me] && (phase[me] == none || silent > 2) -> silent = 0; call()
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
			box[WAY(i, (i + 1) % N)] ! data, 0, 0, i
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
		assert(HAS_ENDED(i)) /* mended */
	}
}
