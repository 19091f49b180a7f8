/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How operations resume when a plan of rings is repaired (module/coll/ring/ring_resume.c and
 * ring_decision.c), as a model for SPIN. N nodes run OPS operations of one chunk each. A repair
 * coordinator ("master") begins up to ATTEMPTS attempts, all but the last of which may be abandoned
 * at any point. DEATHS nodes die at any time. With PARTS an attempt includes any of the nodes, as
 * if failing and recovering links separated and joined them. Comments name the functions of the
 * module that the lines model; README says what is left out.
 *
 * What must hold; the word in parentheses is the comment of the assertion:
 *	a process gets no block twice (twice);
 *	the blocks of all members of the rings are in the result (there), which has a position for
 *	each of them (place);
 *	members of the same rings have results with the blocks of the same members (layout);
 *	if the only faults are dead nodes, operations can always resume (goes_on), and in the end
 *	all live nodes have completed all operations (through).
 *
 * -DRULE_.. leaves out a rule; then some of these assertions must fail.
 */
#ifndef N
#define N	3
#endif
#ifndef OPS
#define OPS	2
#endif
#ifndef DEATHS
#define DEATHS	1
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif

#define BIT(i)	(1 << (i))
#define ALL	(BIT(N) - 1)
#define NONE	255
#define AT(i, p)	((i) * (OPS + 1) + (p))

mtype = { works, stopped, placed_, gone_away };

bool lives[N];
mtype state[N];
byte living = ALL;

byte pos[N];		/* number of the current operation */
byte gave[2 * N];	/* hc_ring_chunk.gave: members whose blocks the process has got */
bool used[2 * N];
byte which[2 * N];	/* hc_ring_chunk.nr */
bit cur[N];
bool ahead[N];
byte line[N];
byte was_placed[N];
byte fresh[N];
byte ring[N];
byte base[N];
byte before[N];
byte layout[N * (OPS + 1)];	/* ring_op.members: members whose blocks the result has */
byte rings_of[N];
byte got[N];
byte sent[N * (OPS + 1)];	/* 1 + the attempt in whose rings its block was sent last */
byte given[N * (OPS + 1)];	/* blocks that the process has really got */

bool over;		/* the run has ended, as operations cannot resume */
bool settled;		/* the last attempt has succeeded */

#define SLOT(i)	(2 * (i) + cur[i])
#define OTHER(i)	(2 * (i) + 1 - cur[i])

inline give(a, w)
{
	if
#ifndef RULE_GAVE
	:: gave[SLOT(a)] & BIT(w)
#endif
	:: else ->
		assert(!(given[AT(a, pos[a])] & BIT(w))); /* twice */
		given[AT(a, pos[a])] = given[AT(a, pos[a])] | BIT(w);
		gave[SLOT(a)] = gave[SLOT(a)] | BIT(w)
	fi
}

/* hc_resume_ran() */
inline went(u)
{
	line[u] = was_placed[u];
	base[u] = ring[u]
}

/* own_send(), members_take() */
inline send(u)
{
	if
	:: layout[AT(u, pos[u])] == 0 ->
		if
#ifndef RULE_FRESH
		:: pos[u] < fresh[u] -> layout[AT(u, pos[u])] = before[u]
		:: pos[u] >= fresh[u] -> layout[AT(u, pos[u])] = ring[u]
#else
		:: layout[AT(u, pos[u])] = ring[u]
#endif
		fi
	:: else
	fi;
	used[SLOT(u)] = true;
	which[SLOT(u)] = pos[u];
	sent[AT(u, pos[u])] = rings_of[u] + 1;
	got[u] = got[u] | BIT(u);
	give(u, u)
}

