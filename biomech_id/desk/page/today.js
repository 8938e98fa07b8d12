// Today: a row a visit, with a grade a layer, cycles to expect, what is open, and one main button.
import { ask } from "./api.js";
import { button, day, element, named, redraw, say } from "./dom.js";

const LAYERS = ["kinematics", "kinetics", "emg"];
const FILTERS = ["", "new", "review", "changed", "signed", "failed"];
const SHAPES = { accept: "●", warn: "▲", reject: "✕" };
const PAGE = 50;

/** @type {{rows: any[], counts: Record<string, number>, total: number, search: string, state: string, after: number, read_only: boolean, holder: any, progress: (job: any) => boolean}} */
export const today = {
  rows: [], counts: {}, total: 0, search: "", state: "", after: 0, read_only: false, holder: {},
  /** Show how far a job is without asking for rows again; false where the row has to change. @param {any} job */
  progress(job) {
    if (job.kind === "look") return !["done", "failed", "cancelled"].includes(job.state);
    if (job.state !== "runs") return false;
    const row = document.querySelector(`[data-key="${CSS.escape(job.visit)}"]`);
    const bar = /** @type {HTMLProgressElement | null} */ (row?.querySelector("progress") ?? null);
    if (!bar) return job.kind !== "run";
    bar.value = job.share;
    bar.title = stageWords(job);
    return true;
  },
};

/** @param {any} job */
export function stageWords(job) {
  return [say(`step_${job.stage || "start"}`), job.trial].filter(Boolean).join(": ");
}

/** @param {HTMLElement} main @param {{show: (id: string, cure?: string) => void, act: (what: string, row: any) => void, refresh: () => void}} does */
export async function drawToday(main, does) {
  const asked = new URLSearchParams({ search: today.search, state: today.state, after: String(today.after), limit: String(PAGE) });
  const answer = await ask("GET", `/api/today?${asked}`);
  Object.assign(today, answer);
  const unseen = answer.rows.filter((/** @type {any} */ row) => row.look === "looking").map((/** @type {any} */ row) => row.id);
  if (unseen.length) ask("POST", "/api/look", { ids: unseen });
  let list = /** @type {HTMLElement | null} */ (main.querySelector(".rows"));
  let head = /** @type {HTMLElement | null} */ (main.querySelector(".head"));
  if (!list || !head || main.dataset.screen !== "today") {
    head = element("div", { class: "head" });
    list = element("div", { class: "rows", role: "list" });
    main.dataset.screen = "today";
    main.dataset.testid = "today";
    main.replaceChildren(head, list);
  }
  redraw(head, [{ key: "head", of: [answer.counts, answer.total, today.state, today.after, answer.read_only, answer.rows.map((/** @type {any} */ row) => row.ready && row.stage)], make: () => heading(answer, does) }]);
  const columns = { key: "columns", of: "", make: () => element("div", { class: "row labels", "aria-hidden": "true" }, ...["visit", "layers", "cycles", "to_do", "state"].map((name) => element("span", {}, say(name)))) };
  const rows = answer.rows.map((/** @type {any} */ row) => ({ key: row.id, of: { ...row, job: row.job?.number, ro: answer.read_only }, make: () => rowOf(row, does, answer.read_only) }));
  redraw(list, [columns, ...(rows.length ? rows : [{ key: "none", of: "", make: () => element("p", { class: "notice" }, say("no_visits")) }])]);
}

/** @param {any} answer @param {any} does */
function heading(answer, does) {
  const all = Object.values(answer.counts).reduce((sum, n) => sum + n, 0);
  const ready = answer.rows.filter((/** @type {any} */ row) => row.ready && ["new", "changed"].includes(row.stage));
  const filters = FILTERS.map((state) => button(`filter-${state || "all"}`, `${say(state ? `stage_${state}` : "all")} ${state ? answer.counts[state] ?? 0 : all}`, () => {
    Object.assign(today, { state, after: 0 });
    does.refresh();
  }, { "aria-pressed": String(today.state === state), class: "filter" }));
  const pages = answer.total > PAGE || today.after ? element("span", { class: "pages" },
    button("page-back", "◀", () => turn(-PAGE), { disabled: today.after === 0, "aria-label": say("newer") }),
    ` ${today.after + 1}–${today.after + answer.rows.length} / ${answer.total} `,
    button("page-on", "▶", () => turn(PAGE), { disabled: today.after + PAGE >= answer.total, "aria-label": say("older") })) : null;
  const turn = (/** @type {number} */ by) => {
    today.after = Math.max(0, today.after + by);
    does.refresh();
  };
  const locked = answer.read_only ? element("p", { class: "locked", "data-testid": "read-only" }, say("read_only", { host: String(answer.holder.host ?? "?") }), " ",
    Date.now() / 1000 - Number(answer.holder.time ?? 0) > 60 ? button("take-over", say("take_over"), async () => {
      await ask("POST", "/api/lock", {});
      does.refresh();
    }) : null) : null;
  return element("div", {}, element("h1", {}, say("today"), " ", element("small", {}, named(answer.archive))), locked,
    element("div", { class: "bar" }, ...filters, button("run-all", say("run_all", { n: ready.length }), () => does.act("run-all", ready), { disabled: !ready.length || answer.read_only, class: "primary" }), pages));
}

