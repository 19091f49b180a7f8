// SPDX-License-Identifier: GPL-2.0
/* The page: the input of the reader, and the text beside the picture. */
'use strict';

const element = (id) => document.getElementById(id);
const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

/* --- what there is to say --- */

function phaseSays(model, phase) {
	if (model.kind === 'rings')
		return `level ${phase.level}, ${plural(phase.nodes, 'node')}`;
	if (model.kind === 'topology')
		return `from level ${phase.level}`;
	if (model.kind === 'span')
		return 'each to its parent';
	return `dimension ${phase.dim}`;
}

function countsOf(model) {
	return model.phases.map((_, i) => {
		const own = model.transfers.filter((t) => t.phase === i);

		return {
			all: own.length,
			help: own.filter((t) => t.how === 'help').length,
			detour: own.filter((t) => t.how === 'detour').length,
		};
	});
}

function stepSays(model, counts, pos) {
	const i = pos === null ? -1 : Math.ceil(pos) - 1;

	if (!model.phases.length)
		return '';
	if (pos === null)
		return `all ${plural(model.phases.length, model.phase_word)}: ${plural(model.transfers.length, 'transfer')}`;
	if (i < 0)
		return 'before the beginning';
	const { all, help, detour } = counts[i], more = [];

	if (help)
		more.push(`${help} to helpers`);
	if (detour)
		more.push(`${detour} by detours`);
	return `${model.phase_word} ${model.phases[i].number} (${phaseSays(model, model.phases[i])}): ` +
		plural(all, 'transfer') + (more.length ? `, ${more.join(', ')}` : '');
}

const ROOT = { tree: 'the sink', span: 'the sink', broadcast: 'the source', topology: 'of the subcube' };

function nodeSays(picture, u) {
	const { model } = picture, lines = [];
	const word = (t) => `${model.phase_word} ${model.phases[t.phase].number}`;
	const how = { direct: '', help: ', a part for a helper', detour: ', by a detour' };
	let name = `node ${u}`;

	if (model.dim)
		name += ` (${bits(u, model.dim)})`;
	if (picture.failed.has(u))
		name += ', failed';
	else if (picture.roots.has(u))
		name += `, ${ROOT[model.kind]}`;
	else if (picture.leftOut.has(u))
		name += ', takes no part';
	for (const t of [...model.transfers].sort((a, b) => a.phase - b.phase))
		if (t.to === u)
			lines.push(`${word(t)}: from ${t.from}${how[t.how]}`);
		else if (t.from === u)
			lines.push(`${word(t)}: to ${t.to}${how[t.how]}`);
	for (const link of picture.links)
		if ((link.a === u || link.b === u) && link.bad)
			lines.push(`link ${link.name} is faulty`);
		else if ((link.a === u || link.b === u) && link.traffic)
			lines.push(`link ${link.name}: ${link.traffic.says}`);
	if (lines.length > 14)
		lines.splice(13, lines.length, '..');
	return [name, ...lines].join('\n');
}

/* --- the key --- */

function keyRow(parent, draw, text, much) {
	const row = document.createElement(parent.tagName === 'BUTTON' ? 'span' : 'div');
	const target = parent.tagName === 'BUTTON' ? parent : row;

	target.classList.add('row');
	draw(make('svg', { viewBox: '0 0 36 22' }, target));
	target.append(document.createElement('span'));
	target.lastChild.textContent = text;
	if (much !== undefined) {
		target.append(document.createElement('span'));
		target.lastChild.className = 'much';
		target.lastChild.textContent = much;
	}
	if (target === row)
		parent.append(row);
}

function keyTitle(parent, text) {
	const title = document.createElement('h2');

	title.textContent = text;
	parent.append(title);
}

const keyLine = (classes, width) => (svg) =>
	make('line', { class: classes, 'stroke-width': width, x1: 2, y1: 11, x2: 34, y2: 11 }, svg);
const keyDisk = (classes) => (svg) =>
	make('circle', { class: classes, 'stroke-width': 2.5, cx: 18, cy: 11, r: 8 }, svg);

function keyArrow(classes, head) {
	return (svg) => {
		make('line', { class: classes, 'stroke-width': 3, x1: 2, y1: 11, x2: 25, y2: 11 }, svg);
		make('polygon', { class: head, points: '35 11 25 6 25 16' }, svg);
	};
}

function keyFrame(trail, disk) {
	return (svg) => {
		make('line', { class: trail, 'stroke-width': 3, x1: 2, y1: 11, x2: 26, y2: 11 }, svg);
		make('circle', { class: disk, cx: 27, cy: 11, r: 6 }, svg);
	};
}

