// The trial as a strip of time: cycles and stances of both sides, events to step to, comments, and the cursor.
import { element, inLanguage, say, shown, sideWord } from "./text.js";

const STRIKE = "Foot Strike";

/** The shortest stretch that is shown, s. */
const LEAST_S = 1;

export class Timeline {
  /** @param {HTMLElement} host @param {(time_s: number) => void} onTime @param {(factor: number) => void} onZoom */
  constructor(host, onTime, onZoom) {
    this.track = element("div", { class: "track" });
    this.strip = element("div", { class: "strip", role: "group", "aria-label": say("timeline") }, this.track);
    this.cursor = element("div", { class: "now" });
    this.onTime = onTime;
    const names = element("div", { class: "lane-names" }, ...["L", "R"].map((side) => element("span", { class: `side-${side}` }, sideWord(side))));
    const zoom = (/** @type {string} */ id, /** @type {string} */ sign, /** @type {number} */ factor) => element("button", { id, title: say(id), "aria-label": say(id), onclick: () => onZoom(factor) }, sign);
    host.append(names, this.strip, element("div", { class: "zooms" }, zoom("zoom-in", "+", 2), zoom("zoom-out", "−", 0.5)));
    this.strip.addEventListener("pointerdown", (event) => {
      if (event.target !== this.track || !this.trial) return;
      const box = this.track.getBoundingClientRect();
      onTime(this.first_s + ((event.clientX - box.left) / box.width) * this.length_s);
    });
    this.first_s = 0;
    this.length_s = 1;
    /** What is seen of it. @type {[number, number]} */
    this.seen_s = [0, 1];
  }

  /** @param {LoadedTrial} trial @param {import("./decisions.js").Decisions} decisions */
  show(trial, decisions) {
    this.trial = trial;
    this.first_s = trial.time_s[0] ?? 0;
    this.length_s = Math.max((trial.time_s[trial.n - 1] ?? 1) - this.first_s, 1e-3);
    this.track.replaceChildren(this.cursor);
    ["L", "R"].forEach((side, row) => {
      const lane = element("div", { class: `lane side-${side}` });
      lane.style.top = `${row * 2.2}em`;
      this.track.append(lane);
      for (const cycle of trial.note.cycles.filter((each) => each.side === side)) lane.append(this.bar(cycle.start_s, cycle.end_s, decisions.uses(trial.note, cycle) ? "cycle" : "cycle out"));
      for (const stance of trial.note.stances.filter((each) => each.side === side)) {
        const bar = this.bar(stance.start_s ?? this.first_s, stance.end_s ?? this.first_s + this.length_s, stance.plate ? "stance plate" : "stance");
        bar.title = `${stance.plate} ${stance.verdict}: ${inLanguage(stance.reason)}`;
        lane.append(bar);
      }
      for (const event of decisions.events(trial.note).filter((each) => each.side === side)) lane.append(this.mark(event));
    });
    for (const said of decisions.list) {
      if (said.kind !== "comment" || said.trial !== trial.note.name) continue;
      const mark = element("button", { class: "comment", title: said.text, "aria-label": `${say("comment")} ${shown(said.time_s, 2)} s: ${said.text}`, onclick: () => this.onTime(said.time_s) }, "✎");
      mark.style.left = this.left(said.time_s);
      this.track.append(mark);
    }
  }

  /** @param {number} time_s */
  left(time_s) {
    return `${(100 * (time_s - this.first_s)) / this.length_s}%`;
  }

  /** @param {number} start_s @param {number} end_s @param {string} kind */
  bar(start_s, end_s, kind) {
    const bar = element("div", { class: `bar ${kind}` });
    const [from, to] = [Math.max(start_s, this.first_s), Math.min(end_s, this.first_s + this.length_s)];
    bar.style.left = this.left(from);
    bar.style.width = `${(100 * Math.max(to - from, 0)) / this.length_s}%`;
    return bar;
  }

  /** @param {ShownEvent} event */
  mark(event) {
    const strike = event.kind === STRIKE;
    const words = `${sideWord(event.side)} ${say(strike ? "strike" : "off")} ${shown(event.time_s, 3)} s`;
    const state = event.deleted ? "deleted" : event.decision >= 0 ? "by-hand" : "";
    const mark = element("button", { class: `event ${state}`, title: words, "aria-label": words, onclick: () => this.onTime(event.time_s) }, strike ? "▼" : "△");
    mark.style.left = this.left(event.time_s);
    return mark;
  }

  /** Put the cursor at a time, and what is seen around it where it was outside. @param {number} time_s @param {number} zoom how many times wider than the strip */
  at(time_s, zoom) {
    this.cursor.style.left = this.left(time_s);
    const span_s = Math.max(this.length_s / zoom, Math.min(LEAST_S, this.length_s));
    const [from, to] = this.seen_s;
    if (Math.abs(to - from - span_s) < 1e-9 && from <= time_s && time_s <= to) return;
    const start_s = Math.max(this.first_s, Math.min(this.first_s + this.length_s - span_s, time_s - span_s / 2));
    this.seen_s = [start_s, start_s + span_s];
    this.track.style.width = `${(100 * this.length_s) / span_s}%`;
    this.track.style.left = `${(100 * (this.first_s - start_s)) / span_s}%`;
  }
}
