// The page put together: what is shown, where the cursor stands, and what a key does.
import { Chart, emptyWords, overCycle, overTime, percentPlace } from "./charts.js";
import { Decisions } from "./decisions.js";
import { Film } from "./film.js";
import { commentPanel, cyclesPanel, decidedPanel, eventsPanel, findingsPanel, helpPanel, saidPanel, stancesPanel } from "./panels.js";
import { port } from "./port.js";
import { element, named, page, say, shown, sideWord, speech } from "./text.js";
import { Timeline } from "./timeline.js";
import { POINTS, cycleAt, loadNorm, loadTrial, percentOf } from "./trials.js";
import { View } from "./view.js";

const GROUPS = ["angles", "moments", "powers", "ground", "emg", "forces", "upper"];
const TABS = ["findings", "said", "cycles", "stances", "events", "decided", "comment", "help"];
const CAMERAS = /** @type {const} */ (["oblique", "side", "front", "top"]);
const ASIDE_M = 0.9;
const SPEEDS = [1, 0.5, 0.25, 0.125];
const LIGHT = { ink: "#1b1b1b", quiet: "#5c5c5c", grid: "#e4e4e4", paper: "#ffffff", floor: "#d8d8d8", force: "#7a5200", bone: "#777777", model: "#c2187a" };
const DARK = { ink: "#f0f0f0", quiet: "#b4b4b4", grid: "#3a3d42", paper: "#16181b", floor: "#34383d", force: "#f0c060", bone: "#a8a8a8", model: "#ff7ac4" };

const state = {
  session: 0, trial: 0, frame: 0, group: "angles", tab: "findings", percent: true, side: "L", beside: "", overlay: false, playing: false, speed: 1, loop: false, zoom: 1,
  dark: matchMedia("(prefers-color-scheme: dark)").matches, camera: /** @type {import("./view.js").Camera} */ ("oblique"), axes: false, model: true, marker: -1,
};
const decided = page.sessions.map((session) => new Decisions(session));
/** @type {LoadedTrial | null} */
let trial = null;
/** @type {LoadedTrial | null} */
let other = null;
/** @type {Map<string, {mean: Float32Array, sd: Float32Array}>} */
let norm = new Map();
/** @type {Map<TrialNote, LoadedTrial>} */
const ready = new Map();
/** @type {Chart[]} */
let charts = [];
let chartsShow = "";
let version = 0;
let pending = false;
/** First and last frame that are played. @type {[number, number]} */
let range = [0, 0];
const stage = element("div", { class: "stage" });
const root = element("main", { class: "page" });
document.body.prepend(root);
const view = new View(stage);
const film = new Film({ trial: () => trial, trials: () => session().trials.map((note) => note.name), session: () => state.session, now: () => now_s(), goto, pause: () => state.playing && togglePlay() });
/** @type {Timeline} */
let timeline;
/** @type {Record<string, HTMLElement>} */
let parts = {};

const session = () => page.sessions[state.session];
const decisions = () => decided[state.session];
const now_s = () => trial?.time_s[state.frame] ?? 0;

function colours() {
  const base = state.dark ? DARK : LIGHT;
  const lighter = (/** @type {string} */ hex) => (state.dark ? mixed(hex, 0.45) : hex);
  return { ...base, left: lighter(page.colours.left), right: lighter(page.colours.right), norm: page.colours.norm, other: lighter(page.colours.session_b) };
}

