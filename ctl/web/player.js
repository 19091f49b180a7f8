// SPDX-License-Identifier: GPL-2.0
/* The position in the plan or in a recording, and how it moves. At position k, k phases have ended.
 */
'use strict';

/* How long the position moves through a phase, and how long it stays at the end of the phase, in
 * milliseconds.
 */
const MOVES = 900, STAYS = 450;

class Player {
	/* changed(pos) shows a position. moves, stays: time of a phase, see MOVES and STAYS. */
	constructor(phases, changed, moves = MOVES, stays = STAYS) {
		Object.assign(this, { moves, stays });
		this.phases = phases;
		this.changed = changed;
		this.pos = null;
		this.direction = 0;
		this.speed = 1;
		this.still = matchMedia('(prefers-reduced-motion: reduce)');
	}

	moveTo(pos) {
		this.pos = pos;
		this.changed(pos);
	}

	stop() {
		this.direction = 0;
		this.goal = null;
	}

	/* Go to a position at once. null: all phases are shown. */
	go(pos) {
		this.stop();
		this.moveTo(pos === null ? null : Math.max(0, Math.min(this.phases, pos)));
	}

	/* Move on or back to the end of one phase, and stop there. */
	step(direction) {
		const from = this.goal ?? this.pos ?? (direction > 0 ? 0 : this.phases);
		const goal = direction > 0 ? Math.floor(from) + 1 : Math.ceil(from) - 1;

		if (goal < 0 || goal > this.phases)
			return;
		if (this.still.matches) {
			this.go(goal);
			return;
		}
		this.run(direction);
		this.goal = goal;
	}

	run(direction) {
		if (this.pos === null || (direction > 0 ? this.pos >= this.phases : this.pos <= 0))
			this.pos = direction > 0 ? 0 : this.phases;
		this.direction = direction;
		this.goal = null;
		this.rest = 0;
		this.changed(this.pos);
	}

	/* Play in this direction; if the player already plays in it, pause. */
	play(direction) {
		if (this.direction === direction && this.goal === null)
			this.stop();
		else
			this.run(direction);
		this.changed(this.pos);
	}

	/* Move the position as far as it moves in this time. */
	tick(ms) {
		if (!this.direction)
			return;
		this.rest -= ms * this.speed;
		if (this.rest > 0)
			return;
		const end = this.direction > 0 ? Math.floor(this.pos) + 1 : Math.ceil(this.pos) - 1;
		let pos = this.pos + this.direction * ms * this.speed / this.moves;

		if ((end - pos) * this.direction <= 0) {
			pos = end;
			this.rest = this.stays;
		}
		if (pos === this.goal || (pos === end && (end <= 0 || end >= this.phases)))
			this.stop();
		this.moveTo(pos);
	}
}

/* A recording. Position k is the k-th time at which a hop begins or ends. So the position moves
 * evenly, although a recording has many events within a few microseconds, and then none for long.
 */
class Recording {
	constructor(hops) {
		this.hops = hops;
		this.moments = [...new Set(hops.flatMap((hop) => [hop.begin, hop.end]))].sort((a, b) => a - b);
		this.length = this.moments.length - 1;
	}

	/* Return the time of a position, in nanoseconds. */
	timeAt(pos) {
		const k = Math.min(Math.floor(pos), this.length), next = this.moments[Math.min(k + 1, this.length)];

		return this.moments[k] + (next - this.moments[k]) * (pos - k);
	}

	/* Return the hops that are under way at a time. */
	under(time) {
		return this.hops.filter((hop) => hop.begin <= time && time < hop.end);
	}

	says(pos) {
		const time = this.timeAt(pos), ended = this.hops.filter((hop) => hop.end <= time);
		const lost = ended.filter((hop) => hop.lost).length;

		return `${(time / 1000).toFixed(1)} \u00b5s: ${this.under(time).length} frames under way, ` +
			`${ended.length - lost} arrived${lost ? `, ${lost} lost` : ''}`;
	}
}
