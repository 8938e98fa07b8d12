// One visit in the side panel: what it lacks, each with what cures it, what the doctor says, and the same by hand.
import { ask, attempt, tell } from "./api.js";
import { button, element, moment, named, redraw, say, shown, speech, typed } from "./dom.js";

export const panel = { visit: "", cure: "", sign: false };
/** What the next change is made on. @type {{id: string, revision: string, busy: number, last: Promise<any>}} */
const known = { id: "", revision: "", busy: 0, last: Promise.resolve() };
/** Keys of subject.toml that have one value for each leg. */
const LEGS = ["leg_length_mm", "knee_width_mm", "ankle_width_mm"];
/** What a person can measure, for the hint beside a field. */
const RANGES = { leg_length_mm: [200, 1300], knee_width_mm: [30, 200], ankle_width_mm: [20, 150], marker_diameter_mm: [2, 40], mass_kg: [2, 400], height_mm: [300, 2500] };
const FOLDED = 5;

/** Once every choice that was clicked is kept. */
export const choicesKept = () => known.last;

/** @param {HTMLElement} aside @param {{act: (what: string, row: any) => void, refresh: () => void, close: () => void}} does */
export async function drawPanel(aside, does) {
  const visit = await ask("GET", `/api/visits/${panel.visit}`);
  if (visit.id !== panel.visit || panel.sign) return;
  let host = /** @type {HTMLElement | null} */ (aside.querySelector(".visit-panel"));
  if (!host) {
    host = element("section", { class: "visit-panel", "data-testid": "visit-panel", "data-visit": visit.visit });
    aside.append(host);
  }
  host.dataset.visit = visit.visit;
  if (!known.busy || known.id !== visit.id) Object.assign(known, { id: visit.id, revision: visit.revision });
  const change = (/** @type {any} */ what) => {
    const who = sessionStorage.getItem("who");
    if (!who) {
      tell(say("who_first"));
      document.getElementById("who")?.focus();
      return;
    }
    // One after the other: two quick clicks are one person's, and the second is made on what the first left.
    known.busy += 1;
    known.last = known.last.then(() => attempt(async () => {
      const answer = await ask("PATCH", `/api/visits/${visit.id}/choices`, { change: what, who }, { "If-Match": known.revision });
      known.revision = answer.revision;
      tell(say("saved"));
    })).finally(() => {
      known.busy -= 1;
      does.refresh();
    });
  };
  redraw(host, [
    { key: "title", of: [visit.visit, visit.model, visit.static, visit.look], make: () => title(visit, does) },
    ...cures(visit).map((each) => ({ key: each.key, of: [visit.id, visit.revision, each.of], make: () => {
      const box = each.make(change);
      box.dataset.fixed = "1";
      return box;
    } })),
    { key: "said", of: visit.said, make: () => doctor(visit) },
    { key: "files", of: visit.files, make: () => files(visit, change) },
    { key: "command", of: visit.command, make: () => byHand(visit) },
    ...(visit.has_results ? [{ key: "export", of: [visit.id, visit.stage], make: () => exported(visit) }] : []),
    { key: "journal", of: visit.journal, make: () => journal(visit) },
  ]);
  if (panel.cure) {
    const box = /** @type {HTMLElement | null} */ (host.querySelector(`[data-testid="cure-${CSS.escape(panel.cure)}"]`));
    box?.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement | null} */ (box?.querySelector("button, input, select") ?? null)?.focus();
    panel.cure = "";
  }
}

/** @param {any} visit @param {any} does */
function title(visit, does) {
  const about = [visit.model && say("with_model", { model: visit.model }), visit.static && say("static_is", { file: visit.static })].filter(Boolean).join(" · ");
  return element("div", {}, element("h2", {}, named(visit.visit), " ", button("panel-close", "×", does.close, { "aria-label": say("close"), class: "link" })),
    about ? element("p", { class: "quiet" }, about) : null, visit.look === "looking" ? element("p", { class: "quiet" }, say("looking")) : null,
    ...visit.look_failed.map((/** @type {string} */ line) => element("p", { class: "bad" }, line)));
}

