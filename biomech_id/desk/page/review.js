// The review page inside the desk: the same modules as the offline page, each decision kept as it is made, and run again from here.
import { Refused, ask, attempt, enter, listen, tell } from "./api.js";
import { button, element, named, say, speech } from "./dom.js";

const id = new URLSearchParams(location.search).get("visit") ?? "";
const saving = { revision: "", want: /** @type {string | null} */ (null), busy: false, state: "saved" };
/** @type {any} */
let visit = null;
let ran = false;
/** @type {Record<string, any>} */
const films = {};
const state = element("span", { "data-testid": "save-state", "data-state": "saved", role: "status" });
const conflict = element("span", {});
const rerun = button("rerun", "", run, { disabled: true });
const progress = element("progress", { max: "1", value: "0", hidden: true });
const changes = element("details", { class: "changes", "data-testid": "changes", open: true, hidden: true });

/** @param {string} name @param {string} [more] */
function show(name, more = "") {
  saving.state = name;
  state.dataset.state = name;
  state.textContent = say(`save_${name}`) + (more ? `: ${more}` : "");
}

/** Keep the decisions: the whole file, in order, one under way at a time. @param {string} toml */
async function save(toml) {
  saving.want = toml;
  if (saving.busy) return;
  saving.busy = true;
  while (saving.want !== null) {
    /** @type {string} */
    const text = saving.want;
    saving.want = null;
    show("saving");
    try {
      const answer = await ask("PUT", `/api/visits/${id}/review.toml`, { toml: text, who: sessionStorage.getItem("who") ?? "" }, { "If-Match": saving.revision });
      saving.revision = answer.revision;
      show("saved", new Date().toLocaleTimeString(speech.language));
    } catch (error) {
      if (error instanceof Refused && error.status === 412) resolve(text, error.body.revision);
      else if (error instanceof Refused) show("refused", error.message);
      else {
        show("away");
        saving.want ??= text;
        await new Promise((again) => setTimeout(again, 2000));
      }
    }
  }
  saving.busy = false;
}

/** Somebody else was first: one of the two is kept, and nothing is overwritten unseen. @param {string} mine @param {string} revision */
function resolve(mine, revision) {
  show("conflict");
  conflict.replaceChildren(button("keep-mine", say("keep_mine"), () => {
    saving.revision = revision;
    conflict.replaceChildren();
    save(mine);
  }), button("take-theirs", say("take_theirs"), () => {
    show("saved");
    location.reload();
  }));
}

/** A film's tie goes into the visit's choices, held against what was seen of them. @param {string} name @param {any} tie */
async function tieFilm(name, tie) {
  const who = sessionStorage.getItem("who") ?? "";
  const answer = await ask("PATCH", `/api/visits/${id}/choices`, { change: { film: { [name]: tie } }, who }, { "If-Match": visit.revision });
  visit.revision = answer.revision;
  films[name] = tie;
}

/** @param {string} name @returns {Promise<string>} */
async function openFilm(name) {
  return (await ask("GET", `/api/visits/${id}/media/${encodeURIComponent(name)}`)).url;
}

async function run() {
  if (saving.state !== "saved") return;
  ran = true;
  /** @type {HTMLButtonElement} */ (rerun).disabled = true;
  await attempt(() => ask("POST", `/api/visits/${id}/run`, { who: sessionStorage.getItem("who") ?? "" }));
}

/** How far the visit is now. */
async function look() {
  visit = await ask("GET", `/api/visits/${id}`);
  Object.assign(films, visit.choices.film);
  const working = ["waiting", "running"].includes(visit.stage);
  /** @type {HTMLButtonElement} */ (rerun).disabled = working || !["changed", "failed"].includes(visit.stage);
  progress.hidden = !working;
  if (visit.stage === "failed") tell(visit.failed.join(" "));
  if (ran && visit.stage === "review") location.reload();
}

