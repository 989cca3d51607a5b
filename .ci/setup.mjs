// Prepares a checkout: installs missing packages and rebuilds a stale build. `npm start` and `npm test` run it first.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const inRoot = (name) => path.join(root, name);

const installed = inRoot("node_modules/.package-lock.json");
if (!existsSync(installed) || changedAt(inRoot("package-lock.json")) > changedAt(installed)) {
  run("npm", ["ci", "--ignore-scripts", "--loglevel=error"], "Installing");
}

const built = inRoot("dist/.built");
const sources = [...filesBelow(inRoot("src")), inRoot("tsconfig.json"), installed];
if (!existsSync(built) || Math.max(...sources.map(changedAt)) > changedAt(built)) {
  run("npm", ["run", "--silent", "build"], "Building");
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true }).map((name) => path.join(folder, name));
}

function changedAt(file) {
  return statSync(file).mtimeMs;
}

function run(command, args, what) {
  process.stderr.write(`${what} ...\n`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) process.exit(status ?? 1);
}
