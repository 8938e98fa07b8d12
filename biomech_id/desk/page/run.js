// The queue: what is being run, how far it is, and its last lines.
import { ask } from "./api.js";
import { button, element, named, redraw, say } from "./dom.js";
import { stageWords, today } from "./today.js";

/** What goes on without anybody waiting at a bar for it. */
const QUIET = ["look", "page", "lab", "verify"];

/** @type {{jobs: any[], host: HTMLElement, heard: (job: any) => void}} */
export const queue = {
  jobs: [], host: element("section", { class: "queue", "data-testid": "run-panel" }),
  heard(job) {
    if (QUIET.includes(job.kind)) return;
    const others = queue.jobs.filter((each) => each.number !== job.number);
    queue.jobs = ["waits", "runs", "ending"].includes(job.state) ? [...others, job].sort((a, b) => a.number - b.number) : others;
    show();
  },
};

export async function drawQueue() {
  queue.jobs = (await ask("GET", "/api/jobs")).filter((/** @type {any} */ job) => !QUIET.includes(job.kind));
  show();
}

function show() {
  queue.host.hidden = !queue.jobs.length;
  queue.host.setAttribute("aria-label", say("queue"));
  redraw(queue.host, queue.jobs.map((job) => ({ key: `job ${job.number}`, of: job, make: () => jobOf(job) })));
}

/** @param {any} job */
function jobOf(job) {
  const visit = job.visit ? today.rows.find((row) => row.id === job.visit)?.visit ?? "" : say(`job_${job.kind}`);
  const words = job.state === "waits" ? say("waits") : job.state === "ending" ? say("ending") : `${stageWords(job)} · ${Math.round(100 * job.share)} %`;
  return element("div", { class: "job", "data-testid": "job", "data-state": job.state }, named(visit), " ",
    element("span", { class: "quiet" }, words),
    element("progress", { max: "1", value: String(job.share), "aria-label": say("progress") }),
    button("job-cancel", say("cancel"), () => ask("DELETE", `/api/jobs/${job.number}`, {})),
    job.lines.length ? element("pre", { "data-testid": "run-log" }, job.lines.join("\n")) : null);
}
