// Where the page stands: alone in a file, which hands its decisions back as a download; or in the desk, which keeps each as it is made.

/** Ties of films chosen by hand, as long as the page is open. @type {Record<string, FilmTie>} */
const ties = {};
/** The browser's own memory, where it lets a page have one. */
function memory() {
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}

/** @type {Port} */
const alone = {
  memory: memory(), author: "", changed: () => {}, leaving: (unsaved) => unsaved, films: [], ties, byHand: true, openFilm: () => Promise.reject(new Error("")),
  tieFilm: async (name, tie) => void (ties[name] = tie),
};
/** @type {Port} */
export const port = /** @type {any} */ (globalThis).biomechPort ?? alone;
