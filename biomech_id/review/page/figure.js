// One walker in three dimensions: markers, bones, feet, segment axes, plates and forces; every frame moves the same arrays.
import * as THREE from "../vendor/three_entry.js";

const FAR_AWAY = -1e4;
const METRES_PER_N = 1 / 1000;
const LEAST_SHOWN_N = 5;
/** Bones as pairs of joints; a name that begins with a blank is of both sides. */
const BONES = [
  ["L hip", "R hip"], [" hip", " knee"], [" knee", " ankle"], ["L hip", "waist"], ["R hip", "waist"], ["waist", "neck"], ["neck", "L shoulder"],
  ["neck", "R shoulder"], [" shoulder", " elbow"], [" elbow", " wrist"],
];
/** Joints whose bone ends at the origin of a segment, where no joint lies beyond. */
const ENDS = [["neck", "head"], [" wrist", " hand"]];
const SIDES = /** @type {const} */ (["L", "R"]);

/** @typedef {{left: string, right: string, middle: string, force: string, quiet: string, model: string}} FigureColours */

export class Figure {
  /** @param {LoadedTrial} trial @param {FigureColours} colours */
  constructor(trial, colours) {
    this.trial = trial;
    this.colours = colours;
    this.group = new THREE.Group();
    this.aside = new THREE.Vector3();
    this.highlighted = -1;
    const shape = trial.note.shape;
    this.shape = shape ?? { markers: [], segments: [], joints: [], plates: [], outline: { L: 0, R: 0 } };
    this.model = this.shape.model ?? { markers: [], sides: [], bearers: [] };
    this.bones = this.shape.model ? bonesOfModel(this.model) : bonesOf(this.shape);
    this.modelMarkers = points(this.model.markers.length, colours.model, 6);
    this.errors = lines(this.model.markers.length, colours.model);
    this.markers = points(this.shape.markers.length, colours.middle, 5);
    this.picked = points(1, colours.force, 12);
    this.centres = points(this.shape.joints.length, colours.quiet, 7);
    this.skeleton = solids(this.bones.length, this.bones.map((bone) => this.sideColour(bone.side)));
    this.outlines = { L: lines(this.shape.outline.L, colours.left), R: lines(this.shape.outline.R, colours.right) };
    this.forces = solids(this.shape.plates.length, this.shape.plates.map(() => colours.force));
    this.triads = triads(this.shape.segments.length);
    this.plates = plateLines(this.shape.plates, colours.quiet);
    this.group.add(
      this.modelMarkers, this.errors, this.markers, this.picked, this.centres, this.skeleton, this.outlines.L, this.outlines.R, this.forces, this.triads, this.plates,
    );
  }

  /** @param {string} side */
  sideColour(side) {
    return side === "L" ? this.colours.left : side === "R" ? this.colours.right : this.colours.middle;
  }

  /** @param {string} name @param {number} frame @param {number} number @param {number} count @returns {[number, number, number]} */
  point(name, frame, number, count) {
    const values = this.trial.arrays.get(name);
    const at = (frame * count + number) * 3;
    return values ? [values[at], values[at + 1], values[at + 2]] : [NaN, NaN, NaN];
  }

  /** Where the body is, for a camera that follows: the first joints' middle, else the markers'. @param {number} frame */
  middle(frame) {
    const { joints, markers } = this.shape;
    const [name, count] = joints.length ? ["joint_centre_lab_m", joints.length] : ["marker_lab_m", markers.length];
    const sum = [0, 0, 0];
    let seen = 0;
    for (let i = 0; i < count; i++) {
      const at = this.point(name, frame, i, count);
      if (!at.every(Number.isFinite)) continue;
      at.forEach((value, axis) => (sum[axis] += value));
      seen++;
    }
    return seen ? new THREE.Vector3(sum[0] / seen, sum[1] / seen, sum[2] / seen) : null;
  }

  /** Stand where another walker is, or aside of it, at the same height. @param {import("three").Vector3 | null} there @param {number} frame */
  beside(there, frame) {
    const here = this.middle(frame);
    if (!there || !here) return;
    here.applyAxisAngle(new THREE.Vector3(0, 0, 1), this.group.rotation.z);
    this.group.position.set(there.x - here.x + this.aside.x, there.y - here.y + this.aside.y, 0);
  }

  /** @param {number} frame */
  draw(frame) {
    const { shape } = this;
    spread(this.markers, shape.markers.length, (i) => this.point("marker_lab_m", frame, i, shape.markers.length));
    spread(this.picked, 1, () => this.highlighted < 0 ? [NaN, NaN, NaN] : this.point("marker_lab_m", frame, this.highlighted, shape.markers.length));
    spread(this.centres, shape.joints.length, (i) => this.point("joint_centre_lab_m", frame, i, shape.joints.length));
    this.drawModel(frame);
    this.drawBones(frame);
    this.drawFeet(frame);
    this.drawForces(frame);
    this.drawTriads(frame);
  }

