// Curves over time or percent of the cycle, with the norm, the 95 % band, the other session, and numbers under the cursor.
import uPlot from "uplot";
import { element, labelled, named, page, say, shown, sideWord } from "./text.js";
import { POINTS, cycleAt, percentOf, rms } from "./trials.js";

/** Standard deviations that 95 % of a normal distribution lie within. */
const COVERAGE = 1.96;
const SIDES = ["L", "R"];
const PERCENT = Array.from({ length: POINTS }, (_, i) => i);
/** @type {ArrayLike<number>} */
const NOTHING = new Float32Array(POINTS).fill(NaN);
/** Curves that follow no stride. */
const STILL = { quiet: { lines: [], bands: [] }, reach: [] };

/** @typedef {{left: string, right: string, norm: string, ink: string, grid: string, other: string, quiet: string}} ChartColours */
/** @typedef {{low: ArrayLike<number>, high: ArrayLike<number>, fill: string}} Band */
/** @typedef {{values: ArrayLike<number>, width: number, stroke: string, dash?: number[]}} Line */
/**
 * One chart's content: lines and bands over x, and for each side what the cursor reads. Quiet ones stay as they are in every stride;
 * where the others follow the cursor, `follow` fills them for a time and answers whether they are of another stride than before.
 * @typedef {{key: string, scale?: number[], title: string, unit: string, positive: string, negative: string, x: ArrayLike<number>, lines: Line[], bands: Band[],
 *   quiet: {lines: Line[], bands: Band[]}, reach: ArrayLike<number>[], read: Record<string, ArrayLike<number> | null>, index?: (x: number) => number, on?: [number, number][], usual?: [number, number][], follow?: (time_s: number) => boolean}} Content
 */

