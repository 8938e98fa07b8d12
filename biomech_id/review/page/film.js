// A film beside the walker: the file stays where it is, one picture of it ties it to the recording, and what does not play is said.
import { port } from "./port.js";
import { element, say, shown, sideWord } from "./text.js";

/** Behind the first moment of a picture (s): a seek to the border of two may show the one before. */
const INSIDE_S = 0.002;
/** How far (s) the next picture is looked for, doubled until it is there: one and a half pictures of 240 Hz first. */
const [NEAREST_AHEAD_S, FARTHEST_AHEAD_S] = [0.00625, 0.9];
/** Two ties are so far apart (s) that they tell how fast the film runs. */
const FAR_S = 1;
/** Clocks that part by more than one picture of 50 Hz in a minute are said. */
const DRIFT = 1 / 3000;
const SPEEDS = [1 / 16, 16];
const CONVERT = "ffmpeg -i FILM -c:v libx264 -pix_fmt yuv420p -crf 18 -an COPY.mp4";

/** @typedef {{trial: () => LoadedTrial | null, now: () => number, goto: (time_s: number) => void, pause: () => void}} Bench */

export class Film {
  /** @param {Bench} bench */
  constructor(bench) {
    this.bench = bench;
    /** Films that somebody chose by hand. @type {Map<string, File>} */
    this.chosen = new Map();
    this.name = "";
    /** @type {FilmTie | null} */
    this.tie = null;
    this.loose = false;
    this.running = false;
    this.problem = "";
    this.picture_s = 0;
    this.pictures = 0;
    /** @type {number | null} */
    this.wanted_s = null;
    /** @type {Promise<void> | null} */
    this.seeking = null;
    this.video = /** @type {HTMLVideoElement} */ (element("video", { id: "film-video", muted: true, playsInline: true, preload: "auto" }));
    this.video.addEventListener("loadedmetadata", () => {
      this.host.dataset.tall = String(this.video.videoHeight > this.video.videoWidth);
      if (!this.video.videoWidth) this.fail(say("film_no_play", { name: this.name }));
      else this.draw();
      this.follow();
    });
    this.video.addEventListener("error", () => this.video.getAttribute("src") && this.fail(say("film_no_play", { name: this.name })));
    const heard = (/** @type {number} */ _, /** @type {VideoFrameCallbackMetadata} */ { mediaTime }) => {
      this.picture_s = mediaTime;
      this.pictures += 1;
      this.video.requestVideoFrameCallback(heard);
    };
    this.video.requestVideoFrameCallback?.(heard);
    this.host = element("figure", { class: "film", id: "film", hidden: true }, this.video);
    this.controls = element("div", { class: "bar", id: "film-bar", role: "group" });
  }

  get names() {
    return [...port.films, ...[...this.chosen.keys()].filter((name) => !port.films.includes(name))];
  }

  get tied() {
    return this.tie !== null && !this.loose && !this.problem && this.video.readyState > 0;
  }

  /** Films of the trial, the one that somebody tied to it first. @param {string} trial */
  of(trial) {
    const stands = (/** @type {string} */ name) => port.ties[name]?.trial === trial;
    const begins = (/** @type {string} */ name) => !port.ties[name] && name.startsWith(trial) && !/^[\p{L}\p{N}]/u.test(name.slice(trial.length));
    return this.names.find(stands) ?? this.names.find(begins) ?? "";
  }

  /** Show the film of the trial that was opened. */
  opened() {
    const trial = this.bench.trial()?.note.name ?? "";
    const tie = port.ties[this.name];
    if (!this.name || (tie && tie.trial !== trial) || this.of(trial)) return this.show(this.of(trial));
    return this.show("");
  }

