// What somebody decides, and the review.toml that says it. Decisions an earlier review made are here too, so that nothing decided is lost.

import { port } from "./port.js";

export const NEAREST_S = 0.04;
const CLOSE_S = 1e-6;

/** One decision as an earlier run followed it; null for one that only a recipe can say. @param {FollowedNote} said @returns {Decision | null} */
function followed(said) {
  const by = { trial: said.trial, reason: said.reason ?? "", author: said.author ?? "" };
  if (said.decision === "repair") return { kind: "repair", ...by, trial: "", repair: said.kind ?? "", what: said.what ?? [], trials: said.trials?.length ? said.trials : undefined, since: said.since || undefined };
  const side = said.side ?? "";
  if (said.decision === "comment") return { kind: "comment", ...by, time_s: said.time_s ?? 0, text: said.text ?? "" };
  if (said.decision === "cycle") return { kind: "cycle", ...by, side, start_s: said.start_s ?? 0, use: said.use === true };
  if (said.decision === "event") {
    const what = said.new ? { new: true } : said.deleted ? { deleted: true } : { new_time_s: said.new_time_s ?? said.time_s ?? 0 };
    return { kind: "event", ...by, side, event: said.kind ?? "", time_s: said.time_s ?? 0, ...what };
  }
  if (said.start_s === null || said.start_s === undefined) return null;
  if (said.plates === null || said.plates === undefined) return { kind: "stance", ...by, side, start_s: said.start_s, use: true };
  const plate = said.plates.map((name) => Number(name.replace("plate ", "")));
  return { kind: "verdict", ...by, side, start_s: said.start_s, plate };
}

export class Decisions {
  /** @param {SessionNote} session */
  constructor(session) {
    this.session = session;
    /** Where the browser keeps them: by what was recorded, and what an earlier review decided of it. */
    this.place = `biomech_id review ${hashOf(JSON.stringify([session.trials.map((trial) => trial.block), session.decisions]))}`;
    /** @type {Decision[]} */
    this.list = [];
    this.author = this.reason = this.saved = "";
    this.begin();
    const kept = port.memory?.getItem(this.place);
    if (kept) Object.assign(this, JSON.parse(kept));
    this.again = Boolean(kept);
  }

  /** As the last run followed them. */
  begin() {
    this.list = this.session.decisions.map(followed).filter((each) => each !== null);
    this.author = port.author;
    this.reason = "";
    this.saved = this.toml();
  }

  /** Keep them over a reload; a browser whose memory is full keeps none. */
  keep() {
    const { list, author, reason, saved } = this;
    try {
      port.memory?.setItem(this.place, JSON.stringify({ list, author, reason, saved }));
    } catch {
      port.memory?.removeItem(this.place);
    }
  }

  forget() {
    port.memory?.removeItem(this.place);
    this.begin();
  }

  get unsaved() {
    return this.toml() !== this.saved;
  }

  /** @param {(each: Decision) => boolean} same @param {Decision | null} said */
  replace(same, said) {
    const at = this.list.findIndex(same);
    if (at >= 0) this.list.splice(at, 1);
    if (said) this.list.splice(at >= 0 ? at : this.list.length, 0, said);
  }

  /** Whether a cycle enters means now. @param {TrialNote} trial @param {CycleNote} cycle @returns {boolean} */
  uses(trial, cycle) {
    const said = this.list.find((each) => each.kind === "cycle" && isAbout(each, trial, cycle.side, cycle.start_s));
    if (said?.kind === "cycle") return said.use && trial.kind === "straight";
    return cycle.used_by_rules ?? cycle.used;
  }

  /** @param {TrialNote} trial @param {CycleNote} cycle @param {boolean} use @param {string} reason */
  setCycle(trial, cycle, use, reason) {
    const said = { kind: /** @type {const} */ ("cycle"), ...this.by(trial, reason), side: cycle.side, start_s: cycle.start_s, use };
    const asRuled = use === (cycle.used_by_rules ?? cycle.used);
    this.replace((each) => each.kind === "cycle" && isAbout(each, trial, cycle.side, cycle.start_s), asRuled ? null : said);
  }

  /** What is decided of a stance. @param {TrialNote} trial @param {StanceNote} stance @returns {Decision | undefined} */
  ofStance(trial, stance) {
    return this.list.find((each) => isStance(each) && isAbout(each, trial, stance.side, stance.start_s ?? NaN));
  }

  /** @param {TrialNote} trial @param {StanceNote} stance @param {boolean} use @param {string} reason */
  setStance(trial, stance, use, reason) {
    const said = { kind: /** @type {const} */ ("stance"), ...this.by(trial, reason), side: stance.side, start_s: stance.start_s ?? 0, use };
    this.replace((each) => isStance(each) && isAbout(each, trial, stance.side, stance.start_s ?? NaN), said);
  }

  /** @param {TrialNote} trial @param {StanceNote} stance @param {number[] | null} plate null: as the rules say @param {string} reason */
  setVerdict(trial, stance, plate, reason) {
    const said = { kind: /** @type {const} */ ("verdict"), ...this.by(trial, reason), side: stance.side, start_s: stance.start_s ?? 0 };
    const same = (/** @type {Decision} */ each) => isStance(each) && isAbout(each, trial, stance.side, stance.start_s ?? NaN);
    this.replace(same, plate ? { ...said, plate } : null);
  }

