// What can be decided, and what was: findings that lead to their frame, cycles, stances, events, comments, and the file they make.
import { NEAREST_S } from "./decisions.js";
import { element, inLanguage, named, say, shown, sideWord, speech } from "./text.js";

/**
 * @typedef {{trial: LoadedTrial, session: SessionNote, decisions: import("./decisions.js").Decisions, time: () => number, goto: (time_s: number) => void,
 *   changed: () => void, tell: (words: string) => void}} Desk
 */

/** @param {string} title @param {string[]} heads @param {HTMLElement[]} rows @param {string} name */
function section(title, heads, rows, name) {
  const head = element("tr", {}, ...heads.map((each) => element("th", { scope: "col" }, each)));
  const body = rows.length ? rows : [element("tr", {}, element("td", { colspan: heads.length, class: "quiet" }, say("none")))];
  return panel(name, title, element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
}

/** @param {string} name @param {string} title @param {...HTMLElement} children */
function panel(name, title, ...children) {
  return element("section", { class: "panel", "aria-label": title, id: `panel-${name}`, tabindex: "-1" }, element("h2", {}, title), ...children);
}

/** @param {Desk} desk @param {number | null} time_s @param {string} text */
function leap(desk, time_s, text) {
  if (time_s === null) return element("span", { class: "quiet" }, "–");
  return element("button", { onclick: () => desk.goto(time_s), "aria-label": `${say("go_to")} ${shown(time_s, 2)} s: ${text}` }, `${shown(time_s, 2)} s`);
}

/** What was noticed. @param {Desk} desk */
export function findingsPanel(desk) {
  const { trial, session } = desk;
  const rows = [...trial.note.findings, ...session.findings].map((found) => {
    const text = inLanguage(found.text);
    const hint = inLanguage(found.hint);
    return element("tr", { class: `severity-${found.severity}` }, element("td", {}, say(found.severity)), element("td", {}, leap(desk, found.time_s, text)),
      element("td", { class: "words" }, named(text), hint ? element("small", {}, " ", named(hint)) : null));
  });
  const gaps = trial.note.gaps.map((gap) => {
    const time_s = (gap.first_frame - 1) / trial.note.rate_hz;
    return element("tr", {}, element("td", {}, say("gap")), element("td", {}, leap(desk, time_s, gap.marker)),
      element("td", { class: "words" }, named(gap.marker), ` ${gap.first_frame}–${gap.last_frame}, ${gap.method}`));
  });
  const failed = session.failed.map((each) => element("tr", { class: "severity-error" }, element("td", {}, say("error")), element("td", {}, "–"), element("td", { class: "words" }, named(`${each.file}: ${each.error}`))));
  return section(say("findings"), [say("severity"), say("when"), say("what")], [...rows, ...gaps, ...failed], "findings");
}

/** How a pattern stands on the report's first page. @param {DeviationRow} row */
function standing(row) {
  if (row.marked === "true") return row.covered_by ? say("stands_covered", { pattern: row.covered_by }) : say("stands_said");
  return say(row.within_error === "true" ? "stands_error" : "stands_not");
}

/** What differs from the norm in straight walks like this one, in the words of Python; nothing is worked out here. @param {Desk} desk */
export function saidPanel(desk) {
  const { trial, session } = desk;
  const walks = trial.note.kind === "straight" ? session.walks?.find((each) => each.condition === trial.note.condition) : undefined;
  const words = walks?.words[speech.language];
  /** @type {HTMLElement[][]} */
  const [first, others] = [[], []];
  (walks?.rows ?? []).forEach((row, number) => {
    const { said, warns, quiet } = /** @type {WalkWords} */ (words).rows[number];
    const own = row.marked === "true" && !row.covered_by;
    (own ? first : others).push(element("tr", { class: own ? "" : "quiet" }, element("td", { class: `side-${row.side}` }, sideWord(row.side)), element("td", {}, standing(row)), element("td", {}, shown(row.size, 1)),
      element("td", { class: "words" }, said, ...warns.map((each) => element("p", { class: "note warns" }, each)), quiet ? element("small", { class: "quiet" }, " ", quiet) : null)));
  });
  const made = section(say("said"), [say("side"), say("stands"), say("size"), say("what")], [...first, ...others], "said");
  if (!words) return made;
  made.querySelector("h2")?.after(element("p", { class: "note quiet" }, say("said_as_run")), ...words.openings.map((each) => element("p", { class: "note" }, each)));
  if (words.unsayable) made.append(element("p", { id: "unsayable" }, element("b", {}, `${say("unsayable")}: `), words.unsayable));
  made.append(element("h3", {}, say("trust")), ...words.trust.map((each) => element("p", { class: "note" }, each)));
  return made;
}

/** @param {Desk} desk */
export function cyclesPanel(desk) {
  const { trial, decisions } = desk;
  const rows = trial.note.cycles.map((cycle) => {
    const used = decisions.uses(trial.note, cycle);
    const name = `${sideWord(cycle.side)} ${cycle.cycle}`;
    const box = element("input", {
      type: "checkbox", checked: used, "aria-label": `${say("in_means")}: ${name}`, "data-decide": `cycle ${cycle.side} ${cycle.cycle}`,
      onchange: (/** @type {Event} */ event) => {
        decisions.setCycle(trial.note, cycle, /** @type {HTMLInputElement} */ (event.target).checked, reasonGiven());
        desk.changed();
      },
    });
    return element("tr", {}, element("td", { class: `side-${cycle.side}` }, name), element("td", {}, leap(desk, cycle.start_s, name)), element("td", {}, `${shown(cycle.end_s, 2)} s`),
      element("td", {}, say(`kinetics_${cycle.kinetics_valid}`)), element("td", {}, box), element("td", { class: "words" }, cycle.reasons.map(inLanguage).join("; ")));
  });
  return section(say("cycles"), [say("cycle"), say("start"), say("end"), say("kinetics"), say("in_means"), say("why")], rows, "cycles");
}

/** @param {Desk} desk */
export function stancesPanel(desk) {
  const { trial, decisions } = desk;
  const plates = trial.note.shape?.plates.map((plate) => Number(plate.name.replace("plate ", ""))).filter(Number.isInteger) ?? [];
  const rows = trial.note.stances.map((stance, number) => {
    const said = decisions.ofStance(trial.note, stance);
    const nameable = stance.start_s !== null;
    const use = said?.kind === "stance" ? said.use : said?.kind === "verdict" ? said.plate.length > 0 : stance.plate !== "";
    const box = element("input", {
      type: "checkbox", checked: use, disabled: !nameable, "aria-label": `${say("kinetics")}: ${sideWord(stance.side)} ${shown(stance.start_s, 2)} s`, "data-decide": `stance ${number}`,
      onchange: (/** @type {Event} */ event) => {
        decisions.setStance(trial.note, stance, /** @type {HTMLInputElement} */ (event.target).checked, reasonGiven());
        desk.changed();
      },
    });
    const chosen = said?.kind === "verdict" ? (said.plate.length ? said.plate.join("+") : "none") : "";
    const options = [["", say("as_ruled")], ["none", say("no_plate")], ...plates.map((plate) => [String(plate), `${say("plate")} ${plate}`])];
    if (chosen.includes("+")) options.push([chosen, chosen]);
    const choice = element("select", {
      disabled: !nameable, "aria-label": `${say("plate")}: ${sideWord(stance.side)} ${shown(stance.start_s, 2)} s`, "data-decide": `verdict ${number}`,
      onchange: (/** @type {Event} */ event) => {
        const value = /** @type {HTMLSelectElement} */ (event.target).value;
        decisions.setVerdict(trial.note, stance, value === "" ? null : value === "none" ? [] : value.split("+").map(Number), reasonGiven());
        desk.changed();
      },
    }, ...options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
    return element("tr", {}, element("td", { class: `side-${stance.side}` }, sideWord(stance.side)), element("td", {}, leap(desk, stance.start_s, say("stance"))),
      element("td", {}, stance.end_s === null ? "–" : `${shown(stance.end_s, 2)} s`), element("td", {}, `${stance.plate.replaceAll("plate", say("plate"))} ${say(`stance_${stance.verdict}`)}`), element("td", {}, box), element("td", {}, choice), element("td", { class: "words" }, inLanguage(stance.reason)));
  });
  return section(say("stances"), [say("side"), say("start"), say("end"), say("verdict"), say("kinetics"), say("plate"), say("why")], rows, "stances");
}

/** @param {Desk} desk */
export function eventsPanel(desk) {
  const { trial, decisions } = desk;
  const frame_s = 1 / trial.note.rate_hz;
  const rows = decisions.events(trial.note).map((event, number) => {
    const words = `${sideWord(event.side)} ${say(event.kind === "Foot Strike" ? "strike" : "off")}`;
    const act = (/** @type {string} */ label, /** @type {string} */ what, /** @type {() => void} */ done) =>
      element("button", { "aria-label": `${label}: ${words} ${shown(event.time_s, 3)} s`, title: label, "data-decide": `event ${number} ${what}`, onclick: done }, what);
    const move = (/** @type {number} */ to) => {
      decisions.moveEvent(trial.note, event, to, reasonGiven());
      desk.changed();
    };
    return element("tr", { class: event.deleted ? "deleted" : "" }, element("td", { class: `side-${event.side}` }, words), element("td", {}, leap(desk, event.time_s, words)),
      element("td", {}, say(`source_${event.source}`)),
      element("td", {}, act(say("earlier"), "−1", () => move(event.time_s - frame_s)), " ", act(say("later"), "+1", () => move(event.time_s + frame_s)), " ",
        act(say("to_cursor"), "⇥", () => move(desk.time())), " ",
        act(event.deleted ? say("restore") : say("delete"), event.deleted ? "↺" : "×", () => {
          decisions.deleteEvent(trial.note, event, reasonGiven());
          desk.changed();
        })));
  });
  const made = section(say("events"), [say("event"), say("when"), say("source"), say("change")], rows, "events");
  const side = element("select", { "aria-label": say("side"), id: "add-side" }, ...["L", "R"].map((each) => element("option", { value: each }, sideWord(each))));
  const kind = element("select", { "aria-label": say("event"), id: "add-kind" }, element("option", { value: "Foot Strike" }, say("strike")), element("option", { value: "Foot Off" }, say("off")));
  const add = () => {
    const value = (/** @type {HTMLElement} */ each) => /** @type {HTMLSelectElement} */ (each).value;
    const there = decisions.addEvent(trial.note, value(side), value(kind), desk.time(), reasonGiven());
    if (there) desk.tell(say("there_already", { time: shown(there.time_s, 3), ms: NEAREST_S * 1000 }));
    else desk.changed();
  };
  made.append(element("p", {}, side, " ", kind, " ", element("button", { id: "add-event", onclick: add }, say("add_at_cursor"))));
  return made;
}

/** @param {Desk} desk */
export function commentPanel(desk) {
  const text = /** @type {HTMLInputElement} */ (element("input", { type: "text", id: "comment-text", "aria-label": say("comment"), dir: "auto" }));
  const add = () => {
    if (!text.value.trim()) return;
    desk.decisions.addComment(desk.trial.note, desk.time(), text.value.trim(), reasonGiven());
    desk.changed();
  };
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter") add();
  });
  return panel("comment", say("comment"), element("p", { class: "commenting" }, text, " ", element("button", { id: "add-comment", onclick: add }, say("add_at_cursor"))));
}