function bar() {
  const who = element("input", { type: "text", "data-testid": "author", id: "desk-author", dir: "auto", autocomplete: "off", value: sessionStorage.getItem("who") ?? "",
    oninput: (/** @type {Event} */ event) => {
      const name = /** @type {HTMLInputElement} */ (event.target).value.trim();
      sessionStorage.setItem("who", name);
      const own = /** @type {HTMLInputElement | null} */ (document.getElementById("author"));
      if (own) {
        own.value = name;
        own.dispatchEvent(new Event("input"));
      }
    } });
  rerun.textContent = say("rerun");
  return element("header", { class: "top" }, element("a", { href: "/", "data-testid": "back" }, say("back")), element("strong", {}, named(visit.visit)), state, conflict,
    element("span", { class: "live", role: "status", "data-testid": "live" }), progress, rerun,
    element("label", { class: "who" }, `${say("author")} `, who), element("a", { href: `/?sign=${id}`, "data-testid": "to-sign" }, say("to_sign")));
}

/** @param {string} source */
function script(source) {
  return new Promise((done, failed) => document.body.append(element("script", { src: source, onload: done, onerror: failed })));
}

/** What the page is filled with; it is made once, after a run. @returns {Promise<any>} */
async function content() {
  for (;;) {
    const made = await ask("GET", `/api/visits/${id}/review`);
    if (made?.data) return made;
    await new Promise((again) => setTimeout(again, 500));
  }
}

async function drawChanges() {
  const { rows } = await ask("GET", `/api/visits/${id}/changes`);
  changes.hidden = !rows.length;
  changes.replaceChildren(element("summary", {}, say("changes")), element("table", {}, ...rows.map((/** @type {any} */ row) => element("tr", { "data-testid": "change-row", "data-beyond": String(row.beyond) },
    element("td", {}, row.what), element("td", {}, row.side && say(row.side === "L" ? "left" : "right")), element("td", {}, `${row.old} → ${row.new} ${row.unit}`), element("td", {}, say(row.beyond ? "beyond" : "within"))))));
}

async function start() {
  speech.words = await (await fetch("/words.json")).json();
  if (!(speech.language in speech.words)) speech.language = "en";
  document.documentElement.lang = speech.language;
  if (!(await enter())) {
    document.body.append(element("p", { class: "notice" }, say("no_key")));
    return;
  }
  visit = await ask("GET", `/api/visits/${id}`);
  document.title = visit.visit;
  const top = bar();
  const waiting = element("p", { class: "notice", "data-testid": "preparing" }, say("preparing"));
  document.body.append(top, waiting);
  const [made, decided] = [await content(), await ask("GET", `/api/visits/${id}/review.toml`)];
  saving.revision = decided.revision;
  made.data.sessions[0].decisions = decided.decisions;
  made.data.language = speech.language;
  waiting.remove();
  document.body.append(element("script", { type: "application/json", id: "data" }, JSON.stringify(made.data)));
  for (const [name, text] of Object.entries(made.blocks)) document.body.append(element("script", { type: "text/plain", id: name }, text));
  Object.assign(films, visit.choices.film);
  /** @type {any} */ (globalThis).biomechPort = { memory: null, author: sessionStorage.getItem("who") ?? "", changed: save, leaving: () => saving.state !== "saved", films: visit.films, ties: films, byHand: false, openFilm, tieFilm };
  for (const source of ["/three.js", "/uplot.js", "/review-app.js"]) await script(source);
  document.body.prepend(top);
  document.body.append(changes);
  show("saved");
  await look();
  await attempt(drawChanges);
  listen((kind, values) => {
    if (kind === "job" && values.visit === id && values.kind === "run") {
      /** @type {HTMLProgressElement} */ (progress).value = values.share;
      progress.hidden = false;
    } else if (kind === "visit" && values.id === id) attempt(look);
    else if (kind === "away") tell(say("away"));
  });
}

// Nobody decides without a name: it is asked for before the first decision.
document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element) || !event.target.closest("[data-decide]") || sessionStorage.getItem("who")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  tell(say("who_first_author"));
  document.getElementById("desk-author")?.focus();
}, true);
start().catch((error) => document.body.append(element("p", { class: "notice", role: "alert", "data-testid": "review-failed" }, error instanceof Error ? error.message : String(error), " ", element("a", { href: "/" }, say("back")))));