/* chunk_over(), hc_resume_over() */
inline finish(u)
{
	assert(!(layout[AT(u, pos[u])] & ~gave[SLOT(u)] & ring[u])); /* there */
	assert(!(ring[u] & ~layout[AT(u, pos[u])])); /* place */
	j = 0;
	do
	:: j < N ->
		assert(!(ring[u] & BIT(j)) || rings_of[j] != rings_of[u] || layout[AT(j, pos[u])] == 0 ||
		       layout[AT(j, pos[u])] == layout[AT(u, pos[u])]); /* layout */
		j++
	:: else -> break
	od;
	j = 0;
	pos[u]++;
	got[u] = 0;
	cur[u] = 1 - cur[u];
	if
#ifndef RULE_AHEAD
	:: ahead[u]
#endif
	:: else ->
		gave[SLOT(u)] = 0;
		used[SLOT(u)] = false
	fi;
	ahead[u] = false
}

proctype node(byte u)
{
	byte v, j;

	do
	:: atomic { lives[u] && state[u] == works && pos[u] < OPS && sent[AT(u, pos[u])] != rings_of[u] + 1 -> send(u) }
	/* hc_ring_data_rx(): takes a block of another member, of the same operation and sent in the
	 * same rings
	 */
	:: atomic { lives[u] && (state[u] == works || state[u] == placed_) && pos[u] < OPS ->
		v = 0;
		do
		:: v < N && (v == u || !(ring[u] & BIT(v)) || (got[u] & BIT(v)) || sent[AT(v, pos[u])] != rings_of[u] + 1) -> v++
		:: else -> break
		od;
		if
		:: v < N && state[u] == placed_ -> went(u); state[u] = works
		:: v < N && state[u] == works && sent[AT(u, pos[u])] == rings_of[u] + 1 ->
			got[u] = got[u] | BIT(v);
			give(u, v)
		:: v < N && state[u] == works && sent[AT(u, pos[u])] != rings_of[u] + 1
		:: v == N
		fi;
		v = 0 }
	:: atomic { lives[u] && state[u] == works && pos[u] < OPS && sent[AT(u, pos[u])] == rings_of[u] + 1 && got[u] == ring[u] ->
		finish(u) }
	:: atomic { !lives[u] || over || (settled && state[u] == works && pos[u] == OPS) } -> break
	od
}

/* hc_resume_answer(), hc_decision_add() */
inline answer(u)
{
	state[u] = stopped;
	got[u] = 0;
	f = fresh[u];
	if
	:: used[2 * u] && which[2 * u] + 1 > f -> f = which[2 * u] + 1
	:: else
	fi;
	if
	:: used[2 * u + 1] && which[2 * u + 1] + 1 > f -> f = which[2 * u + 1] + 1
	:: else
	fi;
	if
	:: pos[u] > f -> f = pos[u]
	:: else
	fi;
	if
	:: f > most -> most = f
	:: else
	fi;
	if
	:: low == NONE -> line0 = line[u]; line1 = was_placed[u]
	:: else
	fi;
	if
	:: line0 != line[u] && line0 != was_placed[u] -> line0 = NONE
	:: else
	fi;
	if
	:: line1 != line[u] && line1 != was_placed[u] -> line1 = NONE
	:: else
	fi;
	if
	:: pos[u] < low -> low = pos[u]
	:: else
	fi;
	if
	:: high == NONE || pos[u] > high -> high = pos[u]
	:: else
	fi;
	/* After a step back, a node has no previous chunk. */
	if
	:: pos[u] > back && !(pos[u] > 0 && !ahead[u] && used[OTHER(u)] && which[OTHER(u)] + 1 == pos[u]) -> back = pos[u]
	:: else
	fi
}

/* hc_resume_apply(), hc_resume_assigned() */
inline place(u)
{
	if
	:: pos[u] == low
	:: else ->
		assert(pos[u] == low + 1 && !ahead[u] && used[OTHER(u)] && which[OTHER(u)] == low); /* steps back */
		pos[u] = low;
		cur[u] = 1 - cur[u];
		ahead[u] = true
	fi;
	if
	:: line0 != line[u] ->
		assert(line0 == was_placed[u]);
		went(u)
	:: else
	fi;
	if
	:: most > fresh[u] ->
		fresh[u] = most;
#ifdef RULE_BASE
		before[u] = ring[u]
#else
		before[u] = base[u]
#endif
	:: else
	fi;
	ring[u] = asked;
	rings_of[u] = ballot;
	was_placed[u] = ballot;
	got[u] = 0;
	state[u] = placed_
}

