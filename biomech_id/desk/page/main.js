// The desk put together: top bar, screens, and what an event changes.
import { ask, attempt, enter, listen, tell } from "./api.js";
import { comparePage } from "./compare.js";
import { choicesKept, drawPanel, panel } from "./cures.js";
import { button, element, say, speech } from "./dom.js";
import { drawLaboratory } from "./laboratory.js";
import { patientsPage } from "./patients.js";
import { drawQueue, queue } from "./run.js";
import { drawSign } from "./sign.js";
import { drawToday, today } from "./today.js";

const SCREENS = ["today", "patients", "compare", "laboratory"];
const screen = { name: "today" };
/** @type {number | undefined} */
let waiting;
let bar = element("header", { class: "top" });
const main = element("main", { class: "screen" });
const aside = element("aside", { class: "side", "aria-live": "off" });

function build() {
  document.documentElement.lang = speech.language;
  document.title = say("desk");
  const tabs = element("nav", { "aria-label": say("screens") }, ...SCREENS.map((name) =>
    button(`tab-${name}`, say(name), () => open(name), { "aria-current": screen.name === name ? "page" : null })));
  const search = element("input", { type: "search", "data-testid": "search", placeholder: say("search"), "aria-label": say("search"), value: today.search,
    oninput: (/** @type {Event} */ event) => {
      today.search = /** @type {HTMLInputElement} */ (event.target).value;
      today.after = 0;
      soon();
    } });
  const who = element("input", { type: "text", "data-testid": "who", id: "who", value: sessionStorage.getItem("who") ?? "", dir: "auto", autocomplete: "off",
    oninput: (/** @type {Event} */ event) => sessionStorage.setItem("who", /** @type {HTMLInputElement} */ (event.target).value.trim()) });
  const language = element("select", { "data-testid": "language", "aria-label": say("language"), onchange: (/** @type {Event} */ event) => {
    speech.language = /** @type {HTMLSelectElement} */ (event.target).value;
    sessionStorage.setItem("language", speech.language);
    build();
    refresh();
  } }, ...Object.entries(speech.words).map(([each, words]) => element("option", { value: each, selected: each === speech.language }, words.name)));
  const fresh = element("header", { class: "top" }, element("strong", {}, say("desk")), tabs, search,
    element("span", { class: "live", role: "status", "aria-live": "polite", "data-testid": "live" }),
    element("label", { class: "who" }, say("who"), " ", who), language);
  bar.replaceWith(fresh);
  bar = fresh;
}

/** @param {string} name */
function open(name) {
  screen.name = name;
  main.replaceChildren();
  build();
  // A visit's panel belongs to lists of visits.
  if (["compare", "laboratory"].includes(name)) close();
  else refresh();
}

/** Everything anew, as the desk has it now. */
async function refresh() {
  if (screen.name === "patients") await attempt(() => patientsPage(main, show));
  else if (screen.name === "compare") await attempt(() => comparePage(main));
  else if (screen.name === "laboratory") await attempt(() => drawLaboratory(main, { who, refresh: soon, search: today.search }));
  else await attempt(() => drawToday(main, { show, act, refresh: soon }));
  await attempt(drawQueue);
  if (panel.sign) await attempt(() => drawSign(aside, panel.visit, close));
  else if (panel.visit) await attempt(() => drawPanel(aside, { act, refresh: soon, close }));
  aside.hidden = !panel.visit && !queue.jobs.length;
}

function soon() {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 120);
}

/** @param {string} id @param {string} [cure] */
function show(id, cure) {
  if (panel.visit !== id || panel.sign) aside.replaceChildren(queue.host);
  Object.assign(panel, { visit: id, cure: cure ?? "", sign: false });
  refresh();
}

function close() {
  Object.assign(panel, { visit: "", sign: false });
  aside.replaceChildren(queue.host);
  refresh();
}

/** Ask who is working before anything is decided. @returns {string | null} */
function who() {
  const name = sessionStorage.getItem("who");
  if (name) return name;
  tell(say("who_first"));
  document.getElementById("who")?.focus();
  return null;
}

/** What a button of a row does. @param {string} what @param {any} row */
async function act(what, row) {
  if (what === "review") location.assign(`/review.html?visit=${row.id}`);
  else if (what === "sign") {
    aside.replaceChildren(queue.host);
    Object.assign(panel, { visit: row.id, sign: true });
    aside.hidden = false;
    await attempt(() => drawSign(aside, row.id, close));
    soon();
  } else if (what === "cancel") await attempt(() => ask("DELETE", `/api/jobs/${row.job.number}`, {}));
  else if (what === "dismiss") await attempt(() => ask("DELETE", `/api/visits/${row.id}/failed`, {}));
  else if (what === "look") await attempt(() => ask("POST", "/api/look", { ids: [row.id], again: true }));
  else if (what === "run") {
    const name = who();
    await choicesKept();
    if (name !== null) await attempt(() => ask("POST", `/api/visits/${row.id}/run`, { who: name }));
  } else if (what === "run-all") {
    const name = who();
    await choicesKept();
    for (const each of name === null ? [] : row) await attempt(() => ask("POST", `/api/visits/${each.id}/run`, { who: name }));
  }
  soon();
}

/** @param {string} kind @param {any} values */
function heard(kind, values) {
  if (kind === "job") {
    queue.heard(values);
    if (values.kind === "run" && ["done", "failed", "cancelled"].includes(values.state)) tell(say(`ended_${values.state}`, { visit: today.rows.find((row) => row.id === values.visit)?.visit ?? "" }));
    if (!today.progress(values)) soon();
  } else if (kind === "away") tell(say("away"));
  else soon();
}

/** @param {KeyboardEvent} event */
function key(event) {
  if (event.target instanceof HTMLElement && event.target.matches("input, select, textarea")) return;
  if (event.key === "/") {
    event.preventDefault();
    /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="search"]'))?.focus();
  } else if (event.key === "Escape" && panel.visit) close();
  else if (key.before === "g") {
    const name = { t: "today", p: "patients", c: "compare", l: "laboratory" }[event.key];
    if (name) open(name);
  }
  key.before = event.key;
}
key.before = "";

async function start() {
  const words = await (await fetch("/words.json")).json();
  speech.words = words;
  if (!(speech.language in words)) speech.language = "en";
  if (!sessionStorage.getItem("language") && navigator.language.slice(0, 2) in words) speech.language = navigator.language.slice(0, 2);
  if (!(await enter())) {
    document.body.replaceChildren(element("p", { class: "notice", "data-testid": "closed" }, say("no_key")));
    return;
  }
  document.body.replaceChildren(bar, element("div", { class: "columns" }, main, aside));
  aside.append(queue.host);
  build();
  listen(heard);
  addEventListener("keydown", key);
  addEventListener("focus", soon);
  const wanted = new URLSearchParams(location.search);
  if (wanted.get("sign")) act("sign", { id: wanted.get("sign") });
  history.replaceState(null, "", "/");
  await refresh();
}

start();
