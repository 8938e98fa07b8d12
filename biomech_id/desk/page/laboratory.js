// The laboratory: plates over sessions, signed versions that do not verify, norms and who is in them, a norm of the ticked visits, style.
import { ask, attempt, tell } from "./api.js";
import { button, element, named, redraw, say, shown, speech } from "./dom.js";
import { ticked } from "./patients.js";

/** Sessions that a chart learns from before it names a change. */
const LEARNS = 10;
const NINETY_FIVE = 1.96;
const form = { name: "" };

/** @param {HTMLElement} main @param {{who: () => string | null, refresh: () => void, search: string}} does */
export async function drawLaboratory(main, does) {
  const about = await ask("GET", `/api/laboratory?${new URLSearchParams({ search: does.search })}`);
  const [lab, verify] = [surveyed(about.surveys.lab), surveyed(about.surveys.verify)];
  // What was never asked since the desk was opened is asked by itself; afterwards by the buttons alone.
  if (!lab.task && about.runs && !about.read_only) start("lab");
  if (!verify.task && about.signed) start("verify");
  let host = /** @type {HTMLElement | null} */ (main.querySelector(".laboratory"));
  if (!host) {
    const [plates, rest] = [element("section", { class: "plates", "data-testid": "plates" }), element("section", { class: "rest" })];
    host = element("div", { class: "laboratory" }, plates, rest);
    main.dataset.screen = "laboratory";
    main.dataset.testid = "laboratory";
    main.replaceChildren(element("h1", {}, say("laboratory")), host);
  }
  main.firstElementChild?.replaceChildren(say("laboratory"));
  redraw(/** @type {HTMLElement} */ (host.children[0]), [
    { key: "plates", of: [lab, about.runs, about.read_only], make: () => plates(lab, about) },
    { key: "paper", of: [lab.made, Boolean(about.url), lab.at_work], make: () => element("div", { class: "paper" }, about.url && !lab.at_work ? element("iframe", { src: about.url, title: say("lab_charts"), "data-testid": "lab-pdf" }) : null) },
  ]);
  redraw(/** @type {HTMLElement} */ (host.children[1]), [
    { key: "signed", of: [verify, about.signed], make: () => signed(verify, about.signed) },
    { key: "norms", of: about.norms, make: () => norms(about) },
    { key: "build", of: [about.visits, about.built, about.read_only, [...ticked]], make: () => build(about, does) },
    { key: "style", of: about.style, make: () => style(about.style) },
  ]);
}

/** A command over all sessions: at work, failed, or what it said. @param {any} survey */
function surveyed(survey) {
  const state = survey.task?.state;
  return { ...survey, at_work: Boolean(state) && !["done", "failed", "cancelled"].includes(state), failed: state === "failed" || (state === "done" && survey.made === null) ? survey.task.lines.slice(-3) : [] };
}

/** A row for each plate, and one for what no plate is asked for: of each chart the latest session, and how many alarms. @param {any} told */
function rowsOf(told) {
  /** @type {Map<string, any>} */
  const rows = new Map();
  for (const chart of told.charts) {
    const sessions = chart.value.flatMap((/** @type {number | null} */ value, /** @type {number} */ at) => (value === null ? [] : [at]));
    const last = sessions.at(-1);
    const row = rows.get(chart.of) ?? { of: chart.of, sessions: 0, charts: {}, unusable: told.sessions.filter((/** @type {any} */ each) => chart.of in each.not_usable).length };
    row.sessions = Math.max(row.sessions, sessions.length);
    row.charts[chart.chart] = { value: chart.value[last], sd: chart.sd[last], mean: chart.mean[last], unit: chart.unit, alarms: chart.alarms.length, sessions: sessions.length };
    rows.set(chart.of, row);
  }
  return [...rows.values()];
}

/** A plate that recordings only number, as the language calls it. @param {string} name */
function plateWords(name) {
  return name.replace(/^plate (\d+)$/, `${say("plate")} $1`);
}

/** @param {string} kind */
function start(kind) {
  return attempt(() => ask("POST", `/api/laboratory/${kind}`, {}));
}

/** @param {number} time_ms */
function when(time_ms) {
  return new Date(time_ms).toLocaleString(speech.language === "en" ? "en-CA" : speech.language, { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hour12: false });
}