  /** The model's markers, and a line to each from the measured one. @param {number} frame */
  drawModel(frame) {
    const { markers } = this.model;
    const places = this.errors.geometry.getAttribute("position");
    spread(this.modelMarkers, markers.length, (k) => this.point("model_marker_lab_m", frame, k, markers.length));
    markers.forEach((marker, k) => {
      const ends = [this.point("model_marker_lab_m", frame, k, markers.length), this.point("marker_lab_m", frame, marker, this.shape.markers.length)];
      const whole = ends.flat().every(Number.isFinite);
      ends.forEach((end, i) => place(places, 2 * k + i, whole ? end : [NaN, NaN, NaN]));
    });
    touched(this.errors);
  }

  /** @param {number} frame */
  drawBones(frame) {
    const { joints, segments, outline } = this.shape;
    this.bones.forEach((bone, number) => {
      const { sides } = this.model;
      const from = bone.model ? this.point("model_joint_lab_m", frame, bone.from, sides.length) : this.point("joint_centre_lab_m", frame, bone.from, joints.length);
      const to = bone.model ? this.point("model_joint_lab_m", frame, bone.to, sides.length)
        : bone.segment ? this.point("segment_origin_lab_m", frame, bone.to, segments.length)
        : bone.toe ? this.point("outline_lab_m", frame, bone.to, outline.L + outline.R)
        : this.point("joint_centre_lab_m", frame, bone.to, joints.length);
      solid(this.skeleton, number, from, to, 0.09);
    });
    touched(this.skeleton);
  }

  /** @param {number} frame */
  drawFeet(frame) {
    const { outline } = this.shape;
    for (const side of SIDES) {
      const first = side === "L" ? 0 : outline.L;
      const count = outline[side];
      const places = this.outlines[side].geometry.getAttribute("position");
      for (let i = 0; i < count; i++)
        [i, (i + 1) % count].forEach((corner, end) => place(places, 2 * i + end, this.point("outline_lab_m", frame, first + corner, outline.L + outline.R)));
      touched(this.outlines[side]);
    }
  }

  /** @param {number} frame */
  drawForces(frame) {
    const count = this.shape.plates.length;
    for (let i = 0; i < count; i++) {
      const force = this.point("plate_force_lab_N", frame, i, count);
      const from = this.point("plate_pressure_lab_m", frame, i, count);
      const size = Math.hypot(...force);
      const to = /** @type {[number, number, number]} */ (from.map((value, axis) => value + force[axis] * METRES_PER_N));
      solid(this.forces, i, size > LEAST_SHOWN_N ? from : [NaN, NaN, NaN], to, 0.02, 0.92);
    }
    touched(this.forces);
  }

  /** @param {number} frame */
  drawTriads(frame) {
    const count = this.shape.segments.length;
    const axes = this.trial.arrays.get("segment_axes");
    const places = this.triads.geometry.getAttribute("position");
    for (let s = 0; s < count; s++) {
      const origin = this.point("segment_origin_lab_m", frame, s, count);
      const at = (frame * count + s) * 6;
      const x = axes ? [axes[at], axes[at + 1], axes[at + 2]] : [NaN, NaN, NaN];
      const y = axes ? [axes[at + 3], axes[at + 4], axes[at + 5]] : [NaN, NaN, NaN];
      const z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
      [x, y, z].forEach((axis, i) => {
        place(places, 6 * s + 2 * i, origin);
        place(places, 6 * s + 2 * i + 1, /** @type {[number, number, number]} */ (origin.map((value, k) => value + 0.15 * axis[k])));
      });
    }
    touched(this.triads);
  }

  dispose() {
    for (const each of [this.modelMarkers, this.errors, this.markers, this.picked, this.centres, this.skeleton, this.outlines.L, this.outlines.R, this.forces, this.triads, this.plates]) {
      each.geometry.dispose();
      /** @type {import("three").Material} */ (each.material).dispose();
    }
    this.group.removeFromParent();
  }
}

/** @typedef {{from: number, to: number, side: string, segment?: boolean, toe?: boolean, model?: boolean}} Bone */

/** @param {ModelNote} model @returns {Bone[]} */
function bonesOfModel({ bearers, sides }) {
  return bearers.map((from, to) => ({ from, to, side: sides[to], model: true })).filter((bone) => bone.from >= 0);
}

/** @param {ShapeNote} shape */
function bonesOf(shape) {
  /** @type {Bone[]} */
  const bones = [];
  const sided = (/** @type {string[][]} */ pairs) => pairs.flatMap(([a, b]) => a[0] === " " ? [["L", a, b], ["R", a, b]].map(([side]) => [side + a, side + b, side]) : [[a, b, ""]]);
  for (const [a, b, side] of sided(BONES)) {
    const [from, to] = [shape.joints.indexOf(a), shape.joints.indexOf(b)];
    if (from >= 0 && to >= 0) bones.push({ from, to, side: side || (a[1] === " " ? a[0] : "") });
  }
  for (const [a, b, side] of sided(ENDS)) {
    const [from, to] = [shape.joints.indexOf(a), shape.segments.indexOf(b)];
    if (from >= 0 && to >= 0) bones.push({ from, to, side, segment: true });
  }
  for (const side of SIDES) {
    const from = shape.joints.indexOf(`${side} ankle`);
    const count = shape.outline[side];
    // The outline runs around the foot from the heel: its middle is the toe.
    if (from >= 0 && count) bones.push({ from, to: (side === "L" ? 0 : shape.outline.L) + Math.floor(count / 2), side, toe: true });
  }
  return bones.map((bone) => (bone.side && bone.from === shape.joints.indexOf("L hip") && shape.joints[bone.to] === "R hip" ? { ...bone, side: "" } : bone));
}

