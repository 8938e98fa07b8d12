// The window into the laboratory: camera, floor, one figure or two.
import * as THREE from "../vendor/three_entry.js";
import { Figure } from "./figure.js";
import { element, say } from "./text.js";

/** @typedef {"side" | "front" | "top" | "oblique"} Camera */

export class View {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    /** @type {Figure[]} */
    this.figures = [];
    this.follow = true;
    /** @type {Camera} */
    this.from = "oblique";
    this.forward = new THREE.Vector3(1, 0, 0);
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(30, 1, 0.05, 200);
    this.camera.up.set(0, 0, 1);
    this.renderer = renderer();
    this.failed = this.renderer === null;
    if (!this.renderer) {
      host.append(element("p", { class: "notice" }, say("no_webgl")));
      return;
    }
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    host.append(this.renderer.domElement);
    this.renderer.domElement.setAttribute("role", "img");
    this.controls = new THREE.OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.render());
    new ResizeObserver(() => this.fit()).observe(host);
    this.fit();
  }

  fit() {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (!this.renderer || !width || !height) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.render();
  }

  /** @param {{trial: LoadedTrial, colours: import("./figure.js").FigureColours, aside: number}[]} shown @param {{floor: string, paper: string}} colours */
  show(shown, colours) {
    if (!this.renderer) return;
    this.figures.forEach((figure) => figure.dispose());
    this.scene.clear();
    this.scene.background = new THREE.Color(colours.paper);
    const way = shown[0]?.trial.note.progression ?? [1, 0];
    this.forward.set(way[0] || (way[1] ? 0 : 1), way[1] || 0, 0).normalize();
    const left = new THREE.Vector3(-this.forward.y, this.forward.x, 0);
    const grid = new THREE.GridHelper(12, 24, colours.floor, colours.floor);
    grid.rotation.x = Math.PI / 2;
    this.scene.add(grid);
    this.figures = shown.map(({ trial, colours: own, aside }) => {
      const figure = new Figure(trial, own);
      figure.aside.copy(left).multiplyScalar(aside);
      const its = trial.note.progression ?? way;
      figure.group.rotation.z = Math.atan2(this.forward.y, this.forward.x) - Math.atan2(its[1], its[0]);
      this.scene.add(figure.group);
      return figure;
    });
    const start = this.figures[0]?.middle(Math.floor((shown[0]?.trial.n ?? 0) / 2));
    grid.position.set(Math.round(start?.x ?? 0), Math.round(start?.y ?? 0), -0.002);
  }

  /** @param {Camera} from @param {number} frame */
  look(from, frame) {
    this.from = from;
    const target = this.figures[0]?.middle(frame) ?? new THREE.Vector3(0, 0, 0.8);
    const right = new THREE.Vector3(this.forward.y, -this.forward.x, 0);
    const ways = {
      side: right.clone(), front: this.forward.clone(), top: new THREE.Vector3(0, 0, 1).addScaledVector(this.forward, -0.01),
      oblique: right.clone().addScaledVector(this.forward, 0.9).setZ(0.45),
    };
    const away = ways[from].normalize().multiplyScalar(4.2);
    this.camera.position.copy(target).add(away);
    this.controls?.target.copy(target);
    this.controls?.update();
    this.render();
  }

  /** @param {number[]} frames of each figure */
  draw(frames) {
    if (!this.renderer) return;
    this.figures.forEach((figure, i) => figure.draw(frames[i]));
    for (const [i, figure] of this.figures.entries()) if (i) figure.beside(this.figures[0].middle(frames[0]), frames[i]);
    const target = this.follow && this.figures[0]?.middle(frames[0]);
    if (target && this.controls) {
      this.camera.position.add(target.clone().sub(this.controls.target));
      this.controls.target.copy(target);
      this.camera.lookAt(target);
    }
    this.render();
  }

  render() {
    this.renderer?.render(this.scene, this.camera);
  }

  /** @param {boolean} shown */
  showAxes(shown) {
    this.figures.forEach((figure) => (figure.triads.visible = shown));
    this.render();
  }

  /** @param {boolean} shown */
  showModel(shown) {
    for (const { modelMarkers, errors } of this.figures) modelMarkers.visible = errors.visible = shown;
    this.render();
  }

  /** @param {number} marker -1 for none */
  pick(marker) {
    if (this.figures[0]) this.figures[0].highlighted = marker;
  }
}

/** A renderer, or null where the browser has none: everything else of the page works all the same. */
function renderer() {
  try {
    return new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  } catch {
    return null;
  }
}
