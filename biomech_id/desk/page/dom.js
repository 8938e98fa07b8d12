// Words in the language chosen, and elements made of them. What a folder, a file or a person is called goes in as text, never as markup.

/** @type {{words: Record<string, any>, language: string}} */
export const speech = { words: {}, language: sessionStorage.getItem("language") ?? "en" };

/** @param {string} key @param {Record<string, string | number>} [values] @returns {string} */
export function say(key, values = {}) {
  const text = speech.words[speech.language]?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (/** @type {string} */ whole, /** @type {string} */ name) => String(values[name] ?? whole));
}

/** A number as the language writes it. @param {number} value @param {number} digits */
export function shown(value, digits) {
  return value.toFixed(digits).replace(".", speech.words[speech.language]?.decimal_mark ?? ".");
}

/** A day as the language writes it. @param {number} time_ms */
export function day(time_ms) {
  return new Date(time_ms).toLocaleDateString(speech.language === "en" ? "en-CA" : speech.language, { year: "numeric", month: "2-digit", day: "2-digit" });
}

/** Day and time of a text with its zone, as the language writes them. @param {string} time */
export function moment(time) {
  const at = new Date(time);
  return `${day(at.getTime())} ${at.toLocaleTimeString(speech.language, { hour: "2-digit", minute: "2-digit", hour12: false })}`;
}

/** A number as somebody typed it, with point or comma. @param {string} text */
export function typed(text) {
  return Number(text.trim().replace(",", "."));
}

/**
 * An element with attributes, listeners (onclick, ...) and children; texts among them are texts.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Node | string | null | undefined | false)} children @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (name in made && typeof value === "boolean") /** @type {any} */ (made)[name] = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined && child !== false) made.append(child);
  return made;
}

/** What a folder or a person is called, isolated from the writing around it. @param {string} name */
export function named(name) {
  return element("bdi", {}, name);
}

/** @param {string} id @param {string} text @param {(event: Event) => void} done @param {Record<string, any>} [more] */
export function button(id, text, done, more = {}) {
  return element("button", { type: "button", "data-testid": id, onclick: done, ...more }, text);
}

/** Put elements in place of others, keeping those whose content is the same, the one being typed in, and the focus.
 * @param {HTMLElement} host @param {{key: string, of: unknown, make: () => HTMLElement}[]} wanted */
export function redraw(host, wanted) {
  const old = new Map([...host.children].map((child) => [/** @type {HTMLElement} */ (child).dataset.key ?? "", /** @type {HTMLElement} */ (child)]));
  const active = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  const again = active && host.contains(active) ? focusPlace(active) : null;
  const made = wanted.map(({ key, of, make }) => {
    const before = old.get(key);
    const content = JSON.stringify([speech.language, of]);
    const typing = before && active && before.contains(active) && active.matches("input[type=text], textarea, select") && before.dataset.fixed === "1";
    if (before && (contents.get(before) === content || typing)) return before;
    const fresh = make();
    fresh.dataset.key = key;
    contents.set(fresh, content);
    return fresh;
  });
  made.forEach((child, i) => {
    if (host.children[i] !== child) host.insertBefore(child, host.children[i] ?? null);
  });
  while (host.children.length > made.length) host.lastElementChild?.remove();
  if (again && document.activeElement !== active) /** @type {HTMLElement | null} */ (host.querySelector(again))?.focus();
}

/** @type {WeakMap<HTMLElement, string>} */
const contents = new WeakMap();

/** @param {HTMLElement} active */
function focusPlace(active) {
  const key = /** @type {HTMLElement | null} */ (active.closest("[data-key]"))?.dataset.key;
  const id = active.dataset.testid;
  return key && id ? `[data-key="${CSS.escape(key)}"] [data-testid="${CSS.escape(id)}"]` : null;
}