/** What there is to do, and what was done. @param {any} visit @returns {{key: string, of: any, make: (change: (what: any) => void) => HTMLElement}[]} */
function cures(visit) {
  /** @type {Record<string, any>} */
  const open = Object.fromEntries(visit.open.map((/** @type {any} */ cure) => [cure.kind, cure]));
  const { choices } = visit;
  const subject = choices.subject ?? {};
  const left = choices.exclude ?? [];
  const out = (/** @type {string} */ name) => (left.includes(name) ? { take_in: [name] } : { leave_out: [name] });
  const measured = Object.keys(subject).filter((key) => key !== "mass_kg" && key !== "condition" && key !== "aid" && key !== "footwear");
  /** @type {{key: string, of: any, make: (change: (what: any) => void) => HTMLElement}[]} */
  const made = [];
  const add = (/** @type {string} */ kind, /** @type {any} */ of, /** @type {(change: any) => (Node | string | null)[]} */ body, /** @type {any} */ undo = null) => made.push({
    key: `cure ${kind}`, of, make: (/** @type {any} */ change) => element("fieldset", { "data-testid": `cure-${kind}`, "data-done": String(Boolean(undo)) },
      element("legend", {}, say(`cure_${kind}`), undo ? element("span", { class: "good" }, " ✓") : null), ...body(change),
      undo ? button("cure-undo", say("undo"), () => change(undo), { "data-cure": kind }) : null),
  });
  if (open.static || choices.static)
    add("static", [open.static, choices.static], (change) => [
      element("p", { class: "quiet" }, say("cure_static_why")),
      ...(open.static?.options ?? []).map((/** @type {string[]} */ [file]) => choice("cure-static-option", file, choices.static === file, () => change({ static: file }), fileWords(visit, file))),
      ...(open.static && !open.static.options.length ? visit.files.filter((/** @type {any} */ each) => each.readable).map((/** @type {any} */ each) => choice("cure-static-option", stem(each.name), choices.static === stem(each.name), () => change({ static: stem(each.name) }), fileWords(visit, stem(each.name)))) : []),
      choices.static ? element("p", {}, named(choices.static)) : null,
    ], choices.static ? { static: null } : null);
  if (open.subject)
    add("subject", open.subject, (change) => [element("p", { class: "quiet" }, say("cure_subject_why")),
      ...open.subject.options.map((/** @type {string[]} */ files) => button("cure-subject-option", say("leave_out", { files: files.join(", ") }), () => change({ leave_out: files }), { value: files.join("\n") }))]);
  if (open.mass || subject.mass_kg)
    add("mass", [open.mass, subject.mass_kg], (change) => {
      const field = element("input", { type: "text", inputmode: "decimal", "data-testid": "cure-mass-field", value: subject.mass_kg ? shown(subject.mass_kg, 1) : "", size: "6" });
      const save = () => {
        const mass = typed(/** @type {HTMLInputElement} */ (field).value);
        if (mass >= 2 && mass <= 400) change({ subject: { mass_kg: mass } });
        else tell(say("range", { what: say("mass_kg"), low: 2, high: 400 }));
      };
      field.addEventListener("keydown", (event) => event.key === "Enter" && save());
      const known = open.mass?.estimate;
      return [element("p", { class: "quiet" }, say("cure_mass_why")), element("label", {}, field, " kg "), button("cure-mass-save", say("save"), save),
        known ? button("cure-mass-take", say("take_mass", { mass: shown(known.mass_kg, 1), trial: known.said.values.trial ?? "" }), () => change({ subject: { mass_kg: known.mass_kg } }), { value: String(known.mass_kg) }) : null];
    }, subject.mass_kg ? { subject: { mass_kg: null } } : null);
  const keys = [...new Set([...(open.measurements?.keys ?? []), ...measured])];
  if (keys.length)
    add("measurements", [open.measurements, measured.map((key) => subject[key])], (change) => measurements(keys, subject, change), measured.length ? { subject: Object.fromEntries(measured.map((key) => [key, null])) } : null);
  if (open["marker-set"] || choices.marker_set || choices.markers)
    add("marker-set", [open["marker-set"], choices.marker_set, choices.markers], (change) => [element("p", { class: "quiet" }, say("cure_marker_set_why")),
      ...visit.marker_sets.map((/** @type {string} */ name) => choice("cure-marker-set-option", name, choices.marker_set === name, () => change({ marker_set: name, markers: null }), name)),
      markers([...new Set([...(open["marker-set"]?.labels ?? []), ...Object.keys(choices.markers ?? {})])], visit, change)],
    choices.marker_set || choices.markers ? { marker_set: null, markers: null } : null);
  // A norm that is no longer listed is in force until another choice is made.
  const norms = [...visit.norms, ...(choices.norm && !visit.norms.some((/** @type {any} */ each) => each.path === choices.norm) ? [{ path: choices.norm, name: choices.norm }] : [])];
  if (norms.length)
    add("norm", [norms, choices.norm], (change) => [element("select", { "data-testid": "cure-norm-option", "aria-label": say("cure_norm"), onchange: (/** @type {Event} */ event) => change({ norm: /** @type {HTMLSelectElement} */ (event.target).value || null }) },
      element("option", { value: "" }, say("no_norm")), ...norms.map((/** @type {any} */ each) => element("option", { value: each.path, selected: choices.norm === each.path }, each.name)))]);
  const labels = visit.repairs.filter((/** @type {any} */ each) => each.kind === "labels");
  const exchanged = (open.exchange?.pairs ?? []).filter((/** @type {any} */ pair) => !labels.some((/** @type {any} */ each) => each.what.join() === pair.what.join()));
  if (open.exchange || labels.length)
    add("exchange", [open.exchange, labels], (change) => [element("p", { class: "quiet" }, say("cure_exchange_why")),
      ...exchanged.map((/** @type {any} */ pair) => button("cure-exchange-accept", say("exchange", { first: pair.what[0], second: pair.what[1], trials: pair.trials.join(", ") }), () => change({ repair: { kind: "labels", what: pair.what, trials: pair.trials } }))),
      ...labels.map((/** @type {any} */ each) => element("p", {}, named(each.what.join(" ↔ ")), each.trials ? ` (${each.trials.join(", ")}) ` : " ", button("cure-undo-one", say("undo"), () => change({ unrepair: each }))))],
    labels.length && !exchanged.length ? { unrepair: labels.at(-1) } : null);
  if (open.channels)
    add("channels", [open.channels, choices.channels], (change) => channels(open.channels.labels, choices.channels ?? {}, visit, change), choices.channels ? { channels: Object.fromEntries(Object.keys(choices.channels).map((label) => [label, null])) } : null);
  if (open.copies)
    add("copies", [open.copies, left], (change) => [element("p", { class: "quiet" }, say("cure_copies_why")),
      ...open.copies.pairs.flatMap((/** @type {string[]} */ pair, /** @type {number} */ i) => pair.map((trial, j) => {
        const file = fileOf(visit, trial);
        return button("cure-copies-leave-out", say("leave_out", { files: file }), () => change(out(file)), { "data-file": file, "aria-pressed": String(left.includes(file)), class: j === 0 ? "primary" : "", "data-pair": i });
      }))]);
  if (open.unreadable)
    add("unreadable", [open.unreadable, left], (change) => open.unreadable.files.flatMap((/** @type {any} */ each) => [element("p", {}, named(each.file), ": ", element("span", { class: "quiet" }, each.why)),
      button("cure-unreadable-leave-out", say("leave_out", { files: each.file }), () => change(out(each.file)), { "data-file": each.file, "aria-pressed": String(left.includes(each.file)) })]));
  if (left.length)
    add("left-out", left, (change) => left.map((/** @type {string} */ name) => element("p", {}, named(name), " ", button("take-back", say("take_back"), () => change(out(name)), { "data-file": name }))), { exclude: null });
  add("condition", [choices.conditions, visit.files.map((/** @type {any} */ each) => each.name), subject.footwear, subject.aid], (change) => [conditions(visit, change)]);
  return made;
}