/** @param {string} hex @param {number} share of white */
function mixed(hex, share) {
  const parts_ = [1, 3, 5].map((at) => Math.round(parseInt(hex.slice(at, at + 2), 16) * (1 - share) + 255 * share));
  return `#${parts_.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** @param {string} label @param {[string, string][]} options @param {string} chosen @param {(value: string) => void} done @param {string} id */
function choice(label, options, chosen, done, id) {
  const made = element("select", { id, onchange: (/** @type {Event} */ event) => done(/** @type {HTMLSelectElement} */ (event.target).value) },
    ...options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
  return element("label", {}, `${label} `, made);
}

/** @param {string} label @param {boolean} checked @param {(checked: boolean) => void} done @param {string} id */
function tick(label, checked, done, id) {
  return element("label", {}, element("input", { type: "checkbox", id, checked, onchange: (/** @type {Event} */ event) => done(/** @type {HTMLInputElement} */ (event.target).checked) }), ` ${label}`);
}

/** Everything in the language chosen. */
function build() {
  document.documentElement.lang = speech.language;
  document.documentElement.dataset.theme = state.dark ? "dark" : "light";
  const own = colours();
  for (const name of /** @type {const} */ (["left", "right", "norm", "other", "model"])) document.documentElement.style.setProperty(`--${name}`, own[name]);
  parts = {
    curves: element("div", { class: "charts", id: "charts" }), panels: element("div", { class: "panels" }), tabs: tabBar(), live: element("p", { class: "live", role: "status", "aria-live": "polite", id: "live" }),
    clock: element("output", { class: "clock", id: "clock" }), strip: element("div", { class: "timeline" }),
  };
  const slider = element("input", { type: "range", id: "scrub", min: "0", max: String(Math.max((trial?.n ?? 1) - 1, 0)), value: String(state.frame), "aria-label": say("time"), oninput: (/** @type {Event} */ event) => showFrame(Number(/** @type {HTMLInputElement} */ (event.target).value)) });
  parts.slider = slider;
  parts.play = element("button", { id: "play", onclick: togglePlay }, say(state.playing ? "pause" : "play"));
  const left = element("div", { class: "left" }, element("div", { class: "views" }, stage, film.host), film.controls, cameraBar(), element("div", { class: "transport" },
    element("button", { "aria-label": say("frame_back"), onclick: () => showFrame(state.frame - 1) }, "◀"), parts.play,
    element("button", { "aria-label": say("frame_on"), onclick: () => showFrame(state.frame + 1) }, "▶"), slider, ...playChoices(), parts.clock), parts.strip, parts.live);
  const right = element("div", { class: "right" }, curveBar(), parts.curves, element("p", { class: "legend" }, say("legend_emg")));
  root.replaceChildren(header(), element("div", { class: "columns" }, left, right), parts.tabs, parts.panels);
  timeline = new Timeline(parts.strip, goto, zoomBy);
  stage.setAttribute("aria-label", say("replay"));
  if (view.renderer) view.renderer.domElement.setAttribute("aria-label", say("replay"));
  stage.querySelector(".notice.no-replay")?.remove();
  if (trial && !trial.note.shape) stage.append(element("p", { class: "notice no-replay" }, say(musclesAlone() ? "muscles_alone" : "no_replay")));
  film.opened();
  fill();
}

function playChoices() {
  return [choice(say("speed"), SPEEDS.map((each) => [String(each), each === 1 ? "1" : `1/${1 / each}`]), String(state.speed), (value) => {
    state.speed = Number(value);
    film.halt();
  }, "speed"), tick(say("loop"), state.loop, (checked) => {
    state.loop = checked;
    range = played();
  }, "loop")];
}

function header() {
  const about = session();
  const { code, session_date } = about.subject;
  const title = element("h1", {}, named(code ?? about.folder), " ", element("small", {}, [session_date, say(`verdict_${about.verdict}`), ...(musclesAlone() ? [] : [about.model, about.kinetics])].filter(Boolean).join(" · ")));
  const bar = element("nav", { class: "bar", "aria-label": say("session") });
  if (page.sessions.length > 1) bar.append(choice(say("session"), page.sessions.map((each, i) => [String(i), each.subject.code ? `${each.subject.code} (${each.folder})` : each.folder]), String(state.session), (value) => {
    Object.assign(state, { session: Number(value), trial: 0, frame: 0, beside: "" });
    open();
  }, "session"));
  bar.append(
    choice(say("trial"), about.trials.map((each, i) => [String(i), `${each.name}${each.condition ? ` (${each.condition})` : ""} – ${say(`verdict_${each.verdict}`)}`]), String(state.trial), (value) => {
      Object.assign(state, { trial: Number(value), frame: 0 });
      open();
    }, "trial"),
    choice(say("beside"), [["", "–"], ...others()], state.beside, (value) => {
      state.beside = value;
      open();
    }, "beside"),
    tick(say("overlay"), state.overlay, (checked) => {
      state.overlay = checked;
      stageAll();
    }, "overlay"),
    choice(say("language"), Object.entries(page.words).map(([each, words]) => [each, words.name]), speech.language, (value) => {
      speech.language = /** @type {Language} */ (value);
      build();
    }, "language"),
    element("button", { id: "theme", onclick: () => {
      state.dark = !state.dark;
      build();
      stageAll();
    } }, say(state.dark ? "light" : "dark")),
  );
  return element("header", {}, page.laboratory ? element("p", { class: "quiet" }, named(page.laboratory)) : null, title, bar);
}

/** Trials that may stand beside the one shown. @returns {[string, string][]} */
function others() {
  return page.sessions.flatMap((each, s) => each.trials.map((one, t) => /** @type {[string, string]} */ ([`${s}:${t}`, page.sessions.length > 1 ? `${each.folder}: ${one.name}` : one.name])))
    .filter(([value]) => value !== `${state.session}:${state.trial}`);
}

function cameraBar() {
  const bar = element("div", { class: "bar" });
  for (const camera of CAMERAS) bar.append(element("button", { id: `camera-${camera}`, onclick: () => {
    state.camera = camera;
    view.look(camera, state.frame);
  } }, say(`camera_${camera}`)));
  bar.append(tick(say("follow"), view.follow, (checked) => {
    view.follow = checked;
  }, "follow"), tick(say("axes"), state.axes, (checked) => {
    state.axes = checked;
    view.showAxes(checked);
  }, "axes"));
  if (trial?.errors) bar.append(element("span", { class: "of-model" }, tick(say("model"), state.model, (checked) => {
    state.model = checked;
    view.showModel(checked);
  }, "model")));
  const markers = trial?.note.shape?.markers ?? [];
  bar.append(choice(say("marker"), [["-1", "–"], ...markers.map((name, i) => /** @type {[string, string]} */ ([String(i), name]))], String(state.marker), (value) => {
    state.marker = Number(value);
    view.pick(state.marker);
    schedule();
  }, "marker"), element("output", { id: "marker-place" }), trial?.errors ? element("output", { id: "marker-error" }) : "");
  return bar;
}

function curveBar() {
  const bar = element("div", { class: "bar", role: "tablist", "aria-label": say("curves") });
  for (const group of groups()) bar.append(element("button", { role: "tab", id: `group-${group}`, "aria-selected": String(group === state.group), onclick: () => showGroup(group) }, say(`group_${group}`)));
  bar.append(
    choice(say("along"), [["percent", say("percent")], ["time", say("seconds")]], state.percent ? "percent" : "time", (value) => {
      state.percent = value === "percent";
      schedule();
    }, "along"),
    choice(say("reference"), [["L", sideWord("L")], ["R", sideWord("R")]], state.side, (value) => {
      state.side = value;
      range = played();
      schedule();
    }, "reference"),
  );
  return bar;
}

/** Marker errors are those of a model. */
const groups = () => (trial?.errors ? [...GROUPS, "markers"] : GROUPS);
/** Whether curves are over the cycle: marker errors never are. */
const overPercent = () => state.percent && state.group !== "markers";
/** Whether muscle signals are all there is: over time, and nothing to decide. */
const musclesAlone = () => trial?.note.kind === "muscles";
const tabs = () => (musclesAlone() ? ["findings", "help"] : TABS);

/** What is decided, one table at a time; and by whom and why, which is asked before the first decision. */
function tabBar() {
  const who = (/** @type {"author" | "reason"} */ name) => element("label", {}, `${say(name)} `, element("input", { type: "text", id: name, dir: "auto", oninput: () => typed(name) }));
  return element("div", { class: "bar" }, element("div", { class: "tabs", role: "tablist", "aria-label": say("decided") },
    ...tabs().map((name) => element("button", { role: "tab", id: `tab-${name}`, "data-testid": `tab-${name}`, onclick: () => choose(name) }, say(name === "said" ? "said_short" : name)))), ...(musclesAlone() ? [] : [who("author"), who("reason")]));
}

/** @param {string} tab */
function choose(tab) {
  state.tab = tab;
  for (const each of TABS) {
    document.getElementById(`tab-${each}`)?.setAttribute("aria-selected", String(each === tab));
    document.getElementById(`panel-${each}`)?.classList.toggle("chosen", each === tab);
  }
}

/** @param {string} group */
function showGroup(group) {
  state.group = group;
  for (const each of groups()) document.getElementById(`group-${each}`)?.setAttribute("aria-selected", String(each === group));
  schedule();
}

/** What depends on the trial and on decisions. */
function fill() {
  if (!trial) {
    parts.curves.replaceChildren(element("p", { class: "notice" }, say("no_trials")));
    return;
  }
  const active = document.activeElement;
  const again = active instanceof HTMLElement ? (active.dataset.decide ? `[data-decide="${CSS.escape(active.dataset.decide)}"]` : active.id ? `#${CSS.escape(active.id)}` : "") : "";
  const desk = { trial, session: session(), decisions: decisions(), time: now_s, goto, changed, tell };
  const comment = commentPanel(desk);
  if (port.memory) comment.append(element("p", { class: "note quiet" }, say("kept_here"), " ", element("button", { id: "forget", onclick: forget }, say("forget"))));
  parts.panels.replaceChildren(findingsPanel(desk), saidPanel(desk), cyclesPanel(desk), stancesPanel(desk), eventsPanel(desk), decidedPanel(desk, download), comment, helpPanel(session().version));
  for (const name of TABS) if (!tabs().includes(name)) document.getElementById(`panel-${name}`)?.remove();
  choose(tabs().includes(state.tab) ? state.tab : "findings");
  for (const name of /** @type {const} */ (["author", "reason"])) {
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById(name));
    if (field) field.value = decisions()[name];
  }
  timeline.show(trial, decisions());
  if (again) /** @type {HTMLElement | null} */ (document.querySelector(again))?.focus();
  chartsShow = "";
  schedule();
}

