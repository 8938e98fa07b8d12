// What the review page uses of three.js; esbuild leaves out the rest.
export {
  BufferAttribute, BufferGeometry, Color, DoubleSide, GridHelper, Group, LineBasicMaterial, LineDashedMaterial, LineSegments, Mesh,
  MeshBasicMaterial, PerspectiveCamera, Points, PointsMaterial, Scene, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