/** @param {string} id @param {string} value @param {boolean} taken @param {() => void} done @param {string} words */
function choice(id, value, taken, done, words) {
  return button(id, words, done, { value, "aria-pressed": String(taken) });
}

/** @param {string} name */
function stem(name) {
  return name.replace(/\.[^.]*$/, "");
}

/** @param {any} visit @param {string} trial */
function fileOf(visit, trial) {
  return visit.files.find((/** @type {any} */ each) => stem(each.name) === trial)?.name ?? trial;
}

/** @param {any} visit @param {string} file */
function fileWords(visit, file) {
  const known = visit.files.find((/** @type {any} */ each) => stem(each.name) === stem(file) || each.name === file);
  return known?.seconds ? `${known.name}, ${shown(known.seconds, 1)} s` : file;
}

/** @param {string[]} keys @param {any} subject @param {(what: any) => void} change */
function measurements(keys, subject, change) {
  const fields = keys.flatMap((key) => (LEGS.includes(key) ? ["left", "right"] : [""]).map((leg) => ({ key, leg })));
  const box = element("div", { class: "fields" }, ...fields.map(({ key, leg }) => {
    const value = leg && typeof subject[key] === "object" ? subject[key][leg] : subject[key];
    const range = /** @type {Record<string, number[]>} */ (RANGES)[key];
    if (key === "same_placement") return element("label", {}, element("input", { type: "checkbox", "data-testid": "cure-measurements-field", "data-key": key, checked: value === true }), ` ${say(key)}`);
    return element("label", {}, `${say(key)} ${leg ? say(leg) : ""} `, element("input", { type: "text", inputmode: "decimal", size: "6", "data-testid": "cure-measurements-field", "data-key": key, "data-leg": leg, value: value === undefined ? "" : shown(Number(value), 0) }),
      element("small", {}, range ? ` mm, ${range.join("–")}` : ""));
  }));
  const save = () => {
    /** @type {Record<string, any>} */
    const said = {};
    for (const each of box.querySelectorAll("input")) {
      const { key, leg } = each.dataset;
      if (!key) continue;
      if (each.type === "checkbox") said[key] = each.checked || null;
      else if (each.value.trim()) {
        const value = typed(each.value);
        const [low, high] = /** @type {Record<string, number[]>} */ (RANGES)[key] ?? [-Infinity, Infinity];
        if (!(value >= low && value <= high)) {
          tell(say("range", { what: say(key), low, high }));
          each.focus();
          return;
        }
        if (leg) said[key] = { ...said[key], [leg]: value };
        else said[key] = value;
      }
    }
    change({ subject: said });
  };
  return [element("p", { class: "quiet" }, say("cure_measurements_why")), box, button("cure-measurements-save", say("save"), save)];
}