  /** Events as they would be. @param {TrialNote} trial @returns {ShownEvent[]} */
  events(trial) {
    /** @type {ShownEvent[]} */
    const found = trial.events.map((event) => this.shownEvent(trial, event)).filter((event) => event !== null);
    this.list.forEach((said, decision) => {
      if (said.kind !== "event" || !said.new || said.trial !== trial.name) return;
      if (!found.some((event) => event.decision === decision))
        found.push({ side: said.side, kind: said.event, time_s: said.time_s, was_s: NaN, source: "hand", deleted: false, decision });
    });
    return found.sort((a, b) => a.time_s - b.time_s);
  }

  /** @param {TrialNote} trial @param {EventNote} event @returns {ShownEvent} */
  shownEvent(trial, event) {
    const base = { side: event.side, kind: event.kind, was_s: event.time_s, source: event.source_kind };
    const decision = this.list.findIndex(
      (said) => said.kind === "event" && said.trial === trial.name && said.side === event.side && said.event === event.kind &&
        // What an earlier review moved or added lies where that review wants it; what is moved now lies where it was found.
        (Math.abs((said.new_time_s ?? said.time_s) - event.time_s) < CLOSE_S || (!said.new && Math.abs(said.time_s - event.time_s) < CLOSE_S)),
    );
    const said = this.list[decision];
    if (said?.kind !== "event") return { ...base, time_s: event.time_s, deleted: false, decision: -1 };
    return { ...base, time_s: said.new_time_s ?? said.time_s, deleted: said.deleted === true, decision };
  }

  /** @param {TrialNote} trial @param {ShownEvent} event @param {number} time_s @param {string} reason @returns {number} */
  moveEvent(trial, event, time_s, reason) {
    const said = this.list[event.decision];
    if (said?.kind === "event") {
      if (said.new) said.time_s = time_s;
      else if (Math.abs(said.time_s - time_s) < CLOSE_S) this.list.splice(event.decision, 1);
      else Object.assign(said, { new_time_s: time_s, deleted: undefined });
      return event.decision;
    }
    if (Math.abs(event.was_s - time_s) < CLOSE_S) return -1;
    return this.list.push({ kind: "event", ...this.by(trial, reason), side: event.side, event: event.kind, time_s: event.was_s, new_time_s: time_s });
  }

  /** Delete an event, or take the deletion back. @param {TrialNote} trial @param {ShownEvent} event @param {string} reason */
  deleteEvent(trial, event, reason) {
    const said = this.list[event.decision];
    if (said?.kind === "event" && (said.new || said.deleted)) this.list.splice(event.decision, 1);
    else if (said?.kind === "event") Object.assign(said, { new_time_s: undefined, deleted: true });
    else this.list.push({ kind: "event", ...this.by(trial, reason), side: event.side, event: event.kind, time_s: event.was_s, deleted: true });
  }

  /** Add an event; returns the one that is there already, if any. @param {TrialNote} trial @param {string} side @param {string} kind @param {number} time_s @param {string} reason */
  addEvent(trial, side, kind, time_s, reason) {
    const there = this.events(trial).find(
      (event) => event.side === side && event.kind === kind && (Math.abs(event.time_s - time_s) <= NEAREST_S || Math.abs(event.was_s - time_s) <= NEAREST_S),
    );
    if (!there) this.list.push({ kind: "event", ...this.by(trial, reason), side, event: kind, time_s, new: true });
    return there ?? null;
  }

  /** @param {TrialNote} trial @param {number} time_s @param {string} text @param {string} reason */
  addComment(trial, time_s, text, reason) {
    this.list.push({ kind: "comment", ...this.by(trial, reason), time_s, text });
  }

  /** @param {TrialNote} trial @param {string} reason */
  by(trial, reason) {
    return { trial: trial.name, reason, author: this.author };
  }

  /** Whether recordings are needed to follow them: `report` alone follows cycles and comments. */
  get needsRun() {
    return this.list.some((each) => each.kind !== "cycle" && each.kind !== "comment");
  }

  /** The file that `run` and `report` take. @returns {string} */
  toml() {
    const schema = this.list.some((each) => each.kind === "repair") ? 2 : 1;
    return [`schema = ${schema}`, ...this.list.map(tableOf)].join("\n\n") + "\n";
  }
}

/** FNV-1a, 64 bits, as text. @param {string} text */
function hashOf(text) {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++) hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  return hash.toString(16);
}

/** @param {Decision} each */
function isStance(each) {
  return each.kind === "stance" || each.kind === "verdict";
}

/** @param {Decision} said @param {TrialNote} trial @param {string} side @param {number} start_s */
function isAbout(said, trial, side, start_s) {
  return "start_s" in said && said.trial === trial.name && said.side === side && Math.abs(said.start_s - start_s) <= NEAREST_S;
}

/** @param {Decision} said @returns {string} */
function tableOf(said) {
  const { kind, ...values } = said;
  /** @type {Record<string, unknown>} */
  const entries = { ...values };
  if (said.kind === "event") {
    delete entries.event;
    Object.assign(entries, { kind: said.event });
  }
  if (said.kind === "repair") {
    delete entries.repair;
    delete entries.trial;
    Object.assign(entries, { kind: said.repair });
  }
  if (said.kind === "verdict") entries.plate = said.plate.length === 0 ? "none" : said.plate.length === 1 ? said.plate[0] : said.plate;
  const lines = Object.entries(entries)
    .filter(([name, value]) => value !== undefined && !(value === "" && (name === "reason" || name === "author")))
    .map(([name, value]) => `${name} = ${tomlValue(value)}`);
  return [`[[${kind}]]`, ...lines].join("\n");
}

/** @param {unknown} value @returns {string} */
function tomlValue(value) {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(9)));
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value === "boolean") return String(value);
  // JSON escapes what TOML does, but for the delete character; halves of pairs are no text to either.
  return JSON.stringify(String(value).toWellFormed()).replaceAll("\u007f", "\\u007F");
}