/** What the lines are, and the keys. @param {string} version */
export function helpPanel(version) {
  return panel("help", say("help"), ...[say("legend"), `${say("keys")}: ${say("keys_text")}`, say("precision", { version })].map((each) => element("p", { class: "legend" }, each)));
}

/** The reason typed for the next decision. */
function reasonGiven() {
  return /** @type {HTMLInputElement | null} */ (document.getElementById("reason"))?.value.trim() ?? "";
}

/** One decision in words, and what it would change. @param {Decision} said @param {SessionNote} session @param {import("./decisions.js").Decisions} decisions @returns {string} */
export function effect(said, session, decisions) {
  if (said.kind === "repair") return say(`effect_repair_${said.repair}`, { what: said.what.join(", ") }) + (said.trials ? ` (${said.trials.join(", ")})` : "");
  const trial = session.trials.find((each) => each.name === said.trial);
  const head = `${said.trial}: `;
  if (said.kind === "comment") return `${head}${shown(said.time_s, 2)} s “${said.text}”`;
  const side = sideWord(said.side);
  if (said.kind === "cycle") {
    const count = (/** @type {(cycle: CycleNote, of: TrialNote) => boolean} */ used) =>
      session.trials.reduce((sum, of) => sum + of.cycles.filter((cycle) => cycle.side === said.side && used(cycle, of)).length, 0);
    const before = count((cycle) => cycle.used_by_rules ?? cycle.used);
    return head + say(said.use ? "effect_cycle_in" : "effect_cycle_out", { side, start: shown(said.start_s, 2), before, after: count((cycle, of) => decisions.uses(of, cycle)) });
  }
  if (said.kind === "stance") return head + say(said.use ? "effect_stance_in" : "effect_stance_out", { side, start: shown(said.start_s, 2) });
  if (said.kind === "verdict") return head + say(said.plate.length ? "effect_plate" : "effect_stance_out", { side, start: shown(said.start_s, 2), plate: said.plate.join(" + ") });
  const kind = say(said.event === "Foot Strike" ? "strike" : "off");
  const at = shown(said.time_s, 3);
  if (said.new) return head + say("effect_event_new", { side, kind, at });
  if (said.deleted) return head + say("effect_event_deleted", { side, kind, at });
  const moved_s = (said.new_time_s ?? said.time_s) - said.time_s;
  const frames = Math.round(10 * moved_s * (trial?.rate_hz ?? 100)) / 10;
  return head + say(said.event === "Foot Strike" ? "effect_strike_moved" : "effect_event_moved", { side, kind, at, to: shown(said.new_time_s ?? said.time_s, 3), frames: (frames > 0 ? "+" : "") + shown(frames, Number.isInteger(frames) ? 0 : 1), ms: Math.round(1000 * moved_s) });
}

