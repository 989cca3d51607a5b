// Builds dist/. Compiles the modules of src/ one by one for tests and benchmarks; these modules are not published. Then
// creates the published files: the bundled program and library, SQLite's binaries, and the types. Writes a stamp to
// dist/. setup.mjs uses the stamp to detect a stale build.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bundle } from "./bundle.mjs";
import { copyTypes } from "./types.mjs";

const root = path.dirname(import.meta.dirname);
const dist = path.join(root, "dist");
rmSync(dist, { recursive: true, force: true });
const compiler = path.join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", root], { stdio: ["ignore", "inherit", "inherit"] });
if (status === 0) {
  for (const folder of ["overlays", "page"]) copyFolder(folder);
  await bundle(root, dist);
  copyTypes(path.join(dist, "index.d.ts"), path.join(dist, "types"));
  writeFileSync(path.join(dist, ".built"), hashOfBuild());
}
process.exit(status ?? 1);

// Copies files that are used unchanged: the overlays and the parts of report pages.
function copyFolder(name) {
  cpSync(path.join(root, "src", name), path.join(dist, name), { recursive: true });
  rmSync(path.join(dist, name, "tsconfig.json"), { force: true });
}

// Returns a hash that identifies the build. The cache of compiled contracts is valid only for the same build.
function hashOfBuild() {
  const hash = createHash("sha256");
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => /\.c?js$/.test(name));
  for (const name of files.toSorted()) hash.update(name).update(readFileSync(path.join(dist, name)));
  return hash.digest("hex");
}