/** @param {"author" | "reason"} name */
function typed(name) {
  decisions()[name] = /** @type {HTMLInputElement} */ (document.getElementById(name)).value.trim();
  decisions().keep();
}

function forget() {
  if (!confirm(say("forget_sure", { n: decisions().list.length }))) return;
  decisions().forget();
  version += 1;
  fill();
  tell(say("n_decided", { n: decisions().list.length }));
}

function changed() {
  version += 1;
  decisions().keep();
  fill();
  tell(say("n_decided", { n: decisions().list.length }));
  port.changed(decisions().toml());
}

/** @param {string} words */
function tell(words) {
  parts.live.textContent = words;
}

/** Whether a norm is of such a movement: one of runs only of runs, one of walks never of what is no walk. @param {NormNote | null} own @param {string} kind */
function isOf(own, kind) {
  return own?.movement === "run" ? kind === "run" : /^(straight|turn|treadmill|static|not_judged|muscles|(stair|ramp|curb)_.*)$/.test(kind);
}

/** Open the trial chosen, and what stands beside it. */
async function open() {
  const note = session().trials[state.trial];
  trial = note ? await opened(note) : null;
  const [s, t] = state.beside.split(":").map(Number);
  other = state.beside ? await opened(page.sessions[s].trials[t]) : null;
  norm = await loadNorm(note && isOf(session().norm, note.kind) ? session().norm : null);
  state.frame = Math.min(state.frame, Math.max((trial?.n ?? 1) - 1, 0));
  Object.assign(state, { marker: -1, zoom: 1 }, !groups().includes(state.group) && { group: "angles" }, musclesAlone() && { group: "emg", percent: false });
  build();
  stageAll();
}

