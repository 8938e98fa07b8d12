// Curves over time or percent of the cycle, with the norm, the 95 % band, the other session, and numbers under the cursor.
import uPlot from "uplot";
import { element, labelled, named, page, say, shown, sideWord } from "./text.js";
import { POINTS, cycleAt, percentOf } from "./trials.js";

/** Standard deviations that 95 % of a normal distribution lie within. */
const COVERAGE = 1.96;
const SIDES = ["L", "R"];
const PERCENT = Array.from({ length: POINTS }, (_, i) => i);

/** @typedef {{left: string, right: string, norm: string, ink: string, grid: string, other: string, quiet: string}} ChartColours */
/** @typedef {{low: ArrayLike<number>, high: ArrayLike<number>, fill: string}} Band */
/** @typedef {{side: string, values: ArrayLike<number>, read?: boolean, width: number, stroke: string, dash?: number[]}} Line */
/**
 * One chart's content: lines and bands over x, and for each side what the cursor reads.
 * @typedef {{key: string, scale?: number[], title: string, name: string, unit: string, positive: string, negative: string, x: ArrayLike<number>, lines: Line[], bands: Band[],
 *   read: Record<string, ArrayLike<number> | null>, index?: (x: number) => number}} Content
 */

export class Chart {
  /** @param {HTMLElement} host @param {Content} content @param {ChartColours} colours @param {(x: number) => void} onPoint @param {boolean} percent */
  constructor(host, content, colours, onPoint, percent) {
    this.content = content;
    this.percent = percent;
    /** @type {Record<string, HTMLElement>} */
    this.numbers = {};
    const heading = element("h3", {}, content.name ? named(content.title) : content.title, " ", element("small", {}, content.unit));
    const readout = element("p", { class: "readout" });
    for (const side of Object.keys(content.read)) {
      const number = element("output", { class: `value side-${side || "M"}`, "data-key": content.key, "data-side": side });
      this.numbers[side] = number;
      readout.append(element("span", { class: `mark side-${side || "M"}` }, sideWord(side) || (side && say(side))), " ", number, " ");
    }
    const ends = element("p", { class: "ends" }, element("span", {}, content.positive && `↑ ${content.positive}`), element("span", {}, content.negative && `↓ ${content.negative}`));
    const canvas = element("div", { class: "plot", role: "img", "aria-label": `${content.title} ${content.unit}` });
    this.figure = element("figure", { class: "chart" }, heading, readout, canvas, ends);
    host.append(this.figure);
    this.plot = plotted(canvas, content, colours, percent);
    this.lines = (percent ? SIDES : [""]).map((side) => {
      const line = element("div", { class: `cursor side-${side || "M"}` });
      this.plot.over.append(line);
      return { side, line };
    });
    const point = (/** @type {PointerEvent} */ event) => {
      if (event.buttons & 1) onPoint(this.plot.posToVal(event.clientX - this.plot.over.getBoundingClientRect().left, "x"));
    };
    this.plot.over.addEventListener("pointerdown", point);
    this.plot.over.addEventListener("pointermove", point);
  }

  /** Move the cursor and say the numbers under it. @param {(side: string) => {x: number, index: number} | null} at */
  read(at) {
    for (const { side, line } of this.lines) {
      const where = at(side);
      line.hidden = !where;
      if (where) line.style.transform = `translateX(${this.plot.valToPos(where.x, "x")}px)`;
    }
    for (const [side, number] of Object.entries(this.numbers)) {
      const where = at(this.percent ? side : "");
      const values = this.content.read[side];
      const value = where && values ? values[this.content.index ? this.content.index(where.x) : where.index] : NaN;
      number.dataset.value = Number.isFinite(value) ? String(value) : "";
      number.textContent = shown(value, Math.abs(value) < 10 ? 2 : 1);
    }
  }

  dispose() {
    this.plot.destroy();
    this.figure.remove();
  }
}

/** @param {ArrayLike<number>} values @returns {(number | null)[]} */
function gapped(values) {
  return Array.from(values, (value) => (Number.isFinite(value) ? value : null));
}

