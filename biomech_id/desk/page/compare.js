// Compare: two to six visits that were ticked, overlaid in one document.
import { ask, attempt, tell } from "./api.js";
import { button, element, named, say } from "./dom.js";
import { ticked } from "./patients.js";

/** @param {HTMLElement} main */
export async function comparePage(main) {
  main.dataset.screen = "compare";
  main.dataset.testid = "compare";
  const { rows } = await ask("GET", "/api/today?limit=200");
  const done = rows.filter((/** @type {any} */ row) => row.has_results);
  const list = done.map((/** @type {any} */ row) => element("label", { class: "visit" }, element("input", { type: "checkbox", "data-testid": "compare-tick", "data-visit": row.visit, checked: ticked.has(row.id),
    onchange: (/** @type {Event} */ event) => {
      if (/** @type {HTMLInputElement} */ (event.target).checked) ticked.add(row.id);
      else ticked.delete(row.id);
      comparePage(main);
    } }), " ", named(row.visit)));
  const draw = button("compare-draw", say("compare_draw"), async () => {
    const ids = done.map((/** @type {any} */ row) => row.id).filter((/** @type {string} */ id) => ticked.has(id)).reverse();
    const started = await attempt(() => ask("POST", "/api/compare", { ids }));
    if (started) tell(say("compare_started"));
  }, { class: "primary", disabled: ticked.size < 2 || ticked.size > 6 });
  const shown = element("div", { class: "paper" });
  main.replaceChildren(element("h1", {}, say("compare")), element("p", { class: "quiet" }, say("compare_how")), element("div", { class: "ticks" }, ...list), draw, shown);
  const made = await ask("GET", "/api/compare").catch(() => null);
  if (made?.url) shown.append(element("iframe", { src: made.url, title: say("compare"), "data-testid": "compare-pdf" }));
}