function keyNodes(key, picture) {
	const { model, nodes, failed, leftOut, roots } = picture;
	const others = nodes.size - failed.size - leftOut.size - (model.kind === 'fabric' ? 0 : roots.size);

	keyTitle(key, 'Nodes');
	if (roots.size && ROOT[model.kind])
		keyRow(key, keyDisk('root k'), ROOT[model.kind], roots.size);
	if (others > 0)
		keyRow(key, keyDisk('n'), model.kind === 'fabric' ? 'in service' : 'takes part', others);
	if (leftOut.size)
		keyRow(key, keyDisk('left l'), 'takes no part', leftOut.size);
	if (failed.size)
		keyRow(key, keyDisk('dead bad x'), 'failed', failed.size);
}

function keyLinks(key, picture) {
	const { model, links } = picture, many = (f) => links.filter(f).length;
	const bad = many((l) => l.bad), off = many((l) => l.kind === 'off');
	const core = many((l) => l.kind === 'k core'), quiet = many((l) => l.kind === 'l');

	keyTitle(key, 'Links');
	if (quiet)
		keyRow(key, keyLine('l', 2), model.traffic ? 'no traffic' : 'in service', quiet);
	if (core)
		keyRow(key, keyLine('k', 4), 'of the subcube', core);
	for (let heat = 6; model.traffic && heat; heat--) {
		const hot = links.filter((l) => l.kind === `h${heat}`);

		if (hot.length)
			keyRow(key, keyLine(`h${heat}`, heatWidth(heat, picture.large)),
				`up to ${hot.reduce((a, b) => (a.traffic.bytes > b.traffic.bytes ? a : b)).traffic.says}`,
				hot.length);
	}
	if (bad)
		keyRow(key, (svg) => {
			keyLine('bad', 3)(svg);
			make('path', { class: 'bad x', 'stroke-width': 3, d: 'M12 5l12 12m0 -12l-12 12' }, svg);
		}, 'faulty', bad);
	if (off)
		keyRow(key, keyLine('off', 2), 'at a failed node', off);
	if (!model.hops)
		return;
	const lost = model.hops.filter((hop) => hop.lost).length;

	keyRow(key, keyFrame('k', 'kf'), 'a recorded frame', model.hops.length - lost);
	if (lost)
		keyRow(key, keyFrame('bad', 'badf'), 'one that is lost', lost);
}

function keyTransfers(key, picture) {
	const { model, edges } = picture, many = (how) => edges.filter((e) => e.how === how).length;

	if (!edges.length)
		return;
	keyTitle(key, 'Transfers');
	keyRow(key, keyArrow('k', 'kf'), `number: the ${model.phase_word}`, many('direct'));
	if (many('help'))
		keyRow(key, keyArrow('k help', 'kf'), 'a part, to a helper', many('help'));
	if (many('detour'))
		keyRow(key, keyArrow('k tour', 'kf'), 'a detour', many('detour'));
}

function keyPhases(key, picture, counts, go) {
	const { model } = picture, word = model.phase_word;

	if (!model.phases.length)
		return [];
	keyTitle(key, `${word[0].toUpperCase()}${word.slice(1)}s`);
	return model.phases.map((phase, i) => {
		const row = document.createElement('button');

		row.type = 'button';
		row.title = `${word} ${phase.number}`;
		keyRow(row, keyLine(model.traffic ? 'k' : `c${phase.colour}`, 5),
			`${phase.number}: ${phaseSays(model, phase)}`, counts[i].all);
		row.addEventListener('click', () => go(i + 1));
		key.append(row);
		return row;
	});
}

/* --- turning, zooming, pointing --- */

class Hand {
	constructor(stage, svg, view, pointed, changed) {
		Object.assign(this, { stage, svg, view, pointed, changed });
		this.held = new Map();
		svg.addEventListener('pointerdown', (e) => this.down(e));
		svg.addEventListener('pointermove', (e) => this.move(e));
		for (const end of ['pointerup', 'pointercancel'])
			svg.addEventListener(end, (e) => this.up(e));
		svg.addEventListener('pointerleave', () => this.held.size || pointed(null, true));
		svg.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
		svg.addEventListener('dblclick', () => { view.reset(); changed(); });
	}

	/* Return the position of the pointer, relative to the middle of the picture. */
	at(e) {
		const box = this.svg.getBoundingClientRect();

		return [e.clientX - box.left - box.width / 2, e.clientY - box.top - box.height / 2];
	}

