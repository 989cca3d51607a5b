// Start-up time of `--version`, `--help`, `contract show` with and without a cache, and `validate` of 20 rows. Prints
// wall time, CPU time, and their ratios to `node -e 0`.
//   npm run build && node test/bench/start.mjs [--runs 10] [--contracts ../shared/contracts]
// The commands run in turn, so that other load on the machine affects all of them. If the folder of an operator's
// document exists, also measures parsing its YAML alone and `contract show` of the document without a cache.
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { writeFlatRows } from "./flat-rows.mjs";
import { benchFile, binary, machine, measured, median, root, say, withFolder } from "./measure.mjs";

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "10" },
    contracts: { type: "string", default: path.join(root, "../shared/contracts") },
  },
});

await withFolder(async (folder) => {
  const rows = path.join(folder, "rows.csv");
  await writeFlatRows(rows, 20);
  // Each process reports its own CPU time, because many end before /proc can be read.
  const clock = path.join(folder, "clock.cjs");
  writeFileSync(
    clock,
    `process.once("exit", () => require("fs").writeSync(2, "\\ncpu " + process.cpuUsage().user + " " + process.cpuUsage().system));`,
  );
  const contract = path.join(root, "fixtures/contract/contract.yaml");
  const show = ["contract", "show", contract, "--operation", "import-account"];
  const job = ["--contract", benchFile("flat-contract.yaml"), "--mapping", benchFile("flat-mapping.yaml")];
  const commands = {
    "node -e 0": ["-e", "0"],
    "--version": [binary, "--version"],
    "--help": [binary, "--help"],
    "contract show, cached": [binary, ...show],
    "contract show, no cache": [binary, ...show, "--no-cache"],
    "validate, 20 rows": [binary, "validate", rows, ...job],
    ...published(),
  };
  const env = { TMPDIR: folder, XDG_CACHE_HOME: folder };
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, { wall: [], cpu: [] }]));
  for (let run = 0; run <= Number(options.runs); run += 1) {
    for (const [name, args] of Object.entries(commands)) {
      const { wallMs, stderr } = await measured(process.execPath, ["--require", clock, ...args], { env });
      const [, user, system] = /\ncpu (\d+) (\d+)$/.exec(stderr);
      // The first run fills the cache, so it does not count.
      if (run > 0) {
        times[name].wall.push(wallMs);
        times[name].cpu.push((Number(user) + Number(system)) / 1000);
      }
    }
  }
  say(`start, medians of ${options.runs}; ${machine()}`);
  const bare = times["node -e 0"];
  for (const [name, { wall, cpu }] of Object.entries(times)) {
    const ratios = [median(wall) / median(bare.wall), median(cpu) / median(bare.cpu)].map((ratio) => ratio.toFixed(2));
    const figures = `${Math.round(median(wall))} ms, ${Math.round(median(cpu))} ms of CPU time`;
    say(`${name.padEnd(24)} ${figures}: ${ratios.join(" and ")} times node -e 0`);
  }
});

/** Commands that read an operator's document; none if the document does not exist. */
function published() {
  const document = path.join(options.contracts, "au-data-import.openapi.yml");
  if (!existsSync(document)) return {};
  const parsing = `require("yaml").parse(require("fs").readFileSync(process.argv[1], "utf8"))`;
  return {
    "au, YAML parsed": ["-e", parsing, document],
    "au, contract show": [binary, "contract", "show", document, "--operation", "V1 Validate Account", "--no-cache"],
  };
}
