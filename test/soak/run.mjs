// `npm run soak` runs all other scripts in this folder in sequence and reports whether each passed.
// `npm run soak -- simulation push` runs only these scripts. Arguments after a second `--` are passed to each script:
//   npm run soak -- push -- --records 2000 --minutes 1
// Each script has parameters that shorten it (see its first lines), and exits with 0 if it passes.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";

const folder = import.meta.dirname;
const all = readdirSync(folder)
  .filter((name) => name.endsWith(".mjs") && name !== path.basename(import.meta.filename))
  .map((name) => path.basename(name, ".mjs"));
const [wanted, passedOn] = splitArguments(process.argv.slice(2));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown script: ${unknown.join(", ")}. Available scripts: ${all.join(", ")}.\n`);
  process.exit(2);
}

const failed = [];
for (const name of wanted.length > 0 ? wanted : all) {
  const startedAt = performance.now();
  process.stdout.write(`== ${name}\n`);
  const { status } = spawnSync(process.execPath, [path.join(folder, `${name}.mjs`), ...passedOn], { stdio: "inherit" });
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  process.stdout.write(`${status === 0 ? "passed" : "FAILED"}: ${name}, ${minutes} minutes\n`);
  if (status !== 0) failed.push(name);
}
process.exit(failed.length === 0 ? 0 : 1);

function splitArguments(words) {
  const at = words.indexOf("--");
  return at < 0 ? [words, []] : [words.slice(0, at), words.slice(at + 1)];
}
