// Patients: everybody in the archive, and the visits of each as a time line.
import { ask } from "./api.js";
import { button, day, element, named, say } from "./dom.js";
import { pill } from "./today.js";

/** @type {Set<string>} */
export const ticked = new Set();
const chosen = { patient: "" };

/** @param {HTMLElement} main @param {(id: string) => void} show */
export async function patientsPage(main, show) {
  main.dataset.screen = "patients";
  main.dataset.testid = "patients";
  const search = /** @type {HTMLInputElement | null} */ (document.querySelector('[data-testid="search"]'))?.value ?? "";
  const { patients } = await ask("GET", `/api/patients?${new URLSearchParams({ search })}`);
  const names = element("ul", { class: "names" }, ...patients.map((/** @type {any} */ each) => element("li", {},
    button("patient", each.name, () => {
      chosen.patient = each.name;
      patientsPage(main, show);
    }, { class: "link", "aria-current": chosen.patient === each.name ? "true" : null, dir: "auto" }), ` ${say(each.visits === 1 ? "one_visit" : "n_visits", { n: each.visits })}`)));
  const own = chosen.patient ? await ask("GET", `/api/patients/${encodeURIComponent(chosen.patient)}`) : { rows: [] };
  const line = element("section", { class: "patient", "data-testid": "patient" }, element("h2", {}, chosen.patient ? named(chosen.patient) : say("choose_patient")),
    ...own.rows.map((/** @type {any} */ row) => element("div", { class: "visit" },
      element("label", {}, element("input", { type: "checkbox", "data-testid": "compare-tick", "data-visit": row.visit, checked: ticked.has(row.id), disabled: !row.has_results,
        onchange: (/** @type {Event} */ event) => (/** @type {HTMLInputElement} */ (event.target).checked ? ticked.add(row.id) : ticked.delete(row.id)) }), ` ${say("compare_this")}`),
      button("open-visit", row.name, () => show(row.id), { class: "link", dir: "auto" }),
      element("small", {}, day(row.newest)), element("span", { class: "quiet" }, say(`stage_${row.stage}`)),
      element("span", { class: "pills" }, ...["kinematics", "kinetics", "emg"].map((layer) => pill(row, layer))),
      row.conditions.length ? element("span", {}, row.conditions.join(", ")) : null)));
  main.replaceChildren(element("h1", {}, say("patients")), element("div", { class: "patients" }, names, line));
}
