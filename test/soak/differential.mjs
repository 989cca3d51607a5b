// Checks 20,000 random triples of a contract, a mapping and files (test/differential): every record must have the same
// result on the fast path, on the row path and in whole runs.
//   node test/soak/differential.mjs [--triples 20000] [--seed <n>] [--seconds <n>] [--workers 2] [--runs-every 200]
// Each triple has 200 records. The seeds are consecutive, beginning with `--seed`. One triple in `--runs-every` is
// validated in one thread and in three, and pushed three times to its own server. A failed triple is printed with its
// seed and its smallest form. No new triple starts after `--seconds`. Requires `npm run build`.
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
/** Triples per process. A new process releases the memory of compiled contracts. */
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

process.stdout.write(`${triples} triples, starting with seed ${first}\n`);
await Promise.all(Array.from({ length: Number(values.workers) }, checkParts));
rmSync(folder, { recursive: true, force: true });
report();
if (!isConclusive()) {
  process.stdout.write(
    "the comparison is not conclusive: too few triples, or too few records of some kinds, were compared\n",
  );
  isBroken = true;
}
process.exit(isBroken ? 1 : 0);

async function checkParts() {
  for (let part = parts.shift(); part !== undefined && performance.now() < endsAt; part = parts.shift()) {
    const result = path.join(folder, `${part.first}.json`);
    const code = await check(part, result);
    if (code !== 0) isBroken = true;
    add(result);
  }
}

function check(part, result) {
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

/** Adds the counts of a process. A process without a result file has failed. */
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
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)}%`;
}

/**
 * Returns whether enough was compared. Without `--seconds`, all triples must have been compared. If there are at least
 * 200 triples, few of them may be rejected, and enough records must be valid, take the fast path, and be compared as
 * request bodies and with NDJSON.
 */
function isConclusive() {
  if (endsAt === Infinity && counts.triples !== triples) return false;
  if (counts.triples < 200) return true;
  const { triples: played, refused, records, valid, fast, bodies, ndjson } = counts;
  const shares = [valid / records / 0.4, fast / valid / 0.4, bodies / records / 0.4, ndjson / records / 0.15];
  return refused < 0.05 * played && Math.min(...shares) > 1;
}

function report() {
  const { triples: played, refused, records, valid, fast, bodies, ndjson, runs } = counts;
  const lines = [
    `${played} triples, ${refused} of them rejected, ${runs} checked in whole runs`,
    `${records} records, ${valid} valid (${share(valid, records)}), ${fast} on the fast path (${share(fast, valid)} of the valid)`,
    `${bodies} records with compared request bodies, ${ndjson} compared with NDJSON`,
    ...Object.entries(drawn)
      .toSorted(([, one], [, other]) => other - one)
      .map(([name, count]) => `  ${name}: ${count}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
