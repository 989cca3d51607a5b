// `migrate validate` of a CSV file with one thread and with several, compared with Miller and ajv-cli.
//   npm run build && node test/bench/validate-rows.mjs [--rows 1000000] [--runs 3] [--threads 1,2]
//     [--mapping flat,nested] [--no-peer]
// There are two mappings: flat, with a text summary, and nested, which writes one line of JSON per record to a file.
// The rows are deterministic (flat-rows.mjs). Prints median wall time, CPU time, peak memory and rows per second.
// The compared runs alternate, so that other load on the machine affects all of them. `--rows 10000000 --runs 1
// --no-peer` measures ten times as many rows once.
// The peer is `mlr --icsv --ojson` into a file, then `ajv validate` of this file with the equivalent schema
// (flat-schema.json). The peer has no mapping, no check for duplicate keys and no source locations. It requires miller
// from Debian and ajv-cli from npm. ajv-cli reads the whole file into memory, so it gets a heap of 8 GB.
import { closeSync, openSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { writeFlatRows } from "./flat-rows.mjs";
import {
  benchFile,
  count,
  machine,
  mb,
  measured,
  medians,
  migrate,
  npmPeer,
  peer,
  say,
  seconds,
  withFolder,
} from "./measure.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    runs: { type: "string", default: "3" },
    threads: { type: "string", default: "1,2" },
    mapping: { type: "string", default: "flat,nested" },
    "no-peer": { type: "boolean", default: false },
  },
});
const rows = Number(options.rows);
const threadCounts = options.threads.split(",");

/** The files and the output format of each mapping. */
const MAPPINGS = {
  flat: { files: ["flat-contract.yaml", "flat-mapping.yaml"], format: "text" },
  nested: { files: ["nested-contract.yaml", "nested-mapping.yaml"], format: "ndjson" },
};

await withFolder(async (folder) => {
  const file = path.join(folder, "rows.csv");
  await writeFlatRows(file, rows);
  say(`validate, ${count(rows)} rows of 9 columns, ${mb(statSync(file).size / 1e6)}; ${machine()}`);
  const isCompared = !options["no-peer"] && peers() !== undefined;
  const results = await medians(Number(options.runs), () => measureAll(file, folder, isCompared));
  for (const name of options.mapping.split(",")) sayMapping(name, results);
  if (!isCompared) return;
  const { mlrWallMs, ajvWallMs } = results;
  say(`mlr:     ${figures("mlr", results)}`);
  say(`ajv-cli: ${figures("ajv", results)}`);
  for (const name of options.mapping.split(",")) {
    const ratios = threadCounts.map((threads) => (mlrWallMs + ajvWallMs) / results[`${name}${threads}WallMs`]);
    const each = ratios.map(
      (ratio, index) => `${ratio.toFixed(2)} times as long as migrate with --threads ${threadCounts[index]}`,
    );
    say(`both:    ${seconds(mlrWallMs + ajvWallMs)}; ${name}: ${each.join(", ")}`);
  }
});

function sayMapping(name, results) {
  const [first] = threadCounts;
  for (const threads of threadCounts) {
    const wallMs = results[`${name}${threads}WallMs`];
    const ratio = (results[`${name}${first}WallMs`] / wallMs).toFixed(2);
    const compared = threads === first ? "" : `, ${ratio} times as fast as with ${first}`;
    const rate = `${count(rows / (wallMs / 1000))} rows/s`;
    say(`migrate, ${name}, --threads ${threads}: ${figures(name + threads, results)}, ${rate}${compared}`);
  }
}

/** Measures each command once, in sequence. */
async function measureAll(file, folder, isCompared) {
  const results = {};
  const note = (name, { wallMs, cpuMs, peakMb }) =>
    Object.assign(results, { [`${name}WallMs`]: wallMs, [`${name}CpuMs`]: cpuMs, [`${name}PeakMb`]: peakMb });
  for (const name of options.mapping.split(",")) {
    for (const threads of threadCounts)
      note(name + threads, await measureValidate(file, { folder, threads, ...MAPPINGS[name] }));
  }
  if (isCompared) {
    const json = path.join(folder, "rows.json");
    const { mlr, ajv } = peers();
    note("mlr", await writing(json, (stdout) => measured(mlr, ["-S", "--icsv", "--ojson", "cat", file], { stdout })));
    const env = { NODE_OPTIONS: "--max-old-space-size=8192" };
    note("ajv", await measured(ajv, ["validate", "-s", benchFile("flat-schema.json"), "-d", json], { env }));
  }
  return results;
}

async function measureValidate(file, { folder, threads, files, format }) {
  const [contract, mapping] = files.map(benchFile);
  const args = [
    "validate",
    file,
    "--contract",
    contract,
    "--mapping",
    mapping,
    "--threads",
    threads,
    "--format",
    format,
  ];
  const env = { TMPDIR: folder };
  const run =
    format === "text"
      ? await migrate(args, { env })
      : await writing(path.join(folder, "outcomes"), (stdout) => migrate(args, { env, stdout }));
  const said = run.stdout + run.stderr;
  if (!said.includes(`${count(rows)} records`)) throw new Error(`not all rows were read:\n${said}`);
  return run;
}

async function writing(file, work) {
  const out = openSync(file, "w");
  try {
    return await work(out);
  } finally {
    closeSync(out);
  }
}

function peers() {
  const mlr = peer("mlr", "apt-get install miller");
  const ajv = peer("ajv", npmPeer("ajv-cli@5"));
  return mlr === undefined || ajv === undefined ? undefined : { mlr, ajv };
}

function figures(name, results) {
  const { [`${name}WallMs`]: wallMs, [`${name}CpuMs`]: cpuMs, [`${name}PeakMb`]: peakMb } = results;
  const cpu = cpuMs === undefined ? "" : `, ${seconds(cpuMs)} of CPU time`;
  return `${seconds(wallMs)}${cpu}, ${mb(peakMb)} at peak`;
}
