// Cost of an installation: the size of the production dependencies, and the time of `npm start` on a fresh clone.
//   node test/bench/install.mjs
// Installs into temporary folders with npm, so the result depends on npm's cache and registry. The clone contains only
// committed files.
import { cpSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { machine, mb, measured, root, say, seconds, withFolder } from "./measure.mjs";

const NPM = process.platform === "win32" ? "npm.cmd" : "npm";

await withFolder(async (folder) => {
  say(`install; ${machine()}`);
  const installed = path.join(folder, "installed");
  mkdirSync(installed);
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
    cpSync(path.join(root, name), path.join(installed, name));
  }
  const { wallMs } = await measured(NPM, ["ci", "--omit=dev", "--ignore-scripts"], { cwd: installed });
  const { bytes, files, packages } = sizeOf(path.join(installed, "node_modules"));
  say(`production dependencies: ${mb(bytes / 1e6)} on disk, ${files} files, ${packages} packages; ${seconds(wallMs)}`);

  const clone = path.join(folder, "clone");
  await measured("git", ["clone", "--quiet", root, clone]);
  const first = await measured(NPM, ["start"], { cwd: clone });
  say(`npm start on a fresh clone, installs included: ${seconds(first.wallMs)}`);
  const again = await measured(NPM, ["start"], { cwd: clone });
  say(`npm start once more: ${seconds(again.wallMs)}`);
});

/** Disk usage in blocks, like `du`. */
function sizeOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.map((entry) => {
    const { blocks, size } = lstatSync(path.join(entry.parentPath, entry.name));
    return process.platform === "win32" ? size : blocks * 512;
  });
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    files: entries.filter((entry) => entry.isFile()).length,
    packages: entries.filter((entry) => entry.name === "package.json" && isPackage(entry.parentPath)).length,
  };
}

function isPackage(folder) {
  const above = path.basename(path.dirname(folder));
  return above === "node_modules" || above.startsWith("@");
}
