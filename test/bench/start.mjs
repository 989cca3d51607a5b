// How long the program takes to start: `--version` and `--help`, beside a Node that does nothing.
//   npm run build && node test/bench/start.mjs [--runs 10]
import { parseArgs } from "node:util";
import { machine, measured, medians, migrate, say } from "./measure.mjs";

const { values: options } = parseArgs({ options: { runs: { type: "string", default: "10" } } });
const runs = Number(options.runs);

say(`start, medians of ${runs}; ${machine()}`);
const bare = await medians(runs, () => measured(process.execPath, ["-e", "0"]));
say(`node -e 0:         ${Math.round(bare.wallMs)} ms`);
for (const flag of ["--version", "--help"]) {
  const { wallMs } = await medians(runs, () => migrate([flag]));
  say(`migrate ${flag}: ${Math.round(wallMs)} ms`);
}
