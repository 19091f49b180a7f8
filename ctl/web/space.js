// SPDX-License-Identifier: GPL-2.0
/* The positions of nodes in space, and how space is projected on the screen. */
'use strict';

/* The shape of a cube in space. Three dimensions make an ordinary cube, three more dimensions make
 * a cube of such cubes, and so on: a step of a higher level is longer, and also leads a bit along
 * the other axes. By number of dimensions: for each level above the first, the length of a step,
 * and the fractions of it by which the step leads along the next two axes; and the angles (x, y)
 * from which the cube is seen first. The values were found by a search: nodes keep a distance from
 * each other, and from links of other nodes.
 */
const SHAPES = {
	3: { steps: [], y: -.53, x: .39 },
	4: { steps: [[1.9, .01, .53]], y: -.56, x: .32 },
	5: { steps: [[2.2, .12, -.13]], y: -.37, x: .46 },
	6: { steps: [[2.27, .31, .52]], y: -.14, x: .4 },
	7: { steps: [[1.9, -.48, .16], [4.67, -.26, -.17]], y: .41, x: .4 },
	8: { steps: [[2.6, .03, .11], [5.19, .06, .12], [9.6, .1, .2]], y: -.19, x: .38 },
};

function shapeOf(dim) {
	return SHAPES[Math.max(3, Math.min(8, dim))];
}

/* Return the vector of a step along each dimension. */
function cubeAxes(dim) {
	const { steps } = shapeOf(dim), axes = [];

	for (let d = 0; d < dim; d++) {
		const [length, next, last] = d < 3 ? [1, 0, 0] : steps[Math.floor(d / 3) - 1];
		const axis = [0, 0, 0];

		axis[d % 3] = length;
		axis[(d + 1) % 3] = length * next;
		axis[(d + 2) % 3] = length * last;
		axes.push(axis);
	}
	return axes;
}

function cubePlaces(dim) {
	const axes = cubeAxes(dim), places = new Map();

	for (let u = 0; u < 1 << dim; u++) {
		const at = [0, 0, 0];

		for (let d = 0; d < dim; d++)
			for (let i = 0; i < 3; i++)
				at[i] += axes[d][i] * (u >> d & 1 ? .5 : -.5);
		places.set(u, at);
	}
	return places;
}

/* Return the positions in a network that is not a cube: a node of a deeper level is farther back.
 */
function netPlaces(members) {
	const places = new Map();

	for (const m of members)
		places.set(m.node, [m.x, -m.y, m.level * .3]);
	return places;
}

/* Scale the positions so that all are within a ball of radius 1. */
function normal(places) {
	let most = 1e-9;

	for (const p of places.values())
		most = Math.max(most, Math.hypot(...p));
	for (const p of places.values())
		p.forEach((v, i) => { p[i] = v / most; });
	return places;
}

function product(a, b) {
	return a.map((row) => b[0].map((_, j) => row.reduce((sum, v, k) => sum + v * b[k][j], 0)));
}

/* Return a matrix that turns by the angle a about an axis of the screen. */
function turnY(a) {
	return [[Math.cos(a), 0, Math.sin(a)], [0, 1, 0], [-Math.sin(a), 0, Math.cos(a)]];
}

function turnX(a) {
	return [[1, 0, 0], [0, Math.cos(a), -Math.sin(a)], [0, Math.sin(a), Math.cos(a)]];
}

/* The distance of the eye from the middle, and that for cubes of many dimensions. */
const EYE = 5.5, EYE_LARGE = 9;

class View {
	/* dim: dimension of the cube; 0: a network that is not a cube, which is seen from the front
	 */
	constructor(places, dim) {
		this.places = places;
		this.dim = dim;
		this.reset();
	}

	reset() {
		const { x, y } = this.dim ? shapeOf(this.dim) : { x: 0, y: 0 };

		this.turned = product(turnX(x), turnY(y));
		this.zoom = 1;
		this.moved = [0, 0];
	}

	turn(x, y) {
		this.turned = product(product(turnX(y), turnY(x)), this.turned);
	}

	/* Zoom about a point of the screen, by default the middle. The point stays where it is. */
	zoomBy(factor, x = 0, y = 0) {
		const zoom = Math.min(40, Math.max(.3, this.zoom * factor));

		this.moved[0] = x - (x - this.moved[0]) * zoom / this.zoom;
		this.moved[1] = y - (y - this.moved[1]) * zoom / this.zoom;
		this.zoom = zoom;
	}

	/* Return seen and scale. seen has for each node its position on a screen of this size, how
	 * near it is (0 to 1), and by which factor that makes it larger. scale is the length on the
	 * screen of a length of 1 in space.
	 */
	project(width, height, margin) {
		const seen = new Map(), m = this.turned;
		const eye = this.dim > 5 ? EYE_LARGE : EYE;
		let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];

		for (const [u, p] of this.places) {
			const [x, y, z] = m.map((r) => r[0] * p[0] + r[1] * p[1] + r[2] * p[2]);
			const size = eye / (eye + z), s = { x: x * size, y: -y * size, near: (1 - z) / 2, size };

			seen.set(u, s);
			[left, right] = [Math.min(left, s.x), Math.max(right, s.x)];
			[top, bottom] = [Math.min(top, s.y), Math.max(bottom, s.y)];
		}
		const scale = this.zoom * Math.min((width - 2 * margin) / Math.max(right - left, 1e-9),
			(height - 2 * margin) / Math.max(bottom - top, 1e-9));

		for (const s of seen.values()) {
			s.x = width / 2 + this.moved[0] + (s.x - (left + right) / 2) * scale;
			s.y = height / 2 + this.moved[1] + (s.y - (top + bottom) / 2) * scale;
		}
		return { seen, scale };
	}
}