/** @param {TrialNote} note */
async function opened(note) {
  const found = await loadTrial(note);
  ready.set(note, found);
  return found;
}

/** Put the walkers on the stage. */
function stageAll() {
  const own = colours();
  const figure = { left: own.left, right: own.right, middle: own.bone, force: own.force, quiet: own.quiet, model: own.model };
  const shown_ = [trial, other].filter((each) => each?.note.shape).map((each, i) => ({
    trial: /** @type {LoadedTrial} */ (each), aside: i && !state.overlay ? ASIDE_M : 0,
    colours: i ? { ...figure, left: own.other, right: own.other, middle: own.other } : figure,
  }));
  view.show(shown_, own);
  view.showAxes(state.axes);
  view.showModel(state.model);
  view.look(state.camera, state.frame);
  chartsShow = "";
  schedule();
}

/** The frame of what stands beside, at the same percent of the same side's cycle; at the same share of the trial where there is none. */
function otherFrame() {
  if (!trial || !other) return 0;
  const mine = cycleAt(trial.note, state.side, now_s());
  const its = other.note.cycles.find((cycle) => cycle.side === state.side && cycle.kinetics_valid !== "stance_only");
  const share = trial.n > 1 ? state.frame / (trial.n - 1) : 0;
  if (!mine || !its) return Math.round(share * (other.n - 1));
  const time_s = its.start_s + (percentOf(mine, now_s()) / 100) * (its.end_s - its.start_s);
  return Math.max(0, Math.min(other.n - 1, Math.round((time_s - other.time_s[0]) * other.note.rate_hz)));
}

