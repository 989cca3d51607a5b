// 10,000 seeds of the simulations (test/simulation): of one process, and of several workers; two processes at a time.
//   node test/soak/simulation.mjs [--seeds 10000] [--first 1]
// A seed that breaks an invariant is printed with the command that replays it.
import { spawn } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "10000" }, first: { type: "string", default: "1" } },
});
const seeds = Number(values.seeds);
const first = Number(values.first);
const root = path.join(import.meta.dirname, "../..");
const half = Math.ceil(seeds / 2);

const codes = await Promise.all([play(first, half), play(first + half, seeds - half)]);
process.exit(codes.every((code) => code === 0) ? 0 : 1);

function play(from, count) {
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const words = [vitest, "run", "--config", "test/vitest.config.ts", "--no-file-parallelism", "simulation.test.ts"];
  const env = { ...process.env, SIMULATION_FIRST: String(from), SIMULATION_SEEDS: String(count) };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: "inherit" });
  return new Promise((resolve) => child.once("close", resolve));
}
