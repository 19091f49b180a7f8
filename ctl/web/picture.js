// SPDX-License-Identifier: GPL-2.0
/* The drawing of a model. The elements are made once, and get their positions again for each frame.
 */
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

function make(name, attributes, parent) {
	const element = document.createElementNS(SVG, name);

	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
	if (parent)
		parent.append(element);
	return element;
}

function set(element, attributes) {
	for (const key in attributes)
		element.setAttribute(key, attributes[key]);
}

/* Return the point at distance r from a in the direction of b. */
function towards(a, b, r) {
	const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;

	return { x: a.x + (b.x - a.x) * r / length, y: a.y + (b.y - a.y) * r / length };
}

function between(a, b, part) {
	return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
}

function onCurve(a, bend, b, part) {
	return between(between(a, bend, part), between(bend, b, part), part);
}

function linksOf(model) {
	const links = [];

	if (model.links)
		return model.links.map(([a, b]) => ({ a, b, name: `${a} - ${b}` }));
	for (let d = 0; d < model.dim; d++)
		for (let u = 0; u < 1 << model.dim; u++)
			if (!(u >> d & 1))
				links.push({ a: u, b: u ^ 1 << d, d, name: `${u}:${d}` });
	return links;
}

function bits(u, dim) {
	return u.toString(2).padStart(dim, '0');
}

/* Nodes of at least the radius LABELLED have labels, and nodes of at least the radius SPELT also
 * show their bits.
 */
const LABELLED = 7.5, SPELT = 17;
/* Up to this number of transfers, all show their numbers. If there are more, only those of the node
 * under the pointer do.
 */
const NUMBERED = 40;
/* The width of a link by its heat, as in the key. */
const heatWidth = (heat, large) => (large ? 1.2 + heat : 2 + 1.6 * heat);

/* Positions on a line at which a mark may be placed, as fractions of its length, the preferred ones
 * first: those beside the middle, because lines cross in the middle.
 */
const BADGE_AT = [.42, .32, .52, .24, .6, .16], CROSS_AT = [.44, .56, .36, .64, .28, .72, .2];
const MARK = 14;

class Picture {
	constructor(svg, model, view) {
		this.svg = svg;
		this.model = model;
		this.view = view;
		this.large = view.places.size > 16;
		this.failed = new Set(model.fail_nodes);
		this.leftOut = new Set(model.left_out);
		this.roots = new Set(model.roots);
		this.layers = {};
		for (const name of ['links', 'edges', 'tokens', 'hops', 'crosses', 'badges', 'nodes'])
			this.layers[name] = make('g', { id: name }, svg);
		this.makeLinks();
		this.makeEdges();
		this.makeNodes();
	}

	/* --- elements --- */

	linkClass(link) {
		const { failed, roots, model } = this;

		if (link.bad)
			return 'bad fault';
		if (failed.has(link.a) || failed.has(link.b))
			return 'off';
		if (link.traffic)
			return `h${link.traffic.heat}`;
		return model.kind === 'topology' && roots.has(link.a) && roots.has(link.b) ? 'k core' : 'l';
	}

	makeLinks() {
		const key = (l) => `${l.node}:${l.dim}`;
		const bad = new Set((this.model.fail_links || []).map(key));
		const traffic = new Map((this.model.traffic || []).map((l) => [key(l), l]));

		this.links = linksOf(this.model);
		for (const link of this.links) {
			link.bad = bad.has(link.name);
			link.traffic = traffic.get(link.name);
			link.kind = this.linkClass(link);
			link.line = make('line', { class: `link ${link.kind}` }, this.layers.links);
			if (link.bad)
				link.cross = make('path', { class: 'bad x', d: 'M-1 -1L1 1M1 -1L-1 1' },
					this.layers.crosses);
		}
	}