/** @param {number} frame */
function showFrame(frame) {
  state.frame = Math.max(0, Math.min((trial?.n ?? 1) - 1, Math.round(frame)));
  schedule();
}

/** @param {number} time_s */
function goto(time_s) {
  if (trial) showFrame((time_s - trial.time_s[0]) * trial.note.rate_hz);
}

/** Show a shorter or longer stretch of time around the cursor. @param {number} factor */
function zoomBy(factor) {
  state.zoom = Math.max(1, Math.min(state.zoom * factor, timeline.length_s));
  schedule();
}

function schedule() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(redraw);
}

/** The mean over the cycles in use. @param {number} of session @param {TrialNote[]} trials @param {string} side @param {string} key */
function meanOf(of, trials, side, key) {
  const sum = new Float64Array(POINTS);
  const n = new Float64Array(POINTS);
  for (const note of trials) {
    for (const curve of ready.get(note)?.curves ?? []) {
      if (curve.side !== side || `${curve.variable}.${curve.component}` !== key) continue;
      const cycle = note.cycles.find((each) => each.side === side && each.cycle === curve.cycle);
      if (!cycle || !decided[of].uses(note, cycle)) continue;
      curve.values.forEach((value, i) => {
        if (Number.isFinite(value)) (sum[i] += value), (n[i] += 1);
      });
    }
  }
  return n.some((each) => each > 0) ? Float32Array.from(sum, (value, i) => (n[i] ? value / n[i] : NaN)) : null;
}

function buildCharts() {
  charts.forEach((chart) => chart.dispose());
  charts = [];
  parts.curves.replaceChildren();
  if (!trial) return;
  const own = colours();
  const [s, t] = state.beside.split(":").map(Number);
  const beside = !state.beside ? null : s === state.session ? [page.sessions[s].trials[t]] : page.sessions[s].trials;
  const contents = overPercent()
    ? overCycle({
        trial, norm, colours: own, uses: (cycle) => decisions().uses(/** @type {LoadedTrial} */ (trial).note, cycle),
        means: (side, key) => meanOf(state.session, session().trials, side, key), others: (side, key) => (beside ? meanOf(s, beside, side, key) : null),
      }, state.group)
    : overTime(trial, state.group, own);
  if (!contents.length) parts.curves.append(element("p", { class: "notice" }, musclesAlone() ? say("muscles_alone") : emptyWords(state.group)));
  // Joints in columns and planes in rows; muscles left beside right.
  /** @type {HTMLSelectElement} */ (document.getElementById("along")).disabled = state.group === "markers";
  const columns = state.group === "emg" ? 4 : Math.max(3, Math.min(5, Math.ceil(contents.length / 3)));
  const rows = Math.ceil(contents.length / columns);
  parts.curves.className = `charts ${state.group}${contents.length > 8 ? " many" : ""}`;
  parts.curves.style.cssText = `--columns: ${columns}; --rows: ${Math.max(rows, 2)}; --flow: ${["emg", "markers"].includes(state.group) ? "row" : "column"}`;
  charts = contents.map((content) => new Chart(parts.curves, content, own, pointed, overPercent()));
}