	nodeOf(e) {
		const group = e.target.closest ? e.target.closest('.node') : null;

		return group ? Number(group.dataset.node) : null;
	}

	down(e) {
		this.stage.focus({ preventScroll: true });
		this.svg.setPointerCapture(e.pointerId);
		this.held.set(e.pointerId, { x: e.clientX, y: e.clientY });
		this.far = 0;
		this.on = this.nodeOf(e);
		this.svg.classList.add('held');
	}

	move(e) {
		const was = this.held.get(e.pointerId);

		if (!was) {
			this.pointed(this.nodeOf(e), true);
			return;
		}
		const x = e.clientX - was.x, y = e.clientY - was.y;
		const other = [...this.held].find(([id]) => id !== e.pointerId);

		this.far += Math.abs(x) + Math.abs(y);
		if (other)
			this.pinch(was, e, other[1]);
		if (other || e.shiftKey || e.buttons & 6) {
			this.view.moved[0] += other ? x / 2 : x;
			this.view.moved[1] += other ? y / 2 : y;
		} else {
			this.view.turn(x * .008, y * .008);
		}
		this.held.set(e.pointerId, { x: e.clientX, y: e.clientY });
		this.changed();
	}

	pinch(was, e, other) {
		const before = Math.hypot(was.x - other.x, was.y - other.y);
		const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);

		if (before > 1 && after > 1)
			this.view.zoomBy(after / before, ...this.at(e));
	}

	/* A click, which is a press without a move, selects the node under the pointer, or no node.
	 */
	up(e) {
		if (!this.held.delete(e.pointerId) || this.held.size)
			return;
		this.svg.classList.remove('held');
		if (this.far < 5 && e.type === 'pointerup')
			this.pointed(this.on, false);
	}

	wheel(e) {
		e.preventDefault();
		this.view.zoomBy(Math.exp(-e.deltaY * (e.deltaMode ? .03 : .0012)), ...this.at(e));
		this.changed();
	}
}

/* --- all of it --- */

class Page {
	constructor(model) {
		this.model = model;
		this.stage = element('stage');
		this.view = new View(normal(model.dim ? cubePlaces(model.dim) : netPlaces(model.members)),
			model.dim);
		this.picture = new Picture(element('picture'), model, this.view);
		this.counts = countsOf(model);
		this.plan = new Player(model.phases.length, (pos) => this.showPhase(pos));
		this.player = this.plan;
		if (model.hops)
			this.makeRecording(new Recording(model.hops));
		this.makeKey();
		this.makeButtons();
		this.hand = new Hand(this.stage, element('picture'), this.view,
			(u, hover) => this.pointed(u, hover), () => this.redraw());
		addEventListener('keydown', (e) => this.pressed(e));
		/* A button that was clicked does not keep the focus, so that the space bar still
		 * plays and pauses.
		 */
		addEventListener('mousedown', (e) => { if (e.target.closest('button')) e.preventDefault(); });
		new ResizeObserver(() => this.redraw()).observe(this.stage);
		this.player.go(null);
		this.loop(performance.now());
	}

	makeKey() {
		const key = element('key');

		keyNodes(key, this.picture);
		keyLinks(key, this.picture);
		keyTransfers(key, this.picture);
		this.rows = keyPhases(key, this.picture, this.counts, (pos) => {
			if (this.player !== this.plan)
				this.switchTo(this.plan);
			this.plan.go(pos);
		});
	}

	/* A recording plays for about fifteen seconds; the time of each step is limited. */
	makeRecording(recording) {
		const moves = Math.max(40, Math.min(MOVES, 15000 / recording.length));

		this.recording = recording;
		this.recorded = new Player(recording.length, (pos) => this.showMoment(pos), moves, 0);
		element('recorded').addEventListener('click', () => this.switchTo(
			this.player === this.plan ? this.recorded : this.plan));
	}

	/* Switch between the player of the plan and that of the recording. */
	switchTo(player) {
		const speed = this.player.speed;

		this.player.go(this.player.pos);
		this.player = player;
		player.speed = speed;
		element('slider').max = player.phases;
		element('recorded').setAttribute('aria-pressed', player === this.recorded);
		this.picture.showHops(null, 0);
		player.go(player === this.plan ? null : 0);
	}