active proctype master()
{
	byte ballot, u, asked, low, high, most, back, f, line0, line1;
	bool all, stop;

	atomic {
		for (u : 0 .. N - 1) {
			lives[u] = true;
			state[u] = works;
			ring[u] = ALL;
			base[u] = ALL;
		}
		u = 0;
		for (u : 0 .. N - 1) {
			run node(u)
		}
		u = 0
	}
	do
	:: ballot < ATTEMPTS + 1 ->
		atomic {
			ballot++;
			low = NONE; high = NONE; most = 0; back = 0; line0 = NONE; line1 = NONE;
			stop = false;
			asked = living;
#ifdef PARTS
			if
			:: ballot <= ATTEMPTS -> select(asked : 1 .. ALL); asked = asked & living
			:: else
			fi;
			if
			:: asked == 0 -> asked = living
			:: else
			fi
#endif
		}
		/* Send ASK, and collect the answers. */
		u = 0;
		do
		:: u < N && (asked & BIT(u)) -> atomic {
			if
			:: lives[u] -> answer(u)
			:: else -> stop = true
			fi; u++ }
		:: u < N && !(asked & BIT(u)) -> u++
		:: u == N -> break
		od;
		atomic {
			f = 0; u = 0;
#ifdef RULE_LINE
			line0 = (line0 == NONE && line1 == NONE -> 0 : line0);
#endif
			if
			:: !stop && ((line0 == NONE && line1 == NONE) || high > low + 1 || (high != low && back == high)) ->
#ifndef PARTS
				assert(false); /* goes_on */
#endif
				over = true
			:: else
			fi;
			line0 = (line0 == NONE -> line1 : line0)
		}
		if
		:: over -> break
		:: else
		fi;
		/* Send ASSIGN. */
		do
		:: stop -> break
		:: ballot <= ATTEMPTS && !stop -> stop = true
		:: u < N && !stop && (asked & BIT(u)) -> atomic {
			if
			:: lives[u] -> place(u)
			:: else -> stop = true
			fi; u++ }
		:: u < N && !stop && !(asked & BIT(u)) -> u++
		:: u == N -> break
		od;
		u = 0;
		/* Send COMMIT. */
		do
		:: stop -> break
		:: ballot <= ATTEMPTS && !stop -> stop = true
		:: u < N && !stop && (asked & BIT(u)) -> atomic {
			if
			:: lives[u] && state[u] == placed_ -> went(u); state[u] = works
			:: else
			fi; u++ }
		:: u < N && !stop && !(asked & BIT(u)) -> u++
		:: u == N -> break
		od;
		u = 0;
		if
		:: ballot == ATTEMPTS + 1 && !stop && asked == living -> settled = true; break
		/* If a node dies in the last attempt, another attempt follows. */
		:: ballot == ATTEMPTS + 1 && (stop || asked != living) -> ballot = ATTEMPTS
		:: ballot <= ATTEMPTS
		fi
	:: else -> break
	od;
	/* Wait until all nodes have completed all operations. */
	_nr_pr == 1;
	for (u : 0 .. N - 1) {
		assert(over || !lives[u] || pos[u] == OPS) /* through */
	}
}

active proctype death()
{
	byte deaths = DEATHS, who;

	do
	:: atomic { deaths > 0 && !settled && !over ->
		deaths--;
		select(who : 0 .. N - 1);
		if
		:: lives[who] && living != BIT(who) -> lives[who] = false; living = living & ~BIT(who)
		:: else
		fi }
	:: deaths == 0 || settled || over -> break
	od
}