/** @param {number} x where somebody points in a chart */
function pointed(x) {
  if (!overPercent() || !trial) return goto(x);
  const cycle = cycleAt(trial.note, state.side, now_s()) ?? trial.note.cycles.find((each) => each.side === state.side);
  if (cycle) goto(cycle.start_s + (Math.max(0, Math.min(100, x)) / 100) * (cycle.end_s - cycle.start_s));
}

function redraw() {
  pending = false;
  if (!trial) return;
  const time_s = now_s();
  const wanted = [state.session, trial.note.name, state.group, state.percent, version, speech.language, state.dark, state.beside, ready.size, innerWidth, innerHeight].join("|");
  if (wanted !== chartsShow) {
    chartsShow = wanted;
    buildCharts();
    // A plot knows its places only when it has drawn itself.
    schedule();
  }
  const note = trial.note;
  for (const chart of charts) chart.follow(time_s);
  for (const chart of charts) chart.read((side) => (overPercent() ? percentPlace(note, time_s, side) : { x: time_s, index: state.frame }));
  /** @type {HTMLInputElement} */ (parts.slider).value = String(state.frame);
  const percents = ["L", "R"].map((side) => {
    const cycle = cycleAt(note, side, time_s);
    return cycle ? `${sideWord(side)} ${shown(percentOf(cycle, time_s), 0)} %` : "";
  });
  const words = [`${shown(time_s, 3)} s`, musclesAlone() ? "" : `${say("frame")} ${note.first_frame + state.frame}`, ...percents].filter(Boolean).join(" · ");
  parts.clock.textContent = words;
  parts.slider.setAttribute("aria-valuetext", words);
  timeline.at(time_s, state.zoom);
  // A plot knows its new places only when it has drawn itself.
  if (!overPercent() && charts.filter((chart) => chart.zoom(timeline.seen_s)).length) schedule();
  placeOfMarker();
  errorOfMarkers();
  view.draw([state.frame, otherFrame()]);
  film.follow();
  if (document.documentElement.dataset.shown) return;
  performance.mark("first-frame");
  document.documentElement.dataset.shown = "yes";
}

function placeOfMarker() {
  const place = document.getElementById("marker-place");
  if (!place) return;
  const at = state.marker < 0 ? [] : view.figures[0]?.point("marker_lab_m", state.frame, state.marker, trial?.note.shape?.markers.length ?? 0) ?? [];
  place.textContent = at.length ? `${at.map((value) => shown(1000 * value, 1)).join("  ")} mm` : "";
}

function errorOfMarkers() {
  const output = document.getElementById("marker-error");
  if (!output || !trial?.errors) return;
  const { off_mm, labels, rms_mm, farthest } = trial.errors;
  const worst = farthest[state.frame];
  const values = worst < 0 ? null : { rms: shown(rms_mm[state.frame], 1), largest: shown(off_mm[worst][state.frame], 1), marker: labels[worst] };
  output.textContent = values ? say("marker_error", values) : say("no_marker_error");
}

/** First and last frame that are played: the cycle under the cursor where it is looped, else everything. @returns {[number, number]} */
function played() {
  if (!trial) return [0, 0];
  const frameOf = (/** @type {number} */ time_s) => Math.round((time_s - /** @type {LoadedTrial} */ (trial).time_s[0]) * /** @type {LoadedTrial} */ (trial).note.rate_hz);
  const cycle = state.loop ? cycleAt(trial.note, state.side, now_s()) : null;
  return cycle ? [Math.max(0, frameOf(cycle.start_s)), Math.min(trial.n, frameOf(cycle.end_s)) - 1] : [0, trial.n - 1];
}