	makeButtons() {
		const { model } = this, slider = element('slider');
		const on = (id, what) => element(id).addEventListener('click', what);

		element('player').hidden = !model.phases.length && !model.hops;
		element('recorded').hidden = !model.hops;
		slider.max = model.phases.length;
		slider.addEventListener('input', () => this.player.go(Number(slider.value)));
		slider.addEventListener('change', () => this.player.go(Math.round(slider.value)));
		on('first', () => this.player.go(0));
		on('last', () => this.player.go(this.player.phases));
		on('back', () => this.player.step(-1));
		on('forward', () => this.player.step(1));
		on('play', () => this.player.play(1));
		on('rewind', () => this.player.play(-1));
		on('all', () => this.showAll());
		element('speed').addEventListener('change', (e) => { this.player.speed = Number(e.target.value); });
	}

	showAll() {
		if (this.player === this.plan)
			this.plan.go(null);
		else
			this.switchTo(this.plan);
	}

	pressed(e) {
		const { view, player } = this, angle = Math.PI / 36;
		const keys = {
			ArrowLeft: () => view.turn(-angle, 0), ArrowRight: () => view.turn(angle, 0),
			ArrowUp: () => view.turn(0, -angle), ArrowDown: () => view.turn(0, angle),
			'+': () => view.zoomBy(1.15), '=': () => view.zoomBy(1.15), '-': () => view.zoomBy(1 / 1.15),
			0: () => view.reset(), a: () => this.showAll(), b: () => player.play(-1),
			' ': () => player.play(1), '.': () => player.step(1), ',': () => player.step(-1),
			r: () => element('recorded').click(),
			PageDown: () => player.step(1), PageUp: () => player.step(-1),
			Home: () => player.go(0), End: () => player.go(player.phases),
			Escape: () => this.pointed(null, false),
		};

		if (e.ctrlKey || e.altKey || e.metaKey || !keys[e.key] || e.target.closest('input, select'))
			return;
		if (e.key === ' ' && e.target.closest('button'))
			return;
		e.preventDefault();
		keys[e.key]();
		this.redraw();
	}

	/* Emphasise the node under the pointer, or if there is none, the node that was clicked
	 * last.
	 */
	pointed(u, hover) {
		if (!hover)
			this.chosen = u === this.chosen ? null : u;
		const now = (hover ? u : null) ?? this.chosen ?? null;

		if (now === this.at)
			return;
		this.at = now;
		this.picture.point(now);
		this.redraw();
	}

	showTip() {
		const tip = element('tip'), seen = this.at === null || this.at === undefined ? null :
			this.picture.seen.get(this.at);

		tip.hidden = !seen;
		if (!seen)
			return;
		tip.textContent = nodeSays(this.picture, this.at);
		const { clientWidth: w, clientHeight: h } = this.stage;
		const right = seen.x + seen.r + 14;

		tip.style.left = `${right + tip.offsetWidth < w ? right : Math.max(4, seen.x - seen.r - 14 - tip.offsetWidth)}px`;
		tip.style.top = `${Math.max(4, Math.min(h - tip.offsetHeight - 4, seen.y - 20))}px`;
	}

	showPhase(pos) {
		const now = pos === null ? -1 : Math.ceil(pos) - 1;

		this.picture.show(pos);
		this.rows.forEach((row, i) => row.classList.toggle('now', i === now));
		element('says').textContent = stepSays(this.model, this.counts, pos);
		this.showPlayer(pos);
	}

	/* Show a position of the recording. The transfers of the plan are hidden. */
	showMoment(pos) {
		const time = this.recording.timeAt(pos ?? 0);

		this.picture.show(0);
		this.picture.showNodes(null, 1);
		this.picture.showHops(this.recording.under(time), time);
		this.rows.forEach((row) => row.classList.remove('now'));
		element('says').textContent = this.recording.says(pos ?? 0);
		this.showPlayer(pos);
	}

	showPlayer(pos) {
		const { direction, goal } = this.player;

		element('slider').value = pos ?? 0;
		element('all').setAttribute('aria-pressed', pos === null);
		element('play').setAttribute('aria-pressed', direction > 0 && goal === null);
		element('rewind').setAttribute('aria-pressed', direction < 0 && goal === null);
		document.body.dataset.pos = pos ?? 'all';
		this.redraw();
	}

	redraw() {
		this.stale = true;
	}

	/* In each frame of the browser, move the position, and draw if something has changed. */
	loop(before) {
		requestAnimationFrame((now) => {
			this.player.tick(Math.min(100, now - before));
			if (this.stale) {
				this.stale = false;
				const { width, height } = element('picture').getBoundingClientRect();

				this.picture.draw(width, height);
				this.showTip();
			}
			this.loop(now);
		});
	}
}

const page = new Page(JSON.parse(element('model').textContent));