/** @param {HTMLElement} host @param {Content} content @param {ChartColours} colours @param {boolean} percent */
function plotted(host, content, colours, percent) {
  /** @type {uPlot.Series[]} */
  const series = [{}];
  /** @type {(number | null)[][]} */
  const data = [Array.from(content.x)];
  /** @type {uPlot.Band[]} */
  const bands = [];
  for (const band of content.bands) {
    series.push({ width: 0, points: { show: false } }, { width: 0, points: { show: false } });
    data.push(gapped(band.high), gapped(band.low));
    bands.push({ series: [data.length - 2, data.length - 1], fill: band.fill });
  }
  for (const line of content.lines) {
    series.push({ stroke: line.stroke, width: line.width, dash: line.dash, points: { show: false }, spanGaps: false });
    data.push(gapped(line.values));
  }
  const axis = { stroke: colours.quiet, grid: { stroke: colours.grid, width: 1 }, ticks: { show: false }, font: "10px system-ui, sans-serif" };
  const box = host.getBoundingClientRect();
  return new uPlot(
    {
      width: Math.max(box.width, 120), height: 130, series, bands, legend: { show: false }, cursor: { show: false }, padding: [6, 14, 0, 4],
      scales: { x: { time: false, range: percent ? [0, 100] : undefined }, y: { range: (_, low, high) => {
        const ends = spanned(low, high, content.scale);
        [host.dataset.low, host.dataset.high] = ends.map(String);
        return ends;
      } } },
      axes: [{ ...axis, size: 20, space: 40, gap: 2 }, { ...axis, size: 42, space: 24, gap: 4 }],
    },
    /** @type {uPlot.AlignedData} */ (/** @type {unknown} */ (data)),
    host,
  );
}

/** The report's fixed scale, the same for every subject, wider where a curve would leave it. @param {number | null} low @param {number | null} high @param {number[]} [scale] @returns {[number, number]} */
function spanned(low, high, scale) {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return scale ? [scale[0], scale[1]] : [-1, 1];
  const margin = Math.max(0.06 * (high - low), 1e-3);
  if (!scale) return [low - margin, high + margin];
  return [low < scale[0] ? low - margin : scale[0], high > scale[1] ? high + margin : scale[1]];
}

/** @param {string} hex @param {number} share */
export function faded(hex, share) {
  return `${hex}${Math.round(255 * share).toString(16).padStart(2, "0")}`;
}

/** @param {VariableNote} row */
function keyOf(row) {
  return row.component ? `${row.variable}.${row.component}` : row.variable;
}

/** @param {string} group @param {VariableNote} row */
export function belongs(group, row) {
  const upper = !["pelvis", "hip", "knee", "ankle", "foot", "ground"].includes(row.joint);
  if (group === "upper") return upper && row.quantity === "angle";
  if (upper) return false;
  if (group === "angles") return row.quantity === "angle";
  if (group === "moments") return row.quantity === "moment";
  if (group === "powers") return row.quantity === "power";
  if (group === "forces") return row.quantity === "force";
  return group === "ground" && row.joint === "ground";
}

/** @param {string} group @param {"time" | "percent"} along */
function rowsOf(group, along) {
  return page.variables.filter((row) => row.along === along && belongs(group, row));
}

/** @param {string} side @param {ChartColours} colours */
function strokeOf(side, colours) {
  return side === "L" ? colours.left : side === "R" ? colours.right : colours.ink;
}

/** @param {VariableNote} row @param {TrialNote} trial */
function headed(row, trial) {
  const key = keyOf(row);
  return { key, scale: (trial.kind === "run" ? page.run_scales[key] : undefined) ?? page.scales[key], title: labelled(row.title), name: "", unit: row.unit, positive: labelled(row.positive), negative: labelled(row.negative) };
}

/** Curves at the video rate. @param {LoadedTrial} trial @param {string} group @param {ChartColours} colours @returns {Content[]} */
export function overTime(trial, group, colours) {
  if (group === "emg") return rawSignals(trial, colours);
  return rowsOf(group, "time").flatMap((row) => {
    const found = ["L", "R", ""].map((side) => ({ side, values: trial.frames.get(side + keyOf(row)) })).filter((each) => each.values);
    if (!found.length) return [];
    /** @type {Line[]} */
    const lines = found.map(({ side, values }) => ({ side, values: values ?? [], width: 1.6, stroke: strokeOf(side, colours), dash: page.dashes[side]?.map((d) => 2 * d) }));
    return [{ ...headed(row, trial.note), x: trial.time_s, lines, bands: [], read: Object.fromEntries(found.map(({ side, values }) => [side, values ?? null])) }];
  });
}

/** Raw muscle signals: lowest to highest in every 5 ms. @param {LoadedTrial} trial @param {ChartColours} colours @returns {Content[]} */
function rawSignals(trial, colours) {
  return trial.raw.map((channel) => {
    const x = Float64Array.from(channel.lowest, (_, i) => channel.first_s + i * channel.step_s);
    const stroke = strokeOf(channel.side, colours);
    const title = channel.muscle ? `${labelled(channel.muscle)} (${channel.label})` : channel.label;
    const lines = [channel.lowest, channel.highest].map((values) => ({ side: channel.side, values, width: 0.7, stroke }));
    return {
      key: `raw:${channel.label}`, title, name: channel.label, unit: channel.unit, positive: channel.verdict, negative: "", x, lines,
      bands: [{ low: channel.lowest, high: channel.highest, fill: faded(stroke, 0.5) }],
      read: { lowest: channel.lowest, highest: channel.highest },
      index: (/** @type {number} */ time_s) => Math.floor((time_s - channel.first_s) / channel.step_s + 1e-6),
    };
  });
}