function togglePlay() {
  state.playing = !state.playing;
  parts.play.textContent = say(state.playing ? "pause" : "play");
  let last = performance.now();
  let reached = -1;
  const step = (/** @type {number} */ now) => {
    if (!state.playing || !trial) return film.halt();
    if (state.frame !== reached) {
      range = played();
      film.leap(now_s());
    }
    // Where a film is tied, its picture leads and the walker follows.
    const led_s = film.lead(state.speed);
    const rate_hz = trial.note.rate_hz;
    const passed = Math.floor(((now - last) / 1000) * rate_hz * state.speed);
    const frame = led_s === null ? state.frame + passed : Math.round((led_s - trial.time_s[0]) * rate_hz);
    last = led_s === null ? last + (1000 * passed) / (rate_hz * state.speed) : now;
    if (frame > range[1]) film.leap(trial.time_s[range[0]]);
    const to = frame > range[1] ? range[0] : Math.max(frame, range[0]);
    if (to !== state.frame) showFrame(to);
    reached = state.frame;
    requestAnimationFrame(step);
    return undefined;
  };
  if (state.playing) requestAnimationFrame(step);
  else film.halt();
}

function download() {
  const text = decisions().toml();
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "application/toml" })), download: "review.toml" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(/** @type {HTMLAnchorElement} */ (link).href), 10_000);
  decisions().saved = text;
  decisions().keep();
}

/** @type {Record<string, () => void>} */
const KEYS = {
  " ": togglePlay, Home: () => showFrame(0), End: () => showFrame(Infinity), t: () => {
    state.percent = !state.percent;
    build();
  },
  "+": () => zoomBy(2), "-": () => zoomBy(0.5), PageDown: () => another(1), PageUp: () => another(-1), f: () => focusOn("panel-findings"), c: () => focusOn("panel-cycles"), s: () => focusOn("panel-stances"),
  e: () => focusOn("panel-events"), k: () => focusOn("comment-text"), d: () => focusOn("panel-decided"), r: () => focusOn("reason"),
};

/** @param {number} step */
function another(step) {
  const count = session().trials.length;
  Object.assign(state, { trial: (state.trial + step + count) % count, frame: 0 });
  open();
}

/** @param {string} id */
function focusOn(id) {
  const there = document.getElementById(id);
  const panel = there?.closest(".panel");
  if (panel) choose(panel.id.replace("panel-", ""));
  there?.scrollIntoView({ block: "nearest" });
  there?.focus();
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
  if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName)) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const group = groups()[Number(event.key) - 1];
  if (step) showFrame(state.frame + step * (event.shiftKey ? 10 : 1));
  else if (group) showGroup(group);
  else if (KEYS[event.key]) KEYS[event.key]();
  else return;
  event.preventDefault();
});
addEventListener("beforeunload", (event) => {
  if (port.leaving(decided.some((each) => each.unsaved))) event.preventDefault();
});
addEventListener("resize", schedule);
// Paper is white.
let wasDark = false;
addEventListener("beforeprint", () => {
  wasDark = state.dark;
  if (!state.dark) return;
  state.dark = false;
  build();
  stageAll();
  redraw();
});
addEventListener("afterprint", () => {
  if (!wasDark) return;
  state.dark = true;
  build();
  stageAll();
});

/** The other trials, once the first one is seen: means are over all of them. */
async function openTheRest() {
  for (const each of page.sessions) for (const note of each.trials) await opened(note);
  document.documentElement.dataset.whole = "yes";
  schedule();
}

/** The first trial that enters means, at its first cycle with kinetics. */
function chooseFirst() {
  const usable = (/** @type {TrialNote} */ note) => note.cycles.some((cycle) => cycle.used);
  state.trial = Math.max(0, session().trials.findIndex(usable));
  const note = session().trials[state.trial];
  const cycle = note?.cycles.find((each) => each.used && each.kinetics_valid === "true") ?? note?.cycles[0];
  if (cycle) {
    state.side = cycle.side;
    state.frame = Math.round((cycle.start_s + 0.15 * (cycle.end_s - cycle.start_s)) * note.rate_hz) - note.first_frame + 1;
  }
}

chooseFirst();
open().then(() => {
  if (decisions().again) tell(say("kept_again", { n: decisions().list.length }));
  setTimeout(openTheRest, 50);
});