/** What is decided, what it changes, and the file. @param {Desk} desk @param {() => void} download */
export function decidedPanel(desk, download) {
  const { decisions, session } = desk;
  const rows = decisions.list.map((said, number) =>
    element("tr", {}, element("td", { class: "words" }, named(effect(said, session, decisions))), element("td", { class: "words" }, named([said.reason, said.author].filter(Boolean).join(" – "))),
      element("td", {}, element("button", { "aria-label": `${say("withdraw")}: ${effect(said, session, decisions)}`, "data-decide": `remove ${number}`, onclick: () => {
        decisions.list.splice(number, 1);
        desk.changed();
      } }, "×"))));
  const made = section(say("decided"), [say("what"), say("why"), say("withdraw")], rows, "decided");
  const command = decisions.needsRun ? `biomech-id run SUBJECT_DIR -o ${session.folder} --review review.toml` : `biomech-id report ${session.folder} --review review.toml`;
  made.append(
    element("p", {}, element("button", { id: "download", class: "primary", onclick: download }, say("download"))),
    element("p", { class: "quiet" }, say(decisions.needsRun ? "then_run" : "then_report"), " ", element("code", {}, command)),
    element("details", {}, element("summary", {}, say("preview")), element("pre", { id: "toml" }, decisions.toml())),
  );
  return made;
}
