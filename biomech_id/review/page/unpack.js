// Arrays out of the page (review/packing.py): base 85, compressed, sorted by byte; steps from frame to frame are summed again.

/** @type {Map<string, Promise<Uint8Array>>} */
const opened = new Map();

/** Digits of base 85, in order; three stand for signs that mean something in HTML. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%/()*+-;,=.?@^_`{|}~";
const VALUE = new Uint8Array(128);
for (let i = 0; i < DIGITS.length; i++) VALUE[DIGITS.charCodeAt(i)] = i;

/** Four bytes for five signs; a last group that is short was filled up with the highest digit. @param {string} text */
function ofBase85(text) {
  const bytes = new Uint8Array(Math.ceil(text.length / 5) * 4);
  for (let i = 0, to = 0; i < text.length; i += 5, to += 4) {
    let word = 0;
    for (let k = i; k < i + 5; k++) word = word * 85 + (k < text.length ? (VALUE[text.charCodeAt(k)] ?? 0) : 84);
    for (let k = 3; k >= 0; k--, word = Math.floor(word / 256)) bytes[to + k] = word % 256;
  }
  return bytes.subarray(0, Math.floor((text.length * 4) / 5));
}

/** @param {string} block @returns {Promise<Uint8Array>} */
function bytesOf(block) {
  const known = opened.get(block);
  if (known) return known;
  const packed = ofBase85(document.getElementById(block)?.textContent ?? "");
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Response(stream).arrayBuffer().then((buffer) => new Uint8Array(buffer));
  opened.set(block, bytes);
  return bytes;
}

/** @param {Uint8Array} bytes @param {ArrayNote} note @param {number} width bytes of one number @returns {DataView} */
function unsorted(bytes, note, width) {
  const count = note.shape.reduce((all, one) => all * one, 1);
  const whole = new Uint8Array(count * width);
  for (let plane = 0; plane < width; plane++)
    for (let i = 0, from = note.at + plane * count; i < count; i++) whole[i * width + plane] = bytes[from + i];
  return new DataView(whole.buffer);
}

/** @param {Uint8Array} bytes @param {ArrayNote} note @returns {Float32Array} */
function curvesOf(bytes, note) {
  const view = unsorted(bytes, note, 4);
  const length = note.shape[note.shape.length - 1] ?? 1;
  const bits = new Int32Array(view.byteLength / 4);
  for (let i = 0; i < bits.length; i++) bits[i] = (i % length ? bits[i - 1] : 0) + view.getInt32(4 * i, true);
  return new Float32Array(bits.buffer);
}

/** @param {Uint8Array} bytes @param {ArrayNote} note @param {ArrayNote | undefined} missing @returns {Float32Array} */
function stepsOf(bytes, note, missing) {
  const view = unsorted(bytes, note, 4);
  const count = view.byteLength / 4;
  const perFrame = note.shape[0] ? count / note.shape[0] : 0;
  const speeds = new Int32Array(count);
  const sums = new Int32Array(count);
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    speeds[i] = (i >= perFrame ? speeds[i - perFrame] : 0) + view.getInt32(4 * i, true);
    sums[i] = (i >= perFrame ? sums[i - perFrame] : 0) + speeds[i];
    values[i] = missing && bytes[missing.at + i] ? NaN : sums[i] * (note.step ?? 1);
  }
  return values;
}

/** Every array of a block. @param {string} block @param {Record<string, ArrayNote>} notes @returns {Promise<Map<string, Float32Array>>} */
export async function unpacked(block, notes) {
  const bytes = await bytesOf(block);
  /** @type {Map<string, Float32Array>} */
  const arrays = new Map();
  for (const [name, note] of Object.entries(notes)) {
    if (note.type === "f4") arrays.set(name, curvesOf(bytes, note));
    if (note.type === "d4") arrays.set(name, stepsOf(bytes, note, notes[`${name}?`]));
  }
  return arrays;
}
