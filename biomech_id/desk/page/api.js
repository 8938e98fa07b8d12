// The desk over HTTP: the key in a header of our own, one stream of events for all tabs.
import { say, speech } from "./dom.js";

/** What a request was refused for. */
export class Refused extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.error || `${status}`);
    this.status = status;
    this.body = body ?? {};
  }
}

const channel = new BroadcastChannel("desk");
/** @type {((kind: string, values: any) => void)[]} */
const listeners = [];

/** @param {string} method @param {string} path @param {any} [body] @param {Record<string, string>} [headers] @returns {Promise<any>} */
export async function ask(method, path, body, headers = {}) {
  const answer = await fetch(path, {
    method, cache: "no-store",
    headers: { Authorization: `Bearer ${sessionStorage.getItem("key") ?? ""}`, "Content-Type": "application/json", "Accept-Language": speech.language, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const content = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refused(answer.status, content);
  return answer.status === 202 && !content?.number ? null : content;
}

/** Take the key: from the ticket in the address, from this tab, or from another tab. @returns {Promise<boolean>} */
export async function enter() {
  const ticket = location.hash.slice(1);
  if (ticket) {
    history.replaceState(null, "", location.pathname + location.search);
    const answer = await fetch("/api/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ticket }) });
    if (answer.ok) sessionStorage.setItem("key", (await answer.json()).key);
  }
  if (!sessionStorage.getItem("key")) await keyOfAnotherTab();
  channel.addEventListener("message", ({ data }) => {
    if (data.ask === "key" && sessionStorage.getItem("key")) channel.postMessage({ key: sessionStorage.getItem("key"), who: sessionStorage.getItem("who") });
    if (data.kind) for (const each of listeners) each(data.kind, data.values);
  });
  return Boolean(sessionStorage.getItem("key"));
}

function keyOfAnotherTab() {
  return new Promise((done) => {
    const take = (/** @type {MessageEvent} */ { data }) => {
      if (!data.key) return;
      sessionStorage.setItem("key", data.key);
      done(null);
    };
    channel.addEventListener("message", take);
    channel.postMessage({ ask: "key" });
    setTimeout(done, 600);
  });
}

/** Hear what happens on the desk. One tab listens to the stream and passes on: browsers allow six connections to one origin.
 * @param {(kind: string, values: any) => void} done */
export function listen(done) {
  listeners.push(done);
  if (listeners.length > 1) return;
  navigator.locks.request("desk-events", async () => {
    for (;;) {
      await stream().catch(() => null);
      pass("away", {});
      await new Promise((again) => setTimeout(again, 1000));
    }
  });
}

/** @param {string} kind @param {any} values */
function pass(kind, values) {
  channel.postMessage({ kind, values });
  for (const each of listeners) each(kind, values);
}

async function stream() {
  const answer = await fetch("/api/events", { headers: { Authorization: `Bearer ${sessionStorage.getItem("key") ?? ""}` }, cache: "no-store" });
  if (!answer.ok || !answer.body) throw new Error(say("away"));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const kind = /^event: (.*)$/m.exec(part)?.[1];
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (kind && data) pass(kind, JSON.parse(data));
    }
  }
}

/** @param {string} text */
export function tell(text) {
  const live = document.querySelector('[data-testid="live"]');
  if (live) live.textContent = text;
}

/** Do something and say what became of it. @template T @param {() => Promise<T>} work @returns {Promise<T | null>} */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    tell(error instanceof Refused ? error.message : say("away"));
    return null;
  }
}
