// Fails if a package in the lock file has a licence that is not listed here.
//
//   node .ci/licences.mjs [package-lock.json]
import { readFileSync } from "node:fs";
import path from "node:path";

/** Licences of packages in the bundle. The packages are redistributed, and these licences require only a notice. */
const PASSED_ON = new Set(["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"]);
/** Licences of tools that are used only to build and test. */
const USED = new Set([...PASSED_ON, "MPL-2.0", "BlueOak-1.0.0"]);

/**
 * Whether the licence is permitted. If a package offers a choice (SPDX: `(MIT OR CC0-1.0)`), one permitted licence is
 * enough.
 */
const isGranted = (license, list) =>
  license
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((name) => list.has(name));

const root = path.dirname(import.meta.dirname);
const [file = path.join(root, "package-lock.json")] = process.argv.slice(2);
const notices = readFileSync(path.join(root, "dist/NOTICES.md"), "utf8");
const bundled = new Set([...notices.matchAll(/^## (\S+) (\d\S*) /gm)].map(([, name, version]) => `${name} ${version}`));

const { packages } = JSON.parse(readFileSync(file, "utf8"));
const locked = Object.entries(packages)
  .filter(([place]) => place !== "")
  .map(([place, { version, license }]) => ({ name: `${place.replace(/^.*node_modules\//, "")} ${version}`, license }));
const refused = locked.filter(({ name, license = "" }) => !isGranted(license, bundled.has(name) ? PASSED_ON : USED));
for (const { name, license = "no licence" } of refused) {
  console.log(`${name}${bundled.has(name) ? ", in the bundle" : ""}: ${license} is not on the list`);
}
console.log(
  `${locked.length} packages, ${bundled.size} in the bundle, ${refused.length} with a licence that is not on the list`,
);
process.exitCode = refused.length === 0 && locked.length > 0 && bundled.size > 0 ? 0 : 1;
