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

/** @typedef {{trial: () => LoadedTrial | null, trials: () => string[], session: () => number, now: () => number, goto: (time_s: number) => void, pause: () => void}} Bench */

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
    /** The trial that the film was shown for. */
    this.openedFor = "";
    /** Why it does not play, in the language chosen. @type {(() => string) | null} */
    this.problem = null;
    this.convertible = false;
    /** Whether its data were read once, and whether it was opened anew since the last picture. */
    this.read = false;
    this.anew = false;
    this.picture_s = 0;
    /** Where the film ended in play (s): from there on it does not lead. */
    this.ended_s = Infinity;
    this.pictures = 0;
    /** @type {number | null} */
    this.wanted_s = null;
    /** @type {Promise<void> | null} */
    this.seeking = null;
    this.video = /** @type {HTMLVideoElement} */ (element("video", { id: "film-video", muted: true, playsInline: true, preload: "auto" }));
    this.video.addEventListener("loadedmetadata", () => {
      this.host.dataset.tall = String(this.video.videoHeight > this.video.videoWidth);
      this.read = true;
      if (!this.video.videoWidth) this.fail(() => say("film_no_play", { name: this.name }), true);
      else this.draw();
      if (!this.tied && this.anew) this.seek(this.picture_s);
      this.follow();
    });
    this.video.addEventListener("seeked", () => (this.anew = false));
    this.video.addEventListener("error", () => this.video.getAttribute("src") && this.broken());
    const heard = (/** @type {number} */ _, /** @type {VideoFrameCallbackMetadata} */ { mediaTime }) => {
      this.picture_s = mediaTime;
      this.pictures += 1;
      this.video.requestVideoFrameCallback(heard);
    };
    this.video.requestVideoFrameCallback?.(heard);
    this.caption = element("figcaption", { id: "film-outside", role: "status" });
    this.host = element("figure", { class: "film", id: "film", hidden: true }, this.video, this.caption);
    this.state = element("span", { id: "film-state", role: "status" });
    this.controls = element("div", { class: "bar", id: "film-bar", role: "group" });
  }

  get names() {
    return [...port.films, ...[...this.chosen.keys()].filter((name) => !port.films.includes(name))];
  }

  get tied() {
    return this.tie !== null && !this.loose && !this.problem && this.video.readyState > 0;
  }

  /** The trial shown as ties name it; the page alone may hold sessions whose trials have the same names. */
  get trial() {
    const name = this.bench.trial()?.note.name ?? "";
    return name && port.byHand ? `${this.bench.session()}/${name}` : name;
  }

  /** Whether the recording's moment lies before or behind a film that is tied. */
  get outside() {
    if (!this.tied) return false;
    const place_s = placeOf(/** @type {FilmTie} */ (this.tie), this.bench.now());
    return place_s < -INSIDE_S || place_s > this.video.duration;
  }

  /** The trial's film: one that somebody tied to it, else one whose name begins with that trial's and no longer one's. */
  ofTrial() {
    const own = this.bench.trial()?.note.name;
    const stands = (/** @type {string} */ name) => port.ties[name]?.trial === this.trial;
    const begins = (/** @type {string} */ name) => !port.ties[name] && own !== undefined && longestStem(name, this.bench.trials()) === own;
    return this.names.find(stands) ?? this.names.find(begins) ?? "";
  }

  /** Show the film of a trial that was opened; one picked by hand stays as long as the trial does. */
  opened() {
    if (this.trial === this.openedFor) return this.draw();
    this.openedFor = this.trial;
    return this.show(this.ofTrial());
  }

  /** @param {string} name */
  async show(name) {
    if (name === this.name && !this.problem) return this.draw();
    if (this.video.src.startsWith("blob:")) URL.revokeObjectURL(this.video.src);
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.load();
    Object.assign(this, { name, problem: null, loose: false, running: false, read: false, anew: false, picture_s: 0, ended_s: Infinity, wanted_s: null });
    this.draw();
    if (name) await this.load(name);
  }

  /** @param {string} name */
  async load(name) {
    try {
      const file = this.chosen.get(name);
      const source = file ? URL.createObjectURL(file) : await port.openFilm(name);
      if (name === this.name) this.video.src = source;
    } catch (error) {
      if (name === this.name) this.fail(() => (error instanceof Error ? error.message : String(error)), false);
    }
  }

  /** A film that played is opened once more where it stood: the desk's address of it may be too old. */
  broken() {
    if (this.read && !this.anew) {
      this.halt();
      this.anew = true;
      return this.load(this.name);
    }
    const convertible = this.video.error?.code === MediaError.MEDIA_ERR_DECODE || !this.read;
    return this.fail(() => say(convertible ? "film_no_play" : "film_gone", { name: this.name }), convertible);
  }

  /** @param {() => string} problem @param {boolean} convertible whether a copy in another format would play */
  fail(problem, convertible) {
    Object.assign(this, { problem, convertible, running: false });
    this.draw();
  }

  /** What stands below the walker, in the language chosen. */
  draw() {
    const trial = this.bench.trial();
    const tie = port.ties[this.name];
    const focused = this.controls.contains(document.activeElement) ? document.activeElement?.id : "";
    this.tie = tie && tie.trial === this.trial ? tie : null;
    this.host.hidden = !this.name || Boolean(this.problem);
    this.host.dataset.outside = String(this.outside);
    this.caption.textContent = say("film_outside");
    this.controls.hidden = !trial || (!this.names.length && !port.byHand);
    this.controls.setAttribute("aria-label", say("film"));
    this.controls.replaceChildren(...(trial ? [...this.choosers(), ...(this.problem ? this.problemWords() : this.name ? (this.tie && !this.loose ? this.tiedControls() : this.freeControls(trial)) : [])] : []));
    // The control that was used may be gone: the next one to use is where the focus goes on.
    if (focused) /** @type {HTMLElement | null} */ (document.getElementById(focused) ?? this.controls.querySelector("#film-loosen, #film-tie"))?.focus();
  }

  choosers() {
    const options = [["", "–"], ...this.names.map((name) => [name, name])];
    const list = element("select", { id: "film-name", onchange: (/** @type {Event} */ event) => this.show(/** @type {HTMLSelectElement} */ (event.target).value) },
      ...options.map(([value, text]) => element("option", { value, selected: value === this.name }, text)));
    const input = element("input", { type: "file", id: "film-file", accept: "video/*,.mov,.avi,.mkv", multiple: true, hidden: true, "aria-label": say("film_choose"), onchange: (/** @type {Event} */ event) => {
      const files = [...(/** @type {HTMLInputElement} */ (event.target).files ?? [])];
      for (const file of files) {
        const before = this.chosen.get(file.name);
        if (before && (before.size !== file.size || before.lastModified !== file.lastModified)) delete port.ties[file.name];
        this.chosen.set(file.name, file);
      }
      if (files.some((file) => file.name === this.name)) this.name = "";
      if (files.length) this.show(this.ofTrial() || files[0].name);
    } });
    const own = port.byHand ? [element("button", { id: "film-choose", onclick: () => input.click() }, say("film_choose")), input] : [];
    return this.names.length ? [element("label", {}, `${say("film")} `, list), ...own] : own;
  }

  problemWords() {
    const helps = this.convertible ? [" ", say("film_helps"), " ", element("code", {}, CONVERT)] : [];
    return [element("p", { id: "film-problem", role: "alert" }, this.problem?.() ?? "", ...helps)];
  }

  tiedControls() {
    const { offset_s, rate } = /** @type {FilmTie} */ (this.tie);
    const times = (rate ?? 1) === 1 ? "" : `${shown(rate ?? 1, 4)} × `;
    const fast = Math.abs((rate ?? 1) - 1) > DRIFT ? ` ${say("film_runs", { rate: shown(rate ?? 1, 4) })}` : "";
    this.state.className = "";
    Object.assign(this.state.dataset, { offset: offset_s, rate: rate ?? 1 });
    this.state.textContent = `✓ ${say("film_tied", { rate: times, offset: `${offset_s < 0 ? "−" : "+"} ${shown(Math.abs(offset_s), 2)}` })}${fast}`;
    return [this.state,
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
      const { value } = /** @type {HTMLSelectElement} */ (event.target);
      if (value) this.bench.goto(Number(value));
    } }, element("option", { value: "" }, "–"), ...trial.note.events.map((each) => element("option", { value: each.time_s }, `${sideWord(each.side)} ${say(each.kind === "Foot Strike" ? "strike" : "off")} ${shown(each.time_s, 2)} s`)));
    const before = this.tie;
    this.state.className = "note";
    this.state.textContent = say(before ? "film_again" : "film_free");
    return [this.state,
      element("span", { class: "film-steps" }, element("button", { id: "film-back", "aria-label": say("film_back"), title: say("film_back"), onclick: moved(-1) }, "◀"), element("button", { id: "film-on", "aria-label": say("film_on"), title: say("film_on"), onclick: moved(1) }, "▶"), slider),
      element("span", { class: "film-ties" }, element("label", {}, `${say("film_event")} `, events),
        element("button", { class: "primary", id: "film-tie", disabled: !this.video.readyState, onclick: () => this.keep() }, say("film_tie"))),
      before ? element("button", { id: "film-tie-too", onclick: () => this.keepToo(before) }, say("film_tie_too")) : "",
      before ? element("button", { id: "film-as-it-was", onclick: () => {
        this.loose = false;
        this.draw();
        this.follow();
      } }, say("film_as_it_was")) : ""];
  }

  /** The picture shown is the recording's moment; how fast the film runs stays as it was. */
  keep() {
    const time_s = this.bench.now();
    const rate = this.tie?.rate ?? null;
    return this.kept({ trial: this.trial, offset_s: this.picture_s - (rate ?? 1) * time_s, rate, tied_s: time_s });
  }

  /** A second place: offset and rate, which is a slow-motion film's or that of clocks that part. @param {FilmTie} first */
  keepToo(first) {
    const time_s = this.bench.now();
    const rate = (this.picture_s - placeOf(first, first.tied_s)) / (time_s - first.tied_s);
    const fits = Math.abs(time_s - first.tied_s) >= FAR_S && rate > 0.01 && rate < 100;
    if (fits) return this.kept({ ...first, offset_s: this.picture_s - rate * time_s, rate });
    this.state.textContent = say("film_too_near", { least: shown(FAR_S, 0), first: shown(first.tied_s, 2) });
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
      this.state.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** Show the picture of the cursor's moment. */
  follow() {
    this.host.dataset.outside = String(this.outside);
    if (this.tied && !this.running && !this.outside) this.seek(placeOf(/** @type {FilmTie} */ (this.tie), this.bench.now()));
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
    if (!this.tied || !tie || fast < SPEEDS[0] || fast > SPEEDS[1] || place_s < 0 || place_s >= Math.min(video.duration, this.ended_s) || !video.requestVideoFrameCallback) {
      this.halt();
      return null;
    }
    if (!this.running) {
      this.running = true;
      this.leap(this.bench.now());
      video.playbackRate = fast;
      video.play().catch(() => this.halt());
    }
    if (video.ended) {
      this.ended_s = Math.min(place_s, this.picture_s);
      this.halt();
      return null;
    }
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

/** The longest trial name that a film's name begins with, upper or lower case; no letter or digit follows. @param {string} film @param {string[]} trials */
function longestStem(film, trials) {
  const begins = (/** @type {string} */ trial) => film.toLowerCase().startsWith(trial.toLowerCase()) && !/^[\p{L}\p{N}]/u.test(film.slice(trial.length));
  return trials.filter(begins).sort((a, b) => b.length - a.length)[0];
}
