// Sign: the document itself, every layer and trial with its grade, every refusal; a button that is dead until somebody has said who.
import { ask, attempt, tell } from "./api.js";
import { button, element, moment, named, redraw, say } from "./dom.js";
import { pill } from "./today.js";

/** @param {HTMLElement} aside @param {string} id @param {() => void} close */
export async function drawSign(aside, id, close) {
  const visit = await ask("GET", `/api/visits/${id}`);
  const about = await ask("GET", `/api/visits/${id}/signature`);
  let host = /** @type {HTMLElement | null} */ (aside.querySelector(".sign"));
  if (!host) {
    host = element("section", { class: "sign", "data-testid": "sign-panel" });
    aside.append(host);
  }
  redraw(host, [
    { key: "title", of: visit.visit, make: () => element("h2", {}, `${say("sign_title")} `, named(visit.visit)) },
    { key: "paper", of: visit.has_results && about.layers, make: () => paper(visit) },
    { key: "refusals", of: about.refusals, make: () => element("div", { "data-testid": "sign-refusals", class: "bad" }, ...about.refusals.map((/** @type {string} */ each) => element("p", {}, `✕ ${each}`))) },
    { key: "versions", of: about.versions, make: () => versions(about) },
    { key: "grades", of: [about.layers, about.trials, about.findings], make: () => grades(visit, about) },
    { key: "form", of: [id, about.refusals.length, about.versions.length, about.must_see], make: () => form(id, about, close) },
  ]);
}

/** @param {any} visit */
function paper(visit) {
  const frame = element("iframe", { title: say("report"), class: "report" });
  if (visit.has_results) attempt(async () => frame.setAttribute("src", (await ask("GET", `/api/visits/${visit.id}/media/report.pdf`)).url));
  return frame;
}

/** @param {any} about */
function versions(about) {
  return element("ul", { class: "plain" }, ...about.versions.map((/** @type {any} */ each) => element("li", { "data-testid": "signed-version", "data-version": each.version, "data-code": each.code },
    each.holds ? "✓ " : "✕ ", say("signed_by", { n: each.version, time: moment(each.time), role: say(`role_${each.role}`) }), " ", named(each.name), " · ", element("code", {}, each.code))));
}

/** @param {any} visit @param {any} about */
function grades(visit, about) {
  const trials = about.trials.map((/** @type {any} */ each) => element("li", { "data-grade": each.verdict }, named(each.name), `: ${say(`grade_${each.verdict.replace(" ", "_")}`)}`));
  const findings = about.findings.map((/** @type {any} */ each) => element("li", { class: each.severity }, each.severity === "error" ? "✕ " : "▲ ", each.where ? named(each.where) : null, each.where ? ": " : null, each.text));
  return element("div", {}, element("h3", {}, say("not_hidden")),
    element("p", { class: "pills" }, ...["kinematics", "kinetics", "emg"].map((layer) => pill({ ...visit, layers: about.layers, source: "found" }, layer))),
    element("ul", {}, ...trials), element("ul", {}, ...findings));
}

/** @param {string} id @param {any} about @param {() => void} close */
function form(id, about, close) {
  const dead = () => {
    const name = /** @type {HTMLInputElement} */ (fields.querySelector('[data-testid="sign-name"]')).value.trim();
    const role = /** @type {HTMLSelectElement} */ (fields.querySelector('[data-testid="sign-role"]')).value;
    const ticks = /** @type {HTMLInputElement[]} */ ([...fields.querySelectorAll("input[type=checkbox]")]);
    /** @type {HTMLButtonElement} */ (press).disabled = !name || !role || ticks.some((tick) => !tick.checked) || about.refusals.length > 0;
  };
  const tick = (/** @type {string} */ value, /** @type {string} */ words, /** @type {string} */ testid) => element("label", { class: "tick" }, element("input", { type: "checkbox", "data-testid": testid, "data-seen": value, onchange: dead }), ` ${words}`);
  const press = button("sign-button", say("sign_this"), async () => {
    /** @type {HTMLButtonElement} */ (press).disabled = true;
    const seen = [...fields.querySelectorAll("input[type=checkbox]")].map((each) => /** @type {HTMLElement} */ (each).dataset.seen);
    const name = /** @type {HTMLInputElement} */ (fields.querySelector('[data-testid="sign-name"]')).value.trim();
    const role = /** @type {HTMLSelectElement} */ (fields.querySelector('[data-testid="sign-role"]')).value;
    const done = await attempt(() => ask("POST", `/api/visits/${id}/signature`, { name, role, statement: say("sign_statement"), seen }));
    if (done) tell(say("signed_now", { n: done.version, code: done.code }));
    else dead();
  }, { class: "primary", disabled: true });
  const fields = element("form", { onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    element("label", {}, `${say("sign_name")} `, element("input", { type: "text", "data-testid": "sign-name", autocomplete: "off", dir: "auto", oninput: dead })), " ",
    element("label", {}, `${say("sign_role")} `, element("select", { "data-testid": "sign-role", onchange: dead }, element("option", { value: "" }, ""), ...about.roles.map((/** @type {string} */ role) => element("option", { value: role }, say(`role_${role}`))))),
    ...about.must_see.map((/** @type {string} */ each) => tick(each, say("sign_not_usable", { what: each.startsWith("layer:") ? say(each.slice(6)) : each.slice(6) }), "sign-see")),
    tick("all", say("sign_seen"), "sign-seen"),
    element("p", {}, press, " ", button("sign-not-now", say("not_now"), close)), element("p", { class: "quiet" }, say("sign_promise")));
  fields.dataset.fixed = "1";
  return fields;
}
