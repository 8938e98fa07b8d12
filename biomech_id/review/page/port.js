// Where the page stands: alone in a file, which hands its decisions back as a download; or in the desk, which keeps each as it is made.

/** @type {Port} */
const alone = { author: "", changed: () => {}, leaving: (unsaved) => unsaved };
/** @type {Port} */
export const port = /** @type {any} */ (globalThis).biomechPort ?? alone;
