// Keeps the long promises: `npm run soak` runs every other script of this folder, one after the other, and says of each
// whether it held. `npm run soak -- simulation push` runs those alone; what follows a `--` goes to each of them:
//   npm run soak -- push -- --records 2000 --minutes 1
// Each script takes parameters that shorten it (see its first lines), and ends with 0 when its promise holds.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";

const folder = import.meta.dirname;
const all = readdirSync(folder)
  .filter((name) => name.endsWith(".mjs") && name !== path.basename(import.meta.filename))
  .map((name) => path.basename(name, ".mjs"));
const [wanted, passedOn] = split(process.argv.slice(2));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(", ")}; there are ${all.join(", ")}.\n`);
  process.exit(2);
}

const failed = [];
for (const name of wanted.length > 0 ? wanted : all) {
  const startedAt = performance.now();
  process.stdout.write(`== ${name}\n`);
  const { status } = spawnSync(process.execPath, [path.join(folder, `${name}.mjs`), ...passedOn], { stdio: "inherit" });
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  process.stdout.write(`${status === 0 ? "held" : "BROKEN"}: ${name}, ${minutes} minutes\n`);
  if (status !== 0) failed.push(name);
}
process.exit(failed.length === 0 ? 0 : 1);

function split(words) {
  const at = words.indexOf("--");
  return at < 0 ? [words, []] : [words.slice(0, at), words.slice(at + 1)];
}