/** @param {string[]} labels @param {Record<string, string>} chosen @param {any} visit @param {(what: any) => void} change */
function channels(labels, chosen, visit, change) {
  const muscles = Object.entries(speech.words[speech.language].muscles).sort((a, b) => String(a[1]).localeCompare(String(b[1])));
  const rows = labels.map((label) => element("label", { class: "channel" }, named(label), " ", element("select", { "data-testid": "cure-channel", "data-label": label,
    onchange: (/** @type {Event} */ event) => change({ channels: { [label]: /** @type {HTMLSelectElement} */ (event.target).value || null } }) },
    element("option", { value: "" }, "…"), element("option", { value: "none", selected: chosen[label] === "none" }, say("no_muscle")),
    ...["L", "R"].map((side) => element("optgroup", { label: say(side === "L" ? "left" : "right") }, ...muscles.map(([muscle, words]) =>
      element("option", { value: `${side} ${muscle}`, selected: chosen[label] === `${side} ${muscle}` }, `${say(side === "L" ? "left" : "right")} ${words}`)))))));
  return [element("p", { class: "quiet" }, say("cure_channels_why")),
    visit.last_channels ? button("cure-channel-same-as-last", say("same_as_last"), () => change({ channels: Object.fromEntries(labels.filter((label) => label in visit.last_channels).map((label) => [label, visit.last_channels[label]])) })) : null, ...rows];
}