	makeEdges() {
		const { model, layers } = this, style = { direct: '', help: ' help', detour: ' tour' };
		const there = new Set(model.transfers.map((t) => `${t.from}-${t.to}`));

		this.edges = model.transfers.map((t) => {
			const phase = model.phases[t.phase];
			/* If the model has traffic, colours stand for traffic, so transfers have
			 * the colour of text.
			 */
			const stroke = model.traffic ? 'k' : `c${phase.colour}`;
			const fill = model.traffic ? 'kf' : `f${phase.colour}`;
			const group = make('g', { class: 'edge' }, layers.edges);
			const badge = make('g', { class: 'badge' }, layers.badges);
			const edge = {
				...t, group, badge,
				both: there.has(`${t.to}-${t.from}`),
				path: make('path', { class: stroke + style[t.how] }, group),
				head: make('polygon', { class: fill }, group),
				token: make('circle', { class: `token ${fill} halo`, 'stroke-width': 2 }, layers.tokens),
			};

			make('circle', { class: `${fill} halo`, 'stroke-width': 2, r: 9 }, badge);
			make('text', { class: 'onroot', y: 3.8, 'font-size': 11 }, badge).textContent = phase.number;
			return edge;
		});
	}

	nodeClass(u) {
		const turn = this.turnOf(u);

		if (this.failed.has(u))
			return 'dead bad x';
		if (this.roots.has(u))
			return 'root k';
		if (this.leftOut.has(u))
			return 'left l';
		if (this.model.traffic || turn === null)
			return 'n';
		return `n c${this.model.phases[turn].colour}`;
	}

	/* Return the phase of node u, or null. */
	turnOf(u) {
		return (this.model.turns ? this.model.turns[u] : this.turns && this.turns.get(u)) ?? null;
	}

	makeNodes() {
		const { model } = this;

		this.nodes = new Map();
		if (model.members)
			this.turns = new Map(model.members.map((m) => [m.node, m.phase]));
		for (const u of this.view.places.keys()) {
			const text = this.failed.has(u) ? 'badf' : this.roots.has(u) ? 'onroot' : 'ink';
			const group = make('g', { class: 'node' }, this.layers.nodes);

			const kind = this.nodeClass(u);

			group.dataset.node = u;
			this.nodes.set(u, {
				u, group,
				hit: make('circle', { class: 'paper', opacity: 0 }, group),
				halo: this.roots.has(u) ? make('circle', { class: 'paper k', 'stroke-width': 2 }, group) : null,
				skin: make('circle', { class: `skin ${kind}` }, group),
				/* A node that is too small for a label is filled with its colour.
				 */
				fill: kind.startsWith('n c') ? kind.replace('n c', 'f') : null,
				label: make('text', { class: text }, group),
				bits: model.dim && model.dim < 6 ?
					make('text', { class: `bits ${text === 'ink' ? 'faint' : text}` }, group) : null,
			});
			this.nodes.get(u).label.textContent = u;
			if (this.nodes.get(u).bits)
				this.nodes.get(u).bits.textContent = bits(u, model.dim);
		}
	}

	/* --- frames --- */

