// Vendors the review page's two libraries out of the packages that package-lock.json pins: `npm ci && npm run build` writes the files
// and vendor.json with their hashes; `npm run verify` builds them again and compares.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const text = (name) => readFileSync(here(name), "utf8").replaceAll("\r\n", "\n");
const about = (name) => JSON.parse(text(`node_modules/${name}/package.json`));

const three = await build({
  entryPoints: [here("three_entry.js")],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "THREE",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  write: false,
});
const notice = (name) => `/*! ${name} ${about(name).version}, ${about(name).license} licence: see ${name}.LICENSE */\n`;
// The page holds no address: a name space is what the document says, and a comment with a link goes.
const without = (content, what, instead) => {
  if (!content.includes(what)) throw new Error(`${what} is no longer there`);
  return content.replaceAll(what, instead);
};
const threeText = without(three.outputFiles[0].text, '"http://www.w3.org/1999/xhtml"', "document.documentElement.namespaceURI");
const uplotText = text("node_modules/uplot/dist/uPlot.iife.min.js").replace(/^\/\*!.*?\*\/\n?/s, "");
const files = {
  "three.js": notice("three") + threeText,
  "uplot.js": notice("uplot") + uplotText,
  "uplot.css": notice("uplot") + text("node_modules/uplot/dist/uPlot.min.css"),
  "three.LICENSE": text("node_modules/three/LICENSE"),
  "uplot.LICENSE": text("node_modules/uplot/LICENSE"),
};
const sha256 = (content) => createHash("sha256").update(content, "utf8").digest("hex");
const listing = {
  what: "Third-party files of the review page; written by build.mjs from the packages that package-lock.json pins",
  packages: Object.fromEntries(
    ["three", "uplot"].map((name) => [name, { version: about(name).version, license: about(name).license, source: about(name).homepage }]),
  ),
  files: Object.fromEntries(Object.entries(files).map(([name, content]) => [name, sha256(content)])),
};
files["vendor.json"] = JSON.stringify(listing, null, 2) + "\n";

let differs = false;
for (const [name, content] of Object.entries(files)) {
  if (process.argv.includes("--verify")) {
    if (text(name) !== content) {
      console.error(`${name} is not what build.mjs makes of the pinned packages`);
      differs = true;
    }
  } else writeFileSync(here(name), content);
}
process.exit(differs ? 1 : 0);