/** Markers of no known set, named one by one. @param {string[]} labels @param {any} visit @param {(what: any) => void} change */
function markers(labels, visit, change) {
  const chosen = visit.choices.markers ?? visit.proposed_markers;
  const side = (/** @type {string} */ name) => ({ L: "left", R: "right" }[name.slice(0, name.indexOf(" "))] ?? "middle");
  const called = (/** @type {string} */ name) => say(`point.${name.slice(name.indexOf(" ") + 1)}`);
  const rows = labels.map((label) => element("label", { class: "channel" }, named(label), " ", element("select", { "data-testid": "cure-marker-set-role", "data-label": label },
    element("option", { value: "" }, "…"), ...["left", "right", "middle"].map((of) => element("optgroup", { label: say(of) },
      ...visit.marker_names.filter((/** @type {string} */ name) => side(name) === of).map((/** @type {string} */ name) =>
        element("option", { value: name, selected: chosen[label] === name }, of === "middle" ? called(name) : `${say(of)} ${called(name)}`)))))));
  const box = element("div", {}, ...rows);
  const figure = element("div", { class: "figure", "aria-hidden": "true" });
  box.addEventListener("focusin", (event) => point(figure, /** @type {HTMLElement} */ (event.target).dataset.label));
  box.addEventListener("pointerover", (event) => point(figure, /** @type {HTMLElement} */ (event.target).closest("label")?.querySelector("select")?.dataset.label));
  const draw = () => figure.childElementCount || attempt(async () => drawMarkers(figure, await ask("GET", `/api/visits/${encodeURIComponent(visit.id)}/markers`)));
  if (!labels.length) return null;
  return element("details", { open: Boolean(visit.choices.markers), ontoggle: (/** @type {Event} */ event) => /** @type {HTMLDetailsElement} */ (event.target).open && draw() },
    element("summary", { "data-testid": "cure-marker-set-names" }, say("marker_names")), element("p", { class: "quiet" }, say("marker_names_why")), figure, box,
    button("cure-marker-set-save", say("save"), () => change({ marker_set: null, markers: Object.fromEntries([...box.querySelectorAll("select")].map((each) => [each.dataset.label ?? "", each.value || null])) })));
}

/** The markers from two sides, along the laboratory's axes. @param {HTMLElement} figure @param {Record<string, number[]>} places */
function drawMarkers(figure, places) {
  const all = Object.entries(places).filter(([, place]) => place.every(Number.isFinite));
  const [low, high] = [Math.min, Math.max].map((end) => end(...all.map(([, place]) => place[2])));
  const scale = 190 / Math.max(high - low, 0.1);
  figure.append(...[0, 1].flatMap((axis) => all.map(([label, place]) => {
    const dot = element("i", { title: label, "data-label": label });
    dot.style.left = `${80 + 160 * axis + Math.max(-75, Math.min(75, scale * place[axis]))}px`;
    dot.style.bottom = `${5 + scale * (place[2] - low)}px`;
    return dot;
  })));
}

/** @param {HTMLElement} figure @param {string | undefined} label */
function point(figure, label) {
  for (const dot of figure.children) dot.classList.toggle("at", label !== undefined && /** @type {HTMLElement} */ (dot).dataset.label === label);
}

/** @param {any} visit @param {(what: any) => void} change */
function conditions(visit, change) {
  const { choices } = visit;
  const subject = choices.subject ?? {};
  const select = (/** @type {string} */ key, /** @type {string[]} */ values) => element("label", {}, `${say(key)} `, element("select", { "data-testid": `cure-condition-${key}`, onchange: (/** @type {Event} */ event) => change({ subject: { [key]: /** @type {HTMLSelectElement} */ (event.target).value || null } }) },
    element("option", { value: "" }, say("not_stated")), ...values.map((value) => element("option", { value, selected: subject[key] === value }, say(`worn_${value.replaceAll(" ", "_")}`)))));
  const words = visit.files.filter((/** @type {any} */ each) => each.readable !== false).map((/** @type {any} */ each) => element("label", {}, named(stem(each.name)), " ",
    element("input", { type: "text", "data-testid": "cure-condition-field", "data-file": each.name, dir: "auto", size: "14", value: choices.conditions?.[stem(each.name)] ?? "" })));
  const box = element("div", { class: "fields" }, ...words);
  return element("details", { open: panel.cure === "condition" || Boolean(choices.conditions) }, element("summary", {}, say("condition_each")), select("footwear", ["barefoot", "shod", "orthosis", "orthosis left", "orthosis right"]), " ", select("aid", ["none", "walker", "crutches", "hand held", "rail"]), box,
    button("cure-condition-save", say("save"), () => change({ conditions: Object.fromEntries([...box.querySelectorAll("input")].map((each) => [stem(each.dataset.file ?? ""), each.value.trim() || null])) })));
}