/**
 * @typedef {{trial: LoadedTrial, time_s: number, norm: Map<string, {mean: Float32Array, sd: Float32Array}>, colours: ChartColours,
 *   uses: (cycle: CycleNote) => boolean, means: (side: string, key: string) => Float32Array | null,
 *   others: (side: string, key: string) => Float32Array | null}} CycleScene
 */

/** Curves of cycles. @param {CycleScene} scene @param {string} group @returns {Content[]} */
export function overCycle(scene, group) {
  if (group === "emg") return envelopes(scene);
  return rowsOf(group, "percent").flatMap((row) => {
    const mine = scene.trial.curves.filter((curve) => curve.variable === row.variable && curve.component === row.component);
    return mine.length ? [cycleContent(scene, row, mine)] : [];
  });
}

/** @param {CycleScene} scene @param {VariableNote} row @param {Curve[]} curves @returns {Content} */
function cycleContent(scene, row, curves) {
  const { colours } = scene;
  const key = `${row.variable}.${row.component}`;
  /** @type {Line[]} */
  const lines = [];
  /** @type {Band[]} */
  const bands = [];
  /** @type {Record<string, ArrayLike<number> | null>} */
  const read = {};
  const band = scene.norm.get(key);
  if (band) bands.push({ low: band.mean.map((m, i) => m - band.sd[i]), high: band.mean.map((m, i) => m + band.sd[i]), fill: faded(colours.norm, 0.45) });
  for (const side of SIDES) {
    const stroke = strokeOf(side, colours);
    const dash = page.dashes[side]?.map((d) => 2 * d);
    const now = cycleAt(scene.trial.note, side, scene.time_s);
    for (const curve of curves.filter((each) => each.side === side)) {
      const note = scene.trial.note.cycles.find((cycle) => cycle.side === side && cycle.cycle === curve.cycle);
      const left_out = note && !scene.uses(note);
      if (curve.cycle === now?.cycle) {
        read[side] = curve.values;
        lines.push({ side, values: curve.values, width: 2, stroke, dash });
        const { sd, values } = curve;
        if (sd) bands.push({ low: values.map((v, i) => v - COVERAGE * sd[i]), high: values.map((v, i) => v + COVERAGE * sd[i]), fill: faded(stroke, 0.18) });
      } else lines.push({ side, values: curve.values, width: 0.8, stroke: faded(stroke, left_out ? 0.35 : 0.8), dash: left_out ? [2, 4] : dash });
    }
    read[side] ??= null;
    const mean = scene.means(side, key);
    if (mean) lines.push({ side, values: mean, width: 1.2, stroke: colours.ink, dash: side === "L" ? [] : [6, 3] });
    const other = scene.others(side, key);
    if (other) lines.push({ side, values: other, width: 1.6, stroke: colours.other, dash: side === "L" ? [] : [6, 3] });
  }
  return { ...headed(row, scene.trial.note), x: PERCENT, lines, bands, read };
}

/** @param {CycleScene} scene @returns {Content[]} */
function envelopes(scene) {
  const labels = [...new Set(scene.trial.emg.map((each) => each.label))];
  return labels.map((label) => {
    const mine = scene.trial.emg.filter((each) => each.label === label);
    const { side, muscle, unit, verdict } = mine[0];
    const stroke = strokeOf(side, scene.colours);
    const now = cycleAt(scene.trial.note, side, scene.time_s)?.cycle;
    const current = mine.find((each) => each.cycle === now);
    const lines = mine.map((each) => ({ side, values: each.values, width: each === current ? 2 : 0.8, stroke: each === current ? stroke : faded(stroke, 0.7) }));
    return {
      key: `emg:${label}`, title: muscle ? `${labelled(muscle)} (${label})` : label, name: label, unit, positive: verdict, negative: "", x: PERCENT, lines, bands: [],
      read: { [side]: current?.values ?? null },
    };
  });
}

/** Where a cursor stands in percent of each side's cycle. @param {TrialNote} trial @param {number} time_s @param {string} side */
export function percentPlace(trial, time_s, side) {
  const cycle = cycleAt(trial, side, time_s);
  if (!cycle) return null;
  const percent = percentOf(cycle, time_s);
  return { x: percent, index: Math.max(0, Math.min(POINTS - 1, Math.round(percent))) };
}

/** What nobody sees in a curve of this group. @param {string} group */
export function emptyWords(group) {
  return say(`empty_${group}`);
}
