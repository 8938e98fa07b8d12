// Trials with their arrays, unpacked when they are wanted first.
import { unpacked } from "./unpack.js";

export const POINTS = 101;
/** @type {Map<TrialNote, Promise<LoadedTrial>>} */
const loaded = new Map();

/** @param {TrialNote} note @returns {Promise<LoadedTrial>} */
export function loadTrial(note) {
  const known = loaded.get(note) ?? unpacked(note.block, note.arrays).then((arrays) => assembled(note, arrays));
  loaded.set(note, known);
  return known;
}

/** @param {TrialNote} note @param {Map<string, Float32Array>} arrays @returns {LoadedTrial} */
function assembled(note, arrays) {
  const n = note.n_frames;
  /** @param {string} name @param {number} number @param {number} length */
  const row = (name, number, length) => (arrays.get(name) ?? new Float32Array()).subarray(number * length, (number + 1) * length);
  return {
    note,
    n,
    arrays,
    errors: markerErrors(note, arrays),
    time_s: Float64Array.from({ length: n }, (_, i) => (note.first_frame - 1 + i) / note.rate_hz),
    frames: new Map(note.columns.map((name, i) => [name, row("frames", i, n)])),
    curves: note.curves.map(([side, cycle, variable, component, error], i) => ({
      side, cycle, variable, component, values: row("cycles", i, POINTS), sd: error < 0 ? null : row("errors", error, POINTS),
    })),
    emg: note.emg.map((each, i) => ({ ...each, values: row("emg", i, POINTS) })),
    raw: note.raw.map((each, i) => {
      const both = arrays.get(`raw${i}`) ?? new Float32Array();
      return { ...each, lowest: both.subarray(0, both.length / 2), highest: both.subarray(both.length / 2) };
    }),
  };
}

/** Root mean square of what is there. @param {number[]} values */
export function rms(values) {
  const seen = values.filter(Number.isFinite);
  return seen.length ? Math.sqrt(seen.reduce((sum, value) => sum + value * value, 0) / seen.length) : NaN;
}

/** @param {TrialNote} note @param {Map<string, Float32Array>} arrays @returns {MarkerErrors | null} */
function markerErrors(note, arrays) {
  const [own, measured] = [arrays.get("model_marker_lab_m"), arrays.get("marker_lab_m")];
  if (!note.shape?.model || !own || !measured) return null;
  const { markers, model } = note.shape;
  const frames = { length: note.n_frames };
  const off_mm = model.markers.map((marker, k) => Float32Array.from(frames, (_, frame) => {
    const [at, from] = [3 * (frame * model.markers.length + k), 3 * (frame * markers.length + marker)];
    return 1000 * Math.hypot(own[at] - measured[from], own[at + 1] - measured[from + 1], own[at + 2] - measured[from + 2]);
  }));
  const farthest = Int16Array.from(frames, (_, frame) => {
    let far = -1;
    off_mm.forEach((off, k) => {
      if (off[frame] > (off_mm[far]?.[frame] ?? -1)) far = k;
    });
    return far;
  });
  return { labels: model.markers.map((marker) => markers[marker]), off_mm, rms_mm: Float32Array.from(frames, (_, frame) => rms(off_mm.map((off) => off[frame]))), farthest };
}

/** @param {NormNote | null} note @returns {Promise<Map<string, {mean: Float32Array, sd: Float32Array}>>} */
export async function loadNorm(note) {
  if (!note) return new Map();
  const values = (await unpacked(note.block, note.arrays)).get("norm") ?? new Float32Array();
  const k = note.curves.length;
  /** @param {number} i */
  const row = (i) => values.subarray(i * POINTS, (i + 1) * POINTS);
  return new Map(note.curves.map(([variable, component], i) => [`${variable}.${component}`, { mean: row(i), sd: row(k + i) }]));
}

/** The cycle of a side that a time lies in; whole ones before those of stance only. @param {TrialNote} trial @param {string} side @param {number} time_s */
export function cycleAt(trial, side, time_s) {
  const around = trial.cycles.filter((cycle) => cycle.side === side && cycle.start_s <= time_s && time_s < cycle.end_s);
  return around.find((cycle) => cycle.kinetics_valid !== "stance_only") ?? around[0] ?? null;
}

/** @param {CycleNote} cycle @param {number} time_s */
export function percentOf(cycle, time_s) {
  return (100 * (time_s - cycle.start_s)) / (cycle.end_s - cycle.start_s);
}
