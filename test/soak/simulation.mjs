// Runs 10,000 seeds of the simulations (test/simulation): with one process and with several workers, each with and
// without restored older copies of the ledger.
//   node test/soak/simulation.mjs [--seeds 10000] [--first 1] [--only shared] [--restores] [--processes 2]
// `--restores` runs only the simulations with restored copies.
// A seed that breaks an invariant is printed with the command that replays it.
import { spawn } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "10000" },
    first: { type: "string", default: "1" },
    only: { type: "string" },
    restores: { type: "boolean", default: false },
    processes: { type: "string", default: "2" },
  },
});
/** Seeds per process. With the SQLite package, a closed ledger keeps its files open until they are garbage-collected. */
const PART = 250;
/** The beginning of the test titles to select. */
const title = values.restores ? "no schedule in which older copies" : "no schedule";
const root = path.join(import.meta.dirname, "../..");
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const files = [
  ...(values.restores ? [] : ["simulation/simulation.test.ts"]),
  "simulation/restored-ledgers.test.ts",
  "simulation/shared/shared-simulation.test.ts",
];
const parts = files
  .filter((file) => values.only === undefined || file.includes(values.only))
  .flatMap((file) => partsOf(Number(values.first), Number(values.seeds)).map((part) => ({ ...part, file })));

const codes = [];
await Promise.all(Array.from({ length: Number(values.processes) }, runParts));
process.exit(codes.length > 0 && codes.every((code) => code === 0) ? 0 : 1);

async function runParts() {
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) codes.push(await runPart(part));
}

function partsOf(first, seeds) {
  return Array.from({ length: Math.ceil(seeds / PART) }, (_, at) => ({
    first: first + at * PART,
    seeds: Math.min(PART, seeds - at * PART),
  }));
}

function runPart({ file, first, seeds }) {
  const words = [vitest, "run", "--config", "test/vitest.config.ts", "--reporter=dot", file];
  const env = { ...process.env, SIMULATION_FIRST: String(first), SIMULATION_SEEDS: String(seeds) };
  const stdio = ["ignore", "inherit", "pipe"];
  const child = spawn(process.execPath, [...words, "-t", title], { cwd: root, env, stdio });
  let played = 0;
  child.stderr.setEncoding("utf8").on("data", (text) => {
    played += text.match(/\d+ seeds from/g)?.length ?? 0;
    process.stderr.write(text);
  });
  // vitest also passes if no title matches.
  return new Promise((resolve) => child.once("close", (code) => resolve(played === 0 ? 1 : code)));
}