/** The same by hand, under a button's own name. @param {string} id @param {string} command */
function byHand(id, command) {
  return element("details", {}, element("summary", {}, say("by_hand")), element("code", { "data-testid": id }, command));
}

/** @param {any} lab @param {any} about */
function plates(lab, about) {
  const head = element("h2", {}, say("lab_plates"));
  if (!about.runs) return element("div", {}, head, element("p", { class: "quiet" }, say("lab_none")));
  const again = button("lab-again", say("lab_again"), () => start("lab"), { disabled: lab.at_work || about.read_only });
  const failed = lab.failed.map((/** @type {string} */ line) => element("p", { class: "bad", "data-testid": "lab-failed" }, `✕ ${line}`));
  if (lab.at_work || lab.made === null) return element("div", {}, head, element("p", { class: "quiet", "data-testid": "lab-reading" }, say(lab.at_work ? "lab_reading" : "lab_none")), ...failed, again, byHand("lab-command", lab.command));
  const rows = rowsOf(lab.told);
  const onPlates = rows.filter((/** @type {any} */ row) => row.of);
  const found = lab.told.findings.map((/** @type {any} */ each) => element("li", { class: each.severity, "data-testid": "lab-finding", "data-rule": each.rule }, each.severity === "info" ? "" : "▲ ", each.text.replaceAll("/results", "")));
  return element("div", {}, head, element("p", { class: "bar" }, element("span", {}, say("lab_made", { n: lab.told.sessions.length, time: when(lab.made) })), again), ...failed,
    found.length ? element("ul", { class: "plain" }, ...found) : element("p", { class: "quiet", "data-testid": "lab-quiet" }, say("lab_quiet")),
    onPlates.length ? table(onPlates) : null, ...rows.filter((/** @type {any} */ row) => !row.of).map(measures),
    element("p", { class: "quiet" }, say("lab_how")), byHand("lab-command", lab.command));
}

/** A row for each plate. @param {any[]} rows */
function table(rows) {
  const charts = [...new Set(rows.flatMap((row) => Object.keys(row.charts)))];
  return element("table", { class: "charts" }, heads([say("lab_plate"), ...charts.map(chartWords), say("lab_sessions"), say("state")]),
    element("tbody", {}, ...rows.map((row) => {
      const [state, colour, words] = stateOf(row);
      return element("tr", { "data-testid": "plate-row", "data-plate": row.of, "data-state": state }, element("th", { scope: "row" }, named(plateWords(row.of))),
        ...charts.map((name) => cell(row.charts[name])), element("td", {}, String(row.sessions)), element("td", { class: colour }, words));
    })));
}

/** A row for each thing that is measured without a plate. @param {any} row */
function measures(row) {
  return element("table", { class: "charts" }, heads([say("lab_measure"), say("lab_latest"), say("lab_sessions"), say("state")]),
    element("tbody", {}, ...Object.entries(row.charts).map(([name, chart]) => {
      const [state, colour, words] = stateOf({ charts: { [name]: chart }, sessions: chart.sessions, unusable: 0 });
      return element("tr", { "data-testid": "measure-row", "data-chart": name, "data-state": state }, element("th", { scope: "row" }, chartWords(name)), cell(chart), element("td", {}, String(chart.sessions)), element("td", { class: colour }, words));
    })));
}

/** @param {string[]} words */
function heads(words) {
  return element("thead", {}, element("tr", {}, ...words.map((each) => element("th", { scope: "col" }, each))));
}

/** @param {string} name */
function chartWords(name) {
  return say(`chart_${name.replaceAll(" ", "_")}`);
}

/** A number as it is read: no zero below nothing. @param {number} value @param {number} digits */
function rounded(value, digits) {
  return shown(Number(value.toFixed(digits)) + 0, digits).replace("-", "\u2212");
}

/** The latest session with its band, and what those before were. @param {any} chart */
function cell(chart) {
  if (!chart) return element("td", {}, "–");
  const digits = chart.unit === "deg" ? 1 : 0;
  const unit = chart.unit === "deg" ? "°" : ` ${chart.unit}`;
  return element("td", { class: chart.alarms ? "doubt" : "" }, `${rounded(chart.value, digits)} ± ${rounded(NINETY_FIVE * chart.sd, digits)}${unit}`,
    chart.mean === null ? null : element("small", {}, say("lab_before", { mean: rounded(chart.mean, digits) })));
}