/** @param {number} count @param {string} colour @param {number} size pixels */
function points(count, colour, size) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * count), 3));
  const made = new THREE.Points(geometry, new THREE.PointsMaterial({ color: colour, size, sizeAttenuation: false }));
  made.frustumCulled = false;
  return made;
}

/** @param {number} corners @param {string} colour */
function lines(corners, colour) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6 * corners), 3));
  const made = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: colour }));
  made.frustumCulled = false;
  return made;
}

/** Three lines a segment: x, y and z in colours that colour-blind eyes tell apart. @param {number} count */
function triads(count) {
  const made = lines(3 * count, "#ffffff");
  const shades = ["#d55e00", "#009e73", "#0072b2"].map((colour) => new THREE.Color(colour));
  const values = Float32Array.from({ length: 18 * count }, (_, i) => shades[Math.floor(i / 6) % 3].toArray()[i % 3]);
  made.geometry.setAttribute("color", new THREE.BufferAttribute(values, 3));
  made.material.vertexColors = true;
  made.visible = false;
  return made;
}

/** @param {ShapeNote["plates"]} plates @param {string} colour */
function plateLines(plates, colour) {
  const made = lines(4 * plates.length, colour);
  const places = made.geometry.getAttribute("position");
  plates.forEach((plate, p) => plate.corners_m.forEach((corner, c) => {
    place(places, 8 * p + 2 * c, /** @type {[number, number, number]} */ (corner));
    place(places, 8 * p + 2 * c + 1, /** @type {[number, number, number]} */ (plate.corners_m[(c + 1) % 4]));
  }));
  return made;
}

/** Four-sided double pyramids, shaded by their edges. @param {number} count @param {string[]} colours */
function solids(count, colours) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(18 * count), 3));
  const shade = [1, 0.75, 1.15, 0.9, 0.65, 1];
  const values = new Float32Array(18 * count);
  const index = [];
  for (let s = 0; s < count; s++) {
    const colour = new THREE.Color(colours[s]);
    shade.forEach((factor, i) => colour.toArray().forEach((value, k) => (values[18 * s + 3 * i + k] = Math.min(1, value * factor))));
    for (let k = 0; k < 4; k++) {
      const [a, b] = [6 * s + 1 + k, 6 * s + 1 + ((k + 1) % 4)];
      index.push(6 * s, a, b, 6 * s + 5, b, a);
    }
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(values, 3));
  geometry.setIndex(index);
  const made = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.DoubleSide }));
  made.frustumCulled = false;
  return made;
}

/** Put a double pyramid between two points. @param {THREE.Mesh} mesh @param {number} number @param {number[]} from @param {number[]} to @param {number} width share of its length @param {number} [belly] where it is widest */
function solid(mesh, number, from, to, width, belly = 0.18) {
  const places = mesh.geometry.getAttribute("position");
  if (![...from, ...to].every(Number.isFinite)) {
    for (let i = 0; i < 6; i++) places.setXYZ(6 * number + i, FAR_AWAY, FAR_AWAY, FAR_AWAY);
    return;
  }
  const [a, b] = [new THREE.Vector3(...from), new THREE.Vector3(...to)];
  const along = b.clone().sub(a);
  const aside = new THREE.Vector3(0, 0, 1);
  if (Math.abs(along.z) > 0.9 * along.length()) aside.set(1, 0, 0);
  const u = along.clone().cross(aside).normalize().multiplyScalar(Math.min(width * along.length(), 0.03));
  const v = along.clone().cross(u).normalize().multiplyScalar(u.length());
  const ring = a.clone().addScaledVector(along, belly);
  const corners = [a, ring.clone().add(u), ring.clone().add(v), ring.clone().sub(u), ring.clone().sub(v), b];
  corners.forEach((corner, i) => places.setXYZ(6 * number + i, corner.x, corner.y, corner.z));
}

/** @param {any} places @param {number} number @param {[number, number, number]} at */
function place(places, number, at) {
  // What is missing lies behind every camera: a card draws nothing there, and asks nothing about it.
  if (at.every(Number.isFinite)) places.setXYZ(number, ...at);
  else places.setXYZ(number, FAR_AWAY, FAR_AWAY, FAR_AWAY);
}

/** @param {import("three").Points} drawn @param {number} count @param {(i: number) => [number, number, number]} at */
function spread(drawn, count, at) {
  const places = drawn.geometry.getAttribute("position");
  for (let i = 0; i < count; i++) place(places, i, at(i));
  touched(drawn);
}

/** @param {{geometry: import("three").BufferGeometry}} drawn */
function touched(drawn) {
  drawn.geometry.getAttribute("position").needsUpdate = true;
}