export class Chart {
  /** @param {HTMLElement} host @param {Content} content @param {ChartColours} colours @param {(x: number) => void} onPoint @param {boolean} percent */
  constructor(host, content, colours, onPoint, percent) {
    this.content = content;
    this.percent = percent;
    /** @type {Record<string, HTMLElement>} */
    this.numbers = {};
    const ends = [content.positive && `↑ ${content.positive}`, content.negative && `↓ ${content.negative}`];
    const heading = element("h3", { title: [content.title, content.unit, ...ends].join(" ") }, named(content.title), " ", element("small", {}, content.unit));
    const readout = element("p", { class: "readout" });
    for (const side of Object.keys(content.read)) {
      const number = element("output", { class: `value side-${side || "M"}`, "data-key": content.key, "data-side": side });
      this.numbers[side] = number;
      readout.append(element("span", { class: `mark side-${side || "M"}` }, sideWord(side) || (side && say(side))), " ", number, " ");
    }
    const canvas = element("div", { class: "plot", role: "img", "aria-label": `${content.title} ${content.unit}` });
    this.figure = element("figure", { class: "chart" }, heading, readout, canvas, element("p", { class: "ends" }, ...ends.map((each) => element("span", {}, each))));
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

  /** Curves of the stride at a time: only where it is another one is anything drawn. @param {number} time_s */
  follow(time_s) {
    if (!this.content.follow?.(time_s)) return;
    this.plot.setData(aligned(this.content), false);
    this.plot.redraw();
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

  /** Show the stretch of time that the time line shows; answers whether it is another one. @param {[number, number]} seen_s */
  zoom([min, max]) {
    const { x } = this.plot.scales;
    if (x.min === min && x.max === max) return false;
    this.plot.setScale("x", { min, max });
    return true;
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

/** x, then both edges of each band, then each line. @param {Content} content @returns {uPlot.AlignedData} */
function aligned(content) {
  const rows = [...content.bands.flatMap((band) => [band.high, band.low]), ...content.lines.map((line) => line.values)];
  return /** @type {uPlot.AlignedData} */ (/** @type {unknown} */ ([Array.from(content.x), ...rows.map(gapped)]));
}

/** @param {HTMLElement} host @param {Content} content @param {ChartColours} colours @param {boolean} percent */
function plotted(host, content, colours, percent) {
  const edge = { width: 0, points: { show: false } };
  /** @type {uPlot.Series[]} */
  const series = [{}, ...content.bands.flatMap(() => [edge, { ...edge }]), ...content.lines.map(({ stroke, width, dash }) => ({ stroke, width, dash, points: { show: false }, spanGaps: false }))];
  const bands = content.bands.map(({ fill }, i) => ({ series: /** @type {[number, number]} */ ([2 * i + 1, 2 * i + 2]), fill }));
  const axis = { stroke: colours.quiet, grid: { stroke: colours.grid, width: 1 }, ticks: { show: false }, font: "10px system-ui, sans-serif" };
  const box = host.getBoundingClientRect();
  const ends = spanned(content);
  [host.dataset.low, host.dataset.high] = ends.map(String);
  return new uPlot(
    {
      width: Math.max(box.width, 120), height: Math.max(box.height, 50), series, bands, legend: { show: false }, cursor: { show: false }, padding: [6, 14, 0, 4],
      scales: { x: { time: false, range: percent ? [0, 100] : undefined }, y: { range: ends } },
      axes: [{ ...axis, size: 20, space: 40, gap: 2 }, { ...axis, size: 42, space: 18, gap: 4 }],
      hooks: { drawAxes: [timing(content, colours), laidUnder(content)] },
    },
    aligned(content),
    host,
  );
}

/** What shades when a muscle is usually on, and draws a bar at the bottom where it is on. @param {Content} content @param {ChartColours} colours @returns {(plot: uPlot) => void} */
function timing(content, colours) {
  return (plot) => {
    const { left, top, width, height } = plot.bbox;
    const filled = (/** @type {[number, number][]} */ spans, /** @type {string} */ fill, /** @type {number} */ high) => {
      plot.ctx.fillStyle = fill;
      for (const span of spans) {
        const [from, to] = span.map((x) => Math.max(left, Math.min(left + width, plot.valToPos(x, "x", true))));
        plot.ctx.fillRect(from, top + height - high, to - from, high);
      }
    };
    filled(content.usual ?? [], faded(colours.norm, 0.35), height);
    filled(content.on ?? [], colours.ink, 4 * devicePixelRatio);
  };
}

/** What lays the quiet curves under the others: one picture, drawn once for a size. @param {Content} content @returns {(plot: uPlot) => void} */
function laidUnder({ quiet, x }) {
  const picture = document.createElement("canvas");
  let size = "";
  return (plot) => {
    const { left, top, width, height } = plot.bbox;
    if (!quiet.lines.length && !quiet.bands.length) return;
    if (size !== `${width} ${height}`) {
      size = `${width} ${height}`;
      Object.assign(picture, { width, height });
      drawQuiet(/** @type {CanvasRenderingContext2D} */ (picture.getContext("2d")), quiet, (i) => plot.valToPos(x[i], "x", true) - left, (value) => plot.valToPos(value, "y", true) - top);
    }
    plot.ctx.drawImage(picture, left, top);
  };
}

/** @param {CanvasRenderingContext2D} to @param {{lines: Line[], bands: Band[]}} quiet @param {(i: number) => number} across @param {(value: number) => number} down */
function drawQuiet(to, { lines, bands }, across, down) {
  const path = (/** @type {ArrayLike<number>} */ values) => {
    let open = false;
    for (let i = 0; i < values.length; i++) {
      if (!Number.isFinite(values[i])) open = false;
      else if (open) to.lineTo(across(i), down(values[i]));
      else to.moveTo(across(i), down(values[i]));
      open = Number.isFinite(values[i]);
    }
  };
  for (const { low, high, fill } of bands) {
    to.beginPath();
    Array.from(high, (value, i) => to.lineTo(across(i), down(value)));
    for (let i = low.length - 1; i >= 0; i--) to.lineTo(across(i), down(low[i]));
    to.fillStyle = fill;
    to.fill();
  }
  to.lineJoin = "round";
  for (const { values, stroke, width, dash } of lines) {
    to.beginPath();
    path(values);
    Object.assign(to, { strokeStyle: stroke, lineWidth: width * devicePixelRatio });
    to.setLineDash(dash ?? []);
    to.stroke();
  }
}

/** The report's fixed scale, the same for every subject and stride, wider where any curve would leave it. @param {Content} content @returns {[number, number]} */
function spanned({ lines, bands, quiet, reach, scale }) {
  let [low, high] = [Infinity, -Infinity];
  for (const values of [...[...lines, ...quiet.lines].map((line) => line.values), ...[...bands, ...quiet.bands].flatMap((band) => [band.low, band.high]), ...reach]) {
    for (let i = 0; i < values.length; i++) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
  }
  if (low > high) return scale ? [scale[0], scale[1]] : [-1, 1];
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

/** @param {string} side */
function dashOf(side) {
  return page.dashes[side]?.map((each) => 2 * each);
}

/** @param {VariableNote} row @param {TrialNote} trial */
function headed(row, trial) {
  const key = keyOf(row);
  return { key, scale: (trial.kind === "run" ? page.run_scales[key] : undefined) ?? page.scales[key], title: labelled(row.title), unit: row.unit, positive: labelled(row.positive), negative: labelled(row.negative) };
}

/** Curves at the video rate. @param {LoadedTrial} trial @param {string} group @param {ChartColours} colours @returns {Content[]} */
export function overTime(trial, group, colours) {
  if (group === "emg") return rawSignals(trial, colours);
  if (group === "markers") return markerErrors(trial, colours);
  return rowsOf(group, "time").flatMap((row) => {
    const found = ["L", "R", ""].map((side) => ({ side, values: trial.frames.get(side + keyOf(row)) })).filter((each) => each.values);
    if (!found.length) return [];
    /** @type {Line[]} */
    const lines = found.map(({ side, values }) => ({ values: values ?? [], width: 1.6, stroke: strokeOf(side, colours), dash: dashOf(side) }));
    return [{ ...headed(row, trial.note), x: trial.time_s, lines, bands: [], ...STILL, read: Object.fromEntries(found.map(({ side, values }) => [side, values ?? null])) }];
  });
}

/** How far a model's markers are from the measured ones, on one scale: all together, then each, those first that are farthest off. @param {LoadedTrial} trial @param {ChartColours} colours @returns {Content[]} */
function markerErrors({ errors, time_s }, colours) {
  if (!errors) return [];
  const { off_mm, labels, rms_mm, farthest } = errors;
  const largest = Float32Array.from(farthest, (k, frame) => off_mm[k]?.[frame] ?? NaN);
  const scale = [0, 1.05 * largest.reduce((most, value) => (value > most ? value : most), 1)];
  const chart = (/** @type {string} */ key, /** @type {string} */ title, /** @type {Record<string, Float32Array>} */ read, /** @type {Line[]} */ lines) =>
    ({ key, scale, title, unit: "mm", positive: "", negative: "", x: time_s, lines, bands: [], ...STILL, read });
  const line = (/** @type {Float32Array} */ values, /** @type {string} */ stroke) => ({ values, width: 1.6, stroke });
  const whole = off_mm.map((off) => rms([...off]));
  const rank = (/** @type {number} */ k) => (Number.isFinite(whole[k]) ? whole[k] : -1);
  const order = labels.map((_, k) => k).sort((a, b) => rank(b) - rank(a));
  return [chart("markers", say("all_markers"), { rms: rms_mm, largest }, [line(largest, colours.quiet), line(rms_mm, colours.ink)]),
    ...order.map((k) => chart(`marker:${labels[k]}`, labels[k], { "": off_mm[k] }, [line(off_mm[k], colours.ink)]))];
}

/** Raw muscle signals: lowest to highest in every 5 ms. @param {LoadedTrial} trial @param {ChartColours} colours @returns {Content[]} */
function rawSignals(trial, colours) {
  return trial.raw.map((channel) => {
    const x = Float64Array.from(channel.lowest, (_, i) => channel.first_s + i * channel.step_s);
    const stroke = strokeOf(channel.side, colours);
    const title = channel.muscle ? `${labelled(channel.muscle)} (${channel.label})` : channel.label;
    const lines = [channel.lowest, channel.highest].map((values) => ({ values, width: 0.7, stroke }));
    return {
      key: `raw:${channel.label}`, title, unit: `${channel.unit} · ${judged(channel.verdict)}`, positive: "", negative: "", x, lines, on: channel.on, usual: channel.usual,
      bands: [{ low: channel.lowest, high: channel.highest, fill: faded(stroke, 0.5) }], ...STILL,
      read: { lowest: channel.lowest, highest: channel.highest },
      index: (/** @type {number} */ time_s) => Math.floor((time_s - channel.first_s) / channel.step_s + 1e-6),
    };
  });
}

/**
 * @typedef {{trial: LoadedTrial, norm: Map<string, {mean: Float32Array, sd: Float32Array}>, colours: ChartColours,
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
  const { colours, trial } = scene;
  const key = `${row.variable}.${row.component}`;
  /** @type {Line[]} */
  const means = [];
  /** @type {Content["quiet"]} */
  const quiet = { lines: [], bands: [] };
  const band = scene.norm.get(key);
  if (band) quiet.bands.push({ low: band.mean.map((m, i) => m - band.sd[i]), high: band.mean.map((m, i) => m + band.sd[i]), fill: faded(colours.norm, 0.45) });
  /** @type {Map<Curve, Band>} */
  const errors = new Map();
  for (const curve of curves) {
    const { side, sd, values } = curve;
    const stroke = strokeOf(side, colours);
    const note = trial.note.cycles.find((cycle) => cycle.side === side && cycle.cycle === curve.cycle);
    const left_out = note && !scene.uses(note);
    quiet.lines.push({ values, width: 0.8, stroke: faded(stroke, left_out ? 0.35 : 0.8), dash: left_out ? [2, 4] : dashOf(side) });
    if (sd) errors.set(curve, { low: values.map((v, i) => v - COVERAGE * sd[i]), high: values.map((v, i) => v + COVERAGE * sd[i]), fill: faded(stroke, 0.18) });
  }
  for (const side of SIDES) {
    const mean = scene.means(side, key);
    if (mean) means.push({ values: mean, width: 1.2, stroke: colours.ink, dash: side === "L" ? [] : [6, 3] });
    const other = scene.others(side, key);
    if (other) means.push({ values: other, width: 1.6, stroke: colours.other, dash: side === "L" ? [] : [6, 3] });
  }
  return { ...headed(row, trial.note), quiet, reach: [...errors.values()].flatMap(({ low, high }) => [low, high]), ...following(trial, curves, SIDES, colours, means, (curve) => errors.get(curve)) };
}

/**
 * Lines, with their bands, of the strides under the cursor, and means over them; filled when they are wanted first.
 * @template {{side: string, cycle: number, values: Float32Array}} Of
 * @param {LoadedTrial} trial @param {Of[]} curves @param {string[]} sides @param {ChartColours} colours @param {Line[]} means @param {(curve: Of) => Band | undefined} errorOf
 */
function following(trial, curves, sides, colours, means, errorOf) {
  const loud = sides.map((side) => ({ values: NOTHING, width: 2, stroke: strokeOf(side, colours), dash: dashOf(side) }));
  const bands = sides.map((side) => ({ low: NOTHING, high: NOTHING, fill: faded(strokeOf(side, colours), 0.18) }));
  /** @type {Record<string, ArrayLike<number> | null>} */
  const read = Object.fromEntries(sides.map((side) => [side, null]));
  let before = "";
  const follow = (/** @type {number} */ time_s) => {
    const now = sides.map((side) => cycleAt(trial.note, side, time_s)?.cycle);
    if (before === now.join()) return false;
    before = now.join();
    sides.forEach((side, i) => {
      const curve = curves.find((each) => each.side === side && each.cycle === now[i]);
      read[side] = curve?.values ?? null;
      loud[i].values = curve?.values ?? NOTHING;
      Object.assign(bands[i], { low: NOTHING, high: NOTHING }, curve && errorOf(curve));
    });
    return true;
  };
  return { x: PERCENT, lines: [...loud, ...means], bands, read, follow };
}

/** What a channel holds, in words. @param {string} verdict */
function judged(verdict) {
  return verdict && labelled(`emg.verdict_${verdict}`);
}

/** @param {CycleScene} scene @returns {Content[]} */
function envelopes({ trial, colours }) {
  const labels = [...new Set(trial.emg.map((each) => each.label))];
  return labels.map((label) => {
    const mine = trial.emg.filter((each) => each.label === label);
    const { side, muscle, unit, verdict } = mine[0];
    const lines = mine.map(({ values }) => ({ values, width: 0.8, stroke: faded(strokeOf(side, colours), 0.7), dash: dashOf(side) }));
    const raw = trial.raw.find((each) => each.label === label);
    const { follow, ...strides } = following(trial, mine, [side], colours, [], () => undefined);
    /** @type {Content} */
    const content = {
      key: `emg:${label}`, title: muscle ? `${labelled(muscle)} (${label})` : label, unit: `${unit} · ${judged(verdict)}`, positive: "", negative: "",
      quiet: { lines, bands: [] }, reach: [], ...strides,
      follow: (time_s) => {
        const cycle = cycleAt(trial.note, side, time_s);
        const within = (/** @type {[number, number][]} */ spans) => spans.map(([from, to]) => /** @type {[number, number]} */ (cycle ? [percentOf(cycle, from), percentOf(cycle, to)] : [0, 0])).filter(([from, to]) => to > 0 && from < 100);
        Object.assign(content, raw && { on: within(raw.on), usual: within(raw.usual) });
        return follow(time_s);
      },
    };
    return content;
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