/** @param {any} row @param {string} layer */
export function pill(row, layer) {
  const grade = row.layers[layer] ?? "not judged";
  const words = `${say(layer)}: ${say(`grade_${grade.replace(" ", "_")}`)}`;
  return element("span", { class: "pill", "data-testid": `layer-${layer}`, "data-grade": grade, "data-source": row.source, title: say(row.source) },
    element("span", { "aria-hidden": "true" }, /** @type {Record<string, string>} */ (SHAPES)[grade] ?? "○", " "), words);
}

/** @param {any} row */
function cyclesOf(row) {
  const [left, right] = ["L", "R"].map((side) => row.cycles[side] ?? 0);
  const kinetics = ["L", "R"].map((side) => row.kinetics[side] ?? 0);
  return element("span", { class: "cycles", "data-testid": "cycles", "data-left": left, "data-right": right, "data-kinetics": kinetics.join(" ") },
    say("cycles_sides", { left, right }), element("br"), element("small", {}, say("with_kinetics", { left: kinetics[0], right: kinetics[1] })));
}

/** @param {any} row @param {any} does @param {boolean} locked */
function rowOf(row, does, locked) {
  const told = row.look === "looking" && row.source === "expected"
    ? element("span", { class: "quiet", "data-testid": "looking" }, say("looking"))
    : row.look === "failed" && row.source === "expected"
      ? element("span", { class: "bad", "data-testid": "look-failed" }, say("look_failed"))
      : element("span", { class: "pills" }, ...LAYERS.map((layer) => pill(row, layer)));
  // What was signed has nothing left to do; its panel still shows what could be changed.
  const cures = (row.stage === "signed" ? [] : row.cures).map((/** @type {string} */ kind) => button(`open-cure-${kind}`, say(`cure_${kind}`), () => does.show(row.id, kind), { class: "cure" }));
  const failed = row.failed.length ? element("span", { class: "bad", "data-testid": "failed" }, ...row.failed.map((/** @type {string} */ line) => element("span", {}, line))) : null;
  return element("div", { class: "row", role: "listitem", "data-testid": "visit-row", "data-visit": row.visit, "data-stage": row.stage },
    element("span", { class: "name" }, button("open-visit", row.patient, () => does.show(row.id), { class: "link", dir: "auto" }), element("br"), named(row.patient === row.name ? "" : row.name), element("br"), element("small", {}, day(row.newest))),
    told, row.look === "looked" || row.source === "found" ? cyclesOf(row) : element("span", { class: "cycles" }),
    element("span", { class: "cures" }, ...cures, failed),
    element("span", { class: "state" }, element("span", { "data-testid": "stage" }, say(`stage_${row.stage}`)),
      row.signed.length ? element("strong", { class: "good" }, `✓ ${say("version", { n: row.signed.at(-1).version })}`) : null, ...actions(row, does, locked)));
}

/** @param {any} row @param {any} does @param {boolean} locked */
function actions(row, does, locked) {
  const review = button("action-review", say("review"), () => does.act("review", row));
  const run = button("action-run", say(row.has_results ? "run_again" : "run"), () => does.act("run", row), { class: "primary", disabled: locked || !row.ready, title: row.ready ? "" : say("not_ready") });
  if (row.stage === "waiting" || row.stage === "running") {
    const bar = element("progress", { max: "1", value: String(row.job?.share ?? 0), "data-testid": "progress", "aria-label": say("progress") });
    return [bar, row.job ? button("action-cancel", say("cancel"), () => does.act("cancel", row), { disabled: locked }) : null];
  }
  if (row.stage === "review") return [review, button("action-sign", say("sign"), () => does.act("sign", row), { class: "primary", disabled: locked })];
  if (row.stage === "signed") return [review];
  if (row.stage === "failed") return [run, button("action-dismiss", say("dismiss"), () => does.act("dismiss", row))];
  return row.has_results ? [run, review] : [run];
}
