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