	/* Return the radius of a node in the middle: a small fraction of the length of the shortest
	 * link, within limits.
	 */
	radius(scale) {
		const { places } = this.view, [first] = places.keys();
		let least = Infinity;

		for (const { a, b } of this.links.slice(0, 64)) {
			const p = places.get(a), q = places.get(b);

			if (p && q)
				least = Math.min(least, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
		}
		if (!Number.isFinite(least))
			least = places.has(first) ? 1 : 0;
		/* If there are more nodes, lines need more space between them, so nodes are
		 * smaller.
		 */
		const part = Math.max(.05, .15 - .014 * Math.max(0, Math.log2(places.size) - 4));

		return Math.max(2.5, Math.min(28 * Math.sqrt(Math.max(1, this.view.zoom)), least * scale * part));
	}

	draw(width, height) {
		const margin = this.large ? 34 : 48;
		const { seen, scale } = this.view.project(width, height, margin);

		this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
		this.seen = seen;
		this.r = this.radius(scale);
		for (const s of seen.values())
			s.r = this.r * s.size;
		/* The disks that marks should not cover. */
		this.taken = [...seen.values()].map(({ x, y, r }) => ({ x, y, r }));
		this.drawLinks();
		this.drawEdges();
		this.drawHops();
		this.drawNodes();
	}

	drawLinks() {
		const thin = Math.max(.8, Math.min(2, this.r / 7));

		for (const link of this.links) {
			const a = this.seen.get(link.a), b = this.seen.get(link.b);

			if (!a || !b)
				continue;
			const near = (a.near + b.near) / 2;
			const wide = link.traffic && !link.bad ? heatWidth(link.traffic.heat, this.large) :
				link.bad ? thin + 1 : link.kind === 'k core' ? thin + 2 : thin;

			set(link.line, {
				x1: a.x.toFixed(1), y1: a.y.toFixed(1), x2: b.x.toFixed(1), y2: b.y.toFixed(1),
				'stroke-width': wide.toFixed(2),
				'stroke-opacity': link.bad ? 1 : (.35 + .65 * near).toFixed(2),
			});
			if (link.cross)
				this.drawCross(link, a, b);
		}
	}

	drawCross(link, a, b) {
		const at = this.freePlace(a, between(a, b, .5), b, CROSS_AT), size = Math.max(4, Math.min(9, this.r * .45));

		set(link.cross, {
			transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)}) scale(${size.toFixed(2)})`,
			'stroke-width': (3 / size).toFixed(2),
		});
	}

	/* Return the control point of the curve of a transfer from a to b. The curve of a detour
	 * avoids the nodes. If there is a transfer in each direction between two nodes, each bends
	 * to its left.
	 */
	bend(edge, a, b) {
		const middle = between(a, b, .5), length = Math.hypot(b.x - a.x, b.y - a.y);
		const aside = (off) => ({ x: middle.x + (b.y - a.y) * off, y: middle.y + (a.x - b.x) * off });

		if (edge.how !== 'detour')
			return edge.both ? aside(Math.min(.1, 12 / (length || 1))) : middle;
		const room = (off) => this.clearance(edge, a, aside(off), b) - Math.abs(off) * 20;

		return aside([.3, -.3, .2, -.2, .45, -.45, .6, -.6].reduce((x, y) => (room(y) > room(x) ? y : x)));
	}

	/* Return the distance of a curve from the nearest node that is not at one of its ends, or
	 * MARK if it is larger, because larger distances do not matter.
	 */
	clearance(edge, a, bend, b) {
		let least = MARK;

		for (const [u, s] of this.seen)
			for (let part = .1; u !== edge.from && u !== edge.to && part < .95; part += .1) {
				const at = onCurve(a, bend, b, part);

				least = Math.min(least, Math.hypot(at.x - s.x, at.y - s.y) - s.r);
			}
		return least;
	}

	drawEdges() {
		const wide = Math.max(1.4, Math.min(4, this.r / 5)), head = wide * 2.6 + 3;

		for (const edge of this.edges) {
			if (edge.gone)
				continue;
			const a = this.seen.get(edge.from), b = this.seen.get(edge.to);
			const bend = edge.curve = this.bend(edge, a, b);
			const from = towards(a, bend, a.r + 2), tip = towards(b, bend, this.reach(edge.to, b) + 3);
			const foot = towards(tip, bend, head);
			const nx = (foot.y - tip.y) * .42, ny = (tip.x - foot.x) * .42;
			const p = (q) => `${q.x.toFixed(1)} ${q.y.toFixed(1)}`;

			set(edge.path, {
				d: `M${p(from)}Q${p(bend)} ${p(foot)}`,
				'stroke-width': wide.toFixed(2),
			});
			set(edge.head, {
				points: `${p(tip)} ${p({ x: foot.x + nx, y: foot.y + ny })} ${p({ x: foot.x - nx, y: foot.y - ny })}`,
			});
			if (edge.numbered)
				edge.badge.setAttribute('transform', `translate(${p(this.freePlace(from, bend, tip, BADGE_AT))})`);
			if (edge.moving)
				this.drawToken(edge, onCurve(from, bend, tip, edge.part), wide);
		}
	}

	/* Return the first of the positions on a curve where a mark covers nothing, or if there is
	 * none, the best one. The mark is added to those that later marks should not cover.
	 */
	freePlace(a, bend, b, parts) {
		let best = null, most = -Infinity;

		for (const part of parts) {
			const at = onCurve(a, bend, b, part);
			let room = MARK;

			for (const other of this.taken)
				room = Math.min(room, Math.hypot(at.x - other.x, at.y - other.y) - other.r);
			if (room > most)
				[best, most] = [at, room];
			if (most >= MARK)
				break;
		}
		this.taken.push({ ...best, r: MARK / 2 });
		return best;
	}

	/* Return the radius of a node, with the ring around a root. */
	reach(u, at) {
		return at.r + (this.roots.has(u) ? Math.max(2.5, at.r * .16) : 0);
	}

	drawToken(edge, at, wide) {
		set(edge.token, { cx: at.x.toFixed(1), cy: at.y.toFixed(1), r: (wide * 1.5 + 3).toFixed(1) });
	}

	/* Show the recorded hops that are under way at a time. hops is null if the plan is shown.
	 */
	showHops(hops, time) {
		this.hops = hops;
		this.time = time;
		this.layers.hops.replaceChildren();
		for (const hop of hops || []) {
			const group = make('g', { class: 'hop' }, this.layers.hops);

			make('line', { class: hop.lost ? 'bad' : 'k' }, group);
			make('circle', { class: hop.lost ? 'badf halo' : 'kf halo', 'stroke-width': 2 }, group);
		}
	}

	/* Draw each hop as a frame with a trail from its sender. A lost frame gets only half the
	 * distance.
	 */
	drawHops() {
		const wide = Math.max(1.6, Math.min(4, this.r / 5));

		[...this.layers.hops.children].forEach((group, i) => {
			const hop = this.hops[i], [line, disk] = group.children;
			const a = this.seen.get(hop.from), b = this.seen.get(hop.to);
			const part = (this.time - hop.begin) / (hop.end - hop.begin || 1) * (hop.lost ? .5 : 1);
			const from = towards(a, b, this.reach(hop.from, a));
			const at = between(from, towards(b, a, this.reach(hop.to, b)), part);

			set(line, { x1: from.x.toFixed(1), y1: from.y.toFixed(1), x2: at.x.toFixed(1), y2: at.y.toFixed(1),
				'stroke-width': wide.toFixed(2) });
			set(disk, { cx: at.x.toFixed(1), cy: at.y.toFixed(1), r: (wide * 1.5 + 3).toFixed(1) });
		});
	}

	/* Sort the elements of nodes from the farthest to the nearest, if that order has changed.
	 */
	sortNodes() {
		const order = [...this.nodes.values()].sort((a, b) => this.seen.get(a.u).near - this.seen.get(b.u).near);
		const said = order.map((n) => n.u).join();

		if (said !== this.order)
			this.layers.nodes.append(...order.map((n) => n.group));
		this.order = said;
	}

	/* Return true if a node has a label. A small node has one if it has failed, is the only
	 * root, or is emphasised.
	 */
	labelled(u, r) {
		return r >= LABELLED || this.failed.has(u) || (this.roots.has(u) && this.roots.size === 1) ||
			Boolean(this.hot && this.hot.has(u));
	}

	drawNodes() {
		this.sortNodes();
		for (const node of this.nodes.values()) {
			const { x, y, r } = this.seen.get(node.u);
			const label = this.labelled(node.u, r), spelt = node.bits && r >= SPELT;
			/* The label of a small node is beside it. */
			const inside = r >= LABELLED, size = inside ? r * (r < 12 ? .95 : .84) : 12;

			node.group.setAttribute('transform', `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
			node.hit.setAttribute('r', Math.max(9, r + 2).toFixed(1));
			set(node.skin, {
				r: r.toFixed(1),
				'stroke-width': (Math.max(1.2, Math.min(3, r / 4.5)) * (node.on ? 1.6 : 1)).toFixed(1),
			});
			if (node.halo)
				node.halo.setAttribute('r', this.reach(node.u, { r }).toFixed(1));
			node.label.setAttribute('display', label ? 'inline' : 'none');
			if (label) {
				set(node.label, {
					y: (inside ? size * (spelt ? .2 : .36) : -r - 5).toFixed(1),
					'font-size': size.toFixed(1),
				});
				node.label.classList.toggle('beside', !inside);
			}
			if (node.bits) {
				node.bits.setAttribute('display', spelt ? 'inline' : 'none');
				set(node.bits, { y: (r * .64).toFixed(1), 'font-size': (r * .42).toFixed(1) });
			}
			if (node.fill)
				node.skin.classList.toggle(node.fill, !inside);
		}
	}

	/* --- what is emphasised --- */

	/* Emphasise a node with its links and transfers, and fade all others. null: emphasise none.
	 */
	point(u) {
		const hot = u === null ? null : new Set([u]);

		this.hot = hot;
		for (const link of this.links) {
			const own = hot && (link.a === u || link.b === u);

			link.line.classList.toggle('hot', Boolean(own));
			if (own)
				hot.add(link.a === u ? link.b : link.a);
		}
		for (const edge of this.edges) {
			edge.own = Boolean(hot) && (edge.from === u || edge.to === u);
			edge.group.classList.toggle('hot', edge.own);
			edge.badge.classList.toggle('hot', edge.own);
			if (edge.own)
				hot.add(edge.from === u ? edge.to : edge.from);
		}
		for (const [v, node] of this.nodes)
			node.group.classList.toggle('hot', Boolean(hot) && hot.has(v));
		this.svg.classList.toggle('dim', Boolean(hot));
		this.number();
	}

	/* Choose the transfers that show their numbers. While the plan is played, none does. */
	number() {
		for (const edge of this.edges) {
			edge.numbered = !edge.gone && this.pos === null &&
				(edge.own || this.edges.length <= NUMBERED);
			edge.badge.classList.toggle('gone', !edge.numbered);
		}
	}

	/* Show the plan at a position. At k, k phases have ended; between k and k + 1, the next
	 * phase is under way; null shows all phases.
	 */
	show(pos) {
		const now = pos === null ? null : Math.ceil(pos) - 1;
		const part = pos === null || Number.isInteger(pos) ? 1 : pos - now;

		this.pos = pos;
		this.now = now;
		for (const edge of this.edges) {
			edge.gone = now !== null && edge.phase > now;
			edge.moving = now === edge.phase && part < 1;
			edge.part = part;
			edge.group.classList.toggle('gone', edge.gone);
			edge.group.classList.toggle('now', now === edge.phase);
			edge.group.classList.toggle('past', now !== null && edge.phase < now);
			edge.token.setAttribute('display', edge.moving ? 'inline' : 'none');
		}
		this.number();
		this.showNodes(now, part);
	}

	/* Mark the nodes that rest in phase now. A node of a tree rests after it has sent; a node
	 * of a broadcast rests until it has the message; with rings, a node rests while a ring is
	 * shown that it does not belong to.
	 */
	showNodes(now, part) {
		const { kind } = this.model;
		const on = new Set(), waits = kind === 'broadcast', alone = kind === 'rings';

		for (const edge of this.edges)
			if (edge.phase === now)
				on.add(edge.from).add(edge.to);
		for (const [u, node] of this.nodes) {
			const turn = this.turnOf(u);
			const rest = now === null ? false : alone ? !on.has(u) && now >= 0 :
				turn === null ? false :
				waits ? turn > now || (turn === now && part < 1) : turn < now;

			node.group.classList.toggle('rest', rest && !this.failed.has(u));
			node.on = on.has(u);
		}
	}
}
