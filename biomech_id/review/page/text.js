// Words in the language chosen, and elements made of them. Everything that a recording or a person says goes in as text, never as markup.

/** @type {PageData} */
export const page = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent ?? "{}");

/** @type {{language: Language}} */
export const speech = { language: page.language };

/**
 * A word of the page, with {names} filled in.
 * @param {string} key @param {Record<string, string | number>} [values] @returns {string}
 */
export function say(key, values = {}) {
  const text = page.words[speech.language][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** A title or axis word of the sign table. @param {string} english @returns {string} */
export function labelled(english) {
  return page.labels[speech.language][english] ?? english;
}

/** @param {Said} said @returns {string} */
export function inLanguage(said) {
  return said[speech.language];
}

/** A number as the language writes it. @param {number | null | undefined} value @param {number} digits @returns {string} */
export function shown(value, digits) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const text = value.toFixed(digits);
  return text.replace(".", page.words[speech.language].decimal_mark ?? ".");
}

/** @param {string} side @returns {string} */
export function sideWord(side) {
  return side === "L" ? say("left") : side === "R" ? say("right") : "";
}

/**
 * An element with attributes, listeners (onclick, ...) and children; texts among them are texts.
 * @param {string} tag @param {Record<string, unknown>} [attributes] @param {...(Node | string | null)} children @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name in made && typeof value !== "string") /** @type {any} */ (made)[name] = value;
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null) made.append(child);
  return made;
}

/** What a recording calls something: isolated, so that letters that run from right to left move nothing else. @param {string} name */
export function named(name) {
  return element("bdi", {}, name);
}