/** @param {any} visit */
function doctor(visit) {
  const lines = visit.said.map((/** @type {string} */ line) => element("li", {}, line));
  const rest = lines.splice(FOLDED);
  return element("section", {}, element("h3", {}, say("doctor")), element("ul", {}, ...(lines.length ? lines : [element("li", {}, say("nothing_said"))])),
    rest.length ? element("details", {}, element("summary", {}, say("more", { n: rest.length })), element("ul", {}, ...rest)) : null);
}

/** @param {any} visit @param {(what: any) => void} change */
function files(visit, change) {
  return element("details", {}, element("summary", {}, say("files", { n: visit.files.length })), element("table", {}, ...visit.files.map((/** @type {any} */ each) => element("tr", {},
    element("td", {}, named(each.name)), element("td", {}, each.readable === false ? say("unreadable") : each.static ? say("static_trial") : each.out ? say("left_out") : ""),
    element("td", {}, each.seconds ? `${shown(each.seconds, 1)} s` : ""),
    element("td", {}, button("file-leave-out", each.out ? say("take_back") : say("leave_out_this"), () => change(each.out ? { take_in: [each.name] } : { leave_out: [each.name] }), { "data-file": each.name }))))),
    visit.films.length ? element("p", { class: "quiet" }, `${say("films")}: ${visit.films.join(", ")}`) : null);
}

/** @param {any} visit */
function byHand(visit) {
  return element("section", {}, element("h3", {}, say("by_hand")), element("code", { "data-testid": "command", tabindex: "0" }, visit.command), " ",
    button("command-copy", say("copy"), () => attempt(async () => {
      await navigator.clipboard.writeText(visit.command);
      tell(say("copied"));
    })));
}

/** What the results can be handed on as; all of it is written into the desk's own folder. @param {any} visit */
function exported(visit) {
  const make = (/** @type {string} */ kind, /** @type {string} */ code = "") => attempt(async () => {
    await ask("POST", `/api/visits/${visit.id}/export`, { kind, code, who: sessionStorage.getItem("who") ?? "" });
    tell(say("export_started"));
  });
  const code = element("input", { type: "text", size: "8", "data-testid": "export-code", placeholder: say("code"), "aria-label": say("code") });
  return element("section", {}, element("h3", {}, say("export")),
    button("export-pdf", say("export_pdf"), () => attempt(async () => window.open((await ask("GET", `/api/visits/${visit.id}/media/report.pdf`)).url))), " ",
    ...(visit.stage === "signed" ? [button("export-signed", say("export_signed"), () => make("signed")), " "] : []),
    button("export-page", say("export_page"), () => make("page")), " ", button("export-xlsx", say("export_xlsx"), () => make("xlsx")), " ", code, " ",
    button("export-pseudonym", say("export_pseudonym"), () => {
      const given = /** @type {HTMLInputElement} */ (code).value.trim();
      if (given) make("pseudonym", given);
      else code.focus();
    }), element("p", { class: "quiet" }, say("export_where")));
}

/** @param {any} visit */
function journal(visit) {
  return element("details", {}, element("summary", {}, say("journal", { n: visit.journal.length })), element("ul", { class: "plain" }, ...visit.journal.slice(-20).reverse().map((/** @type {any} */ each) =>
    element("li", {}, element("small", {}, `${moment(each.time)} `), named(each.who), ` ${say(`did_${each.what}`)}`))));
}
