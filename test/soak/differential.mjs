// 20,000 random triples of a contract, a mapping and files (test/differential): every record is planned and sent on the fast
// path, on the row path and in whole runs, and has to come to the same.
//   node test/soak/differential.mjs [--triples 20000] [--seed <n>] [--seconds <n>] [--workers 2] [--runs-every 200]
// Each triple has 200 records; the first has the seed, and the others follow it. One triple in `--runs-every` is validated in
// one thread and in three, and pushed three times to a server of its own. A triple that fails is printed with its seed and its
// smallest form; `--seconds` begins no further triple after that time. Wants `npm run build`.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    triples: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    seconds: { type: "string" },
    workers: { type: "string", default: "2" },
    "runs-every": { type: "string", default: "200" },
  },
});
/** The triples of one process: what it has compiled is let go of with it. */
const PART = 500;
const root = path.join(import.meta.dirname, "../..");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const [first, triples] = [Number(values.seed), Number(values.triples)];
const endsAt = values.seconds === undefined ? Infinity : performance.now() + 1000 * Number(values.seconds);
const folder = mkdtempSync(path.join(tmpdir(), "differential-"));
const parts = Array.from({ length: Math.ceil(triples / PART) }, (_, at) => ({
  first: first + at * PART,
  triples: Math.min(PART, triples - at * PART),
}));
const counts = { triples: 0, refused: 0, records: 0, valid: 0, fast: 0, bodies: 0, ndjson: 0, runs: 0 };
const drawn = {};
let isBroken = false;

process.stdout.write(`${triples} triples from seed ${first} on\n`);
await Promise.all(Array.from({ length: Number(values.workers) }, playOn));
rmSync(folder, { recursive: true, force: true });
report();
if (!isTelling()) {
  process.stdout.write("too few records were compared on both paths: the comparison shows nothing\n");
  isBroken = true;
}
process.exit(isBroken ? 1 : 0);

async function playOn() {
  for (let part = parts.shift(); part !== undefined && performance.now() < endsAt; part = parts.shift()) {
    const result = path.join(folder, `${part.first}.json`);
    const code = await play(part, result);
    if (code !== 0) isBroken = true;
    add(result);
  }
}

function play(part, result) {
  const words = [vitest, "run", "--config", "test/soak/vitest.config.ts", "--reporter=dot", "differential.soak"];
  const seconds = endsAt === Infinity ? "" : String((endsAt - performance.now()) / 1000);
  const env = {
    ...process.env,
    SOAK_FIRST: String(part.first),
    SOAK_TRIPLES: String(part.triples),
    SOAK_RUNS_EVERY: values["runs-every"],
    SOAK_SECONDS: seconds,
    SOAK_RESULT: result,
  };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  const printed = [];
  child.stdout.on("data", (text) => printed.push(text));
  return new Promise((resolve) => {
    child.once("close", (code) => {
      if (code !== 0) process.stdout.write(Buffer.concat(printed));
      resolve(code);
    });
  });
}

/** What a process has counted; one that did not get so far is broken anyway. */
function add(result) {
  let played;
  try {
    played = JSON.parse(readFileSync(result, "utf8"));
  } catch {
    isBroken = true;
    return;
  }
  for (const [name, count] of Object.entries(played.counts)) counts[name] += count;
  for (const [name, count] of Object.entries(played.drawn)) drawn[name] = (drawn[name] ?? 0) + count;
}

function share(part, whole) {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
}

/** Most triples are compared, and many of their records are valid and take the fast path; a few triples say nothing of that. */
function isTelling() {
  if (endsAt === Infinity && counts.triples !== triples) return false;
  if (counts.triples < 200) return true;
  const { triples: played, refused, records, valid, fast, bodies, ndjson } = counts;
  const shares = [valid / records / 0.4, fast / valid / 0.4, bodies / records / 0.4, ndjson / records / 0.15];
  return refused < 0.05 * played && Math.min(...shares) > 1;
}

function report() {
  const { triples: played, refused, records, valid, fast, bodies, ndjson, runs } = counts;
  const lines = [
    `${played} triples, ${refused} of them refused, ${runs} played as whole runs`,
    `${records} records, ${valid} valid (${share(valid, records)}), ${fast} on the fast path (${share(fast, valid)} of the valid)`,
    `${bodies} records with compared request bodies, ${ndjson} compared with NDJSON`,
    ...Object.entries(drawn)
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, count]) => `  ${name}: ${count}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