  /** @param {string} name */
  async show(name) {
    if (name === this.name && !this.problem) return this.draw();
    if (this.video.src.startsWith("blob:")) URL.revokeObjectURL(this.video.src);
    this.video.removeAttribute("src");
    Object.assign(this, { name, problem: "", loose: false, running: false, picture_s: 0, wanted_s: null });
    this.draw();
    if (!name) return;
    try {
      const file = this.chosen.get(name);
      const source = file ? URL.createObjectURL(file) : await port.openFilm(name);
      if (name === this.name) this.video.src = source;
    } catch (error) {
      this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {string} problem */
  fail(problem) {
    this.problem = problem;
    this.running = false;
    this.draw();
  }

  /** What stands below the walker, in the language chosen. */
  draw() {
    const trial = this.bench.trial();
    const tie = port.ties[this.name];
    this.tie = tie && tie.trial === trial?.note.name ? tie : null;
    this.host.hidden = !this.name || Boolean(this.problem);
    this.controls.hidden = !trial || (!this.names.length && port.films.length > 0);
    this.controls.setAttribute("aria-label", say("film"));
    this.controls.replaceChildren(...(trial ? [...this.choosers(), ...(this.problem ? this.problemWords() : this.name ? (this.tie && !this.loose ? this.tiedControls() : this.freeControls(trial)) : [])] : []));
  }

  choosers() {
    const options = [["", "–"], ...this.names.map((name) => [name, name])];
    const list = element("select", { id: "film-name", onchange: (/** @type {Event} */ event) => this.show(/** @type {HTMLSelectElement} */ (event.target).value) },
      ...options.map(([value, text]) => element("option", { value, selected: value === this.name }, text)));
    const input = element("input", { type: "file", id: "film-file", accept: "video/*,.mov,.avi,.mkv", multiple: true, hidden: true, "aria-label": say("film_choose"), onchange: (/** @type {Event} */ event) => {
      const files = [...(/** @type {HTMLInputElement} */ (event.target).files ?? [])];
      for (const file of files) this.chosen.set(file.name, file);
      if (files.some((file) => file.name === this.name)) this.name = "";
      if (files.length) this.show(this.of(this.bench.trial()?.note.name ?? "") || files[0].name);
    } });
    const own = port.byHand ? [element("button", { id: "film-choose", onclick: () => input.click() }, say("film_choose")), input] : [];
    return this.names.length ? [element("label", {}, `${say("film")} `, list), ...own] : own;
  }

  problemWords() {
    return [element("p", { id: "film-problem", role: "alert" }, this.problem, " ", say("film_helps"), " ", element("code", {}, CONVERT))];
  }

  tiedControls() {
    const { offset_s, rate } = /** @type {FilmTie} */ (this.tie);
    const fast = Math.abs((rate ?? 1) - 1) > DRIFT ? ` ${say("film_runs", { rate: shown(rate ?? 1, 4) })}` : "";
    return [element("span", { id: "film-state", "data-offset": offset_s, "data-rate": rate ?? 1 }, `✓ ${say("film_tied", { offset: `${offset_s < 0 ? "−" : "+"} ${shown(Math.abs(offset_s), 2)}` })}${fast}`),
      element("button", { id: "film-loosen", onclick: () => {
        this.bench.pause();
        this.loose = true;
        this.draw();
      } }, say("film_loosen"))];
  }

  /** @param {LoadedTrial} trial */
  freeControls(trial) {
    const slider = element("input", { type: "range", id: "film-scrub", min: "0", max: String(this.video.duration || 1), step: "any", value: String(this.picture_s), "aria-label": say("film_time"),
      oninput: (/** @type {Event} */ event) => this.seek(Number(/** @type {HTMLInputElement} */ (event.target).value)) });
    const moved = (/** @type {number} */ way) => async () => {
      await this.step(way);
      /** @type {HTMLInputElement} */ (slider).value = String(this.picture_s);
    };
    const events = element("select", { id: "film-event", onchange: (/** @type {Event} */ event) => {
      const time_s = Number(/** @type {HTMLSelectElement} */ (event.target).value);
      this.bench.goto(time_s);
      this.keep(time_s);
    } }, element("option", { value: "" }, "–"), ...trial.note.events.map((each) => element("option", { value: each.time_s }, `${sideWord(each.side)} ${say(each.kind === "Foot Strike" ? "strike" : "off")} ${shown(each.time_s, 2)} s`)));
    const before = this.tie;
    return [element("p", { class: "note", id: "film-state" }, say(before ? "film_again" : "film_free")),
      element("span", { class: "film-steps" }, element("button", { id: "film-back", "aria-label": say("film_back"), title: say("film_back"), onclick: moved(-1) }, "◀"), element("button", { id: "film-on", "aria-label": say("film_on"), title: say("film_on"), onclick: moved(1) }, "▶"), slider),
      element("button", { class: "primary", id: "film-tie", disabled: !this.video.readyState, onclick: () => this.keep(this.bench.now()) }, say("film_tie")),
      element("label", {}, `${say("film_event")} `, events),
      before ? element("button", { id: "film-tie-too", onclick: () => this.keepToo(before) }, say("film_tie_too")) : "",
      before ? element("button", { id: "film-as-it-was", onclick: () => {
        this.loose = false;
        this.draw();
        this.follow();
      } }, say("film_as_it_was")) : ""];
  }

  /** The picture shown is this moment of the recording. @param {number} time_s */
  keep(time_s) {
    return this.kept({ trial: this.bench.trial()?.note.name ?? "", offset_s: this.picture_s - time_s, rate: null, tied_s: time_s });
  }

  /** A second place: offset and rate, which is a slow-motion film's or that of clocks that part. @param {FilmTie} first */
  keepToo(first) {
    const time_s = this.bench.now();
    const rate = (this.picture_s - placeOf(first, first.tied_s)) / (time_s - first.tied_s);
    const fits = Math.abs(time_s - first.tied_s) >= FAR_S && rate > 0.01 && rate < 100;
    if (fits) return this.kept({ ...first, offset_s: this.picture_s - rate * time_s, rate });
    const state = document.getElementById("film-state");
    if (state) state.textContent = say("film_too_near", { least: shown(FAR_S, 0), first: shown(first.tied_s, 2) });
    return undefined;
  }

  /** @param {FilmTie} tie */
  async kept(tie) {
    const rounded = { ...tie, offset_s: Number(tie.offset_s.toFixed(4)), rate: tie.rate === null ? null : Number(tie.rate.toFixed(6)), tied_s: Number(tie.tied_s.toFixed(4)) };
    try {
      await port.tieFilm(this.name, rounded);
      this.loose = false;
      this.draw();
      this.follow();
    } catch (error) {
      const state = document.getElementById("film-state");
      if (state) state.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** Show the picture of the cursor's moment. */
  follow() {
    if (this.tied && !this.running) this.seek(placeOf(/** @type {FilmTie} */ (this.tie), this.bench.now()));
  }

  /** One seek at a time, the last one wanted follows. @param {number} time_s @returns {Promise<void>} */
  seek(time_s) {
    this.wanted_s = Math.max(0, Math.min(time_s, this.video.duration || 0));
    this.seeking ??= this.seekAll().finally(() => (this.seeking = null));
    return this.seeking;
  }

  async seekAll() {
    while (this.wanted_s !== null) {
      const to_s = this.wanted_s + INSIDE_S;
      const before = this.pictures;
      this.wanted_s = null;
      await new Promise((done) => {
        this.video.addEventListener("seeked", done, { once: true });
        setTimeout(done, 2000);
        this.video.currentTime = to_s;
      });
      // The picture is told of when it is put on the screen, a little behind the seek.
      for (let waits = 0; waits < 10 && this.pictures === before; waits++) await new Promise((again) => setTimeout(again, 10));
      if (!this.video.requestVideoFrameCallback) this.picture_s = to_s - INSIDE_S;
    }
  }

  /** To the next picture or the one before, at whatever rate they follow one another. @param {number} way */
  async step(way) {
    const from_s = this.picture_s;
    if (way < 0) return this.seek(from_s - 2 * INSIDE_S);
    for (let ahead_s = NEAREST_AHEAD_S; ahead_s < FARTHEST_AHEAD_S && this.picture_s <= from_s; ahead_s *= 2) await this.seek(from_s + ahead_s - INSIDE_S);
    return undefined;
  }

  /** Play, and tell the recording's moment of the picture shown; null where the film cannot lead. @param {number} speed */
  lead(speed) {
    const { tie, video } = this;
    const fast = speed * (tie?.rate ?? 1);
    const place_s = tie ? placeOf(tie, this.bench.now()) : -1;
    if (!this.tied || !tie || fast < SPEEDS[0] || fast > SPEEDS[1] || place_s < 0 || place_s >= video.duration || !video.requestVideoFrameCallback) {
      this.halt();
      return null;
    }
    if (!this.running) {
      this.running = true;
      this.leap(this.bench.now());
      video.playbackRate = fast;
      video.play().catch(() => this.halt());
    }
    if (video.ended) this.halt();
    return (this.picture_s - tie.offset_s) / (tie.rate ?? 1);
  }

  /** Go on from another moment while playing. @param {number} time_s */
  leap(time_s) {
    if (!this.running || !this.tie) return;
    this.picture_s = placeOf(this.tie, time_s);
    this.video.currentTime = this.picture_s + INSIDE_S;
  }

  halt() {
    if (!this.running) return;
    this.running = false;
    this.video.pause();
  }
}

/** The film's second at a recording's. @param {FilmTie} tie @param {number} time_s */
function placeOf(tie, time_s) {
  return (tie.rate ?? 1) * time_s + tie.offset_s;
}