/** State of a plate's charts: its name, colour, and words with a shape. @param {any} row @returns {[string, string, string]} */
function stateOf(row) {
  const changed = Object.values(row.charts).reduce((sum, chart) => sum + chart.alarms, 0);
  if (row.unusable) return ["unusable", "bad", `✕ ${say("lab_unusable", { n: row.unusable, of: row.sessions })}`];
  if (changed) return ["changed", "doubt", `▲ ${say("lab_changed", { n: changed })}`];
  if (row.sessions < LEARNS) return ["learns", "quiet", `○ ${say("lab_learns", { n: row.sessions })}`];
  return ["same", "good", `● ${say("lab_same")}`];
}

/** @param {any} verify @param {number} signedVisits */
function signed(verify, signedVisits) {
  const head = element("h2", {}, say("lab_signed"));
  if (!signedVisits && verify.made === null) return element("div", { "data-testid": "signatures" }, head, element("p", { class: "quiet" }, say("lab_signed_none")));
  const again = button("verify-again", say("lab_check"), () => start("verify"), { disabled: verify.at_work });
  const time = verify.made === null ? "" : when(verify.made);
  /** @type {any[]} */
  const wrong = verify.at_work || verify.made === null ? [] : verify.told.flatMap((/** @type {any} */ chain) => chain.flaws.map((/** @type {any} */ flaw) => ({ ...flaw, visit: chain.versions.replace(/^visits\//, "").replace(/\/versions$/, "") })));
  const told = verify.made === null && verify.failed.length ? null : verify.at_work || verify.made === null ? element("p", { class: "quiet" }, say("lab_verifying"))
    : wrong.length ? element("p", { class: "bad" }, `✕ ${say("lab_flaws", { n: new Set(wrong.map((each) => each.visit)).size, time })}`)
      : element("p", { class: "good", "data-testid": "signatures-hold" }, `● ${say("lab_holds", { n: verify.told.length, time })}`);
  const flaws = wrong.map((each) => element("li", { class: "error", "data-testid": "signature-flaw", "data-visit": each.visit }, named(each.visit), `: ${each.text}`));
  return element("div", { "data-testid": "signatures" }, head, told, element("ul", {}, ...flaws),
    ...verify.failed.map((/** @type {string} */ line) => element("p", { class: "bad" }, line)), again, byHand("verify-command", verify.command));
}

/** @param {any} about */
function norms(about) {
  const list = /** @type {any[]} */ (about.norms);
  return element("div", { "data-testid": "norms" }, element("h2", {}, say("lab_norms")), list.length ? null : element("p", { class: "quiet" }, say("lab_norms_none")),
    ...list.map((each) => element("div", { class: "norm", "data-testid": "norm-row", "data-norm": each.file }, element("strong", {}, named(each.name || each.file)), each.error ? element("p", { class: "bad" }, `✕ ${each.error}`) : contents(each, about.marks))));
}

/** @param {any} norm @param {Record<string, string>} marks visits by the marks of their recordings */
function contents(norm, marks) {
  const people = /** @type {{age: number | null, sex: string, marks: string[]}[]} */ (norm.who);
  const ages = people.flatMap((each) => (each.age === null ? [] : [each.age]));
  const [low, high] = [Math.min(...ages), Math.max(...ages)].map((age) => shown(age, 0));
  const sexes = ["female", "male"].flatMap((sex) => (people.some((each) => each.sex === sex) ? [say(`norm_${sex}`, { n: people.filter((each) => each.sex === sex).length })] : []));
  const about = [say("norm_people", { n: norm.n }), ages.length ? say(low === high ? "norm_age" : "norm_ages", { low, high }) : null, ...sexes, norm.clinical ? null : `▲ ${say("norm_small")}`, norm.version, norm.date].filter(Boolean).join(" · ");
  const words = (/** @type {string} */ key) => (norm.computed[key] ?? []).map((/** @type {any} */ each) => each.text).join("; ");
  const computed = [words("bandwidth") ? say("norm_bandwidths", { words: words("bandwidth") }) : null, say("norm_computed", { model: words("model"), kinetics: words("kinetics"), movement: say(`movement_${norm.movement}`) })].filter(Boolean).join(" · ");
  const own = people.map((each) => [...new Set(each.marks.flatMap((mark) => (marks[mark] ? [marks[mark]] : [])))].sort());
  const others = own.filter((visits) => !visits.length).length;
  const who = people.length
    ? element("details", {}, element("summary", {}, say("norm_who")), element("ul", {}, ...own.flat().map((visit) => element("li", { "data-testid": "norm-who", "data-visit": visit }, named(visit))), others ? element("li", {}, say("norm_others", { n: others })) : null))
    : element("small", {}, say("norm_untold"));
  return element("div", {}, element("small", {}, about), element("br"), element("small", {}, computed), who);
}

/** @param {any} about @param {{who: () => string | null, refresh: () => void}} does */
function build(about, does) {
  const list = about.visits.map((/** @type {any} */ visit) => element("label", { class: "visit" }, element("input", { type: "checkbox", "data-testid": "norm-tick", "data-visit": visit.visit, checked: ticked.has(visit.id),
    onchange: (/** @type {Event} */ event) => {
      if (/** @type {HTMLInputElement} */ (event.target).checked) ticked.add(visit.id);
      else ticked.delete(visit.id);
      count.textContent = say("lab_ticked", { n: ticked.size });
      changed();
    } }), " ", named(visit.visit)));
  const count = element("span", { class: "quiet" }, say("lab_ticked", { n: ticked.size }));
  const command = element("code", { "data-testid": "norm-command" });
  const why = element("p", { class: "quiet", role: "status" });
  const press = button("norm-build", say("norm_build"), async () => {
    const who = does.who();
    if (who === null) return;
    if (await attempt(() => ask("POST", "/api/norm", { ids: [...ticked], name: form.name, who }))) {
      tell(say("norm_started"));
      form.name = "";
    }
    does.refresh();
  }, { class: "primary", disabled: true });
  /** What would be built, as the command line has it; or why nothing would. */
  const changed = async () => {
    const asked = new URLSearchParams([...[...ticked].map((id) => ["id", id]), ["name", form.name]]);
    /** @type {any} */
    let told = {};
    if (ticked.size && form.name) told = await ask("GET", `/api/norm?${asked}`).catch((error) => ({ why: error.message }));
    command.textContent = told.command ?? "";
    command.hidden = !told.command;
    why.textContent = told.why ?? "";
    /** @type {HTMLButtonElement} */ (press).disabled = !told.command || about.read_only || working;
  };
  const working = Boolean(about.built && !["done", "failed", "cancelled"].includes(about.built.state));
  const name = element("input", { type: "text", "data-testid": "norm-name", value: form.name, dir: "auto", autocomplete: "off", maxlength: "60", oninput: (/** @type {Event} */ event) => {
    form.name = /** @type {HTMLInputElement} */ (event.target).value.trim();
    changed();
  } });
  const box = element("div", { "data-testid": "norm-form" }, element("h2", {}, say("lab_build")), element("p", { class: "quiet" }, say("lab_build_how")),
    element("div", { class: "ticks list" }, ...list), count, element("p", {}, element("label", {}, `${say("norm_name")} `, name), " ", press), why, command, about.built && !working ? said(about.built) : null);
  box.dataset.fixed = "1";
  changed();
  return box;
}

/** What the last command that built a norm said. @param {any} task */
function said(task) {
  const done = task.state === "done";
  if (done && !task.lines.length) return null;
  return element("details", { "data-testid": "norm-said", "data-state": task.state, open: !done, class: done ? "" : "bad" }, element("summary", {}, say(done ? "norm_done" : "norm_failed")), element("ul", {}, ...task.lines.map((/** @type {string} */ line) => element("li", {}, line))));
}

/** @param {any} own */
function style(own) {
  const head = element("h2", {}, say("lab_style"));
  if (!own.file) return element("div", { "data-testid": "style" }, head, element("p", { class: "quiet" }, say("lab_style_none")));
  const laboratory = own.said?.laboratory ?? {};
  const words = [laboratory.name ? say("lab_style_name", { name: laboratory.name }) : null, laboratory.logo ? say("lab_style_logo") : null, own.said?.language].filter(Boolean).join(" · ");
  const wrong = own.error ?? (Object.keys(own.said).length ? "" : say("lab_style_missing"));
  return element("div", { "data-testid": "style" }, head, named(own.file), element("br"), wrong ? element("p", { class: "bad" }, `✕ ${wrong}`) : element("small", {}, words, " ", say("lab_style_for")));
}
