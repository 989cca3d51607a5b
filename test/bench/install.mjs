// Cost of an installation: the size of the installed package, and the time of `npm start` on a fresh clone.
//   node test/bench/install.mjs
// Installs into temporary folders with npm, so the result depends on npm's cache and on the registry. The clone
// contains only committed files.
import { lstatSync, readdirSync } from "node:fs";
import path from "node:path";
import { machine, mb, measured, root, say, seconds, withFolder } from "./measure.mjs";

const NPM = process.platform === "win32" ? "npm.cmd" : "npm";

await withFolder(async (folder) => {
  say(`install; ${machine()}`);
  const clone = path.join(folder, "clone");
  await measured("git", ["clone", "--quiet", root, clone]);
  await measured(NPM, ["ci"], { cwd: clone });
  await measured(NPM, ["pack", "--pack-destination", folder], { cwd: clone });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  const { wallMs } = await measured(NPM, ["install", "--prefix", path.join(folder, "installed"), archive], {
    cwd: folder,
  });
  const { bytes, files, packages } = sizeOf(path.join(folder, "installed/node_modules"));
  say(`installed from the archive: ${mb(bytes / 1e6)}, ${files} files, ${packages} package; ${seconds(wallMs)}`);
  await measured("git", ["clean", "-fdqx"], { cwd: clone });

  const first = await measured(NPM, ["start"], { cwd: clone });
  say(`npm start on a fresh clone, including the installation: ${seconds(first.wallMs)}`);
  const again = await measured(NPM, ["start"], { cwd: clone });
  say(`npm start again: ${seconds(again.wallMs)}`);
});

/**
 * Returns the bytes on disk (as with `du`; on Windows, the sizes of the files), and the numbers of files and packages.
 */
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
