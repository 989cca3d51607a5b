// `migrate validate` of one CSV file with a flat mapping, beside Miller and ajv-cli.
//   npm run build && node test/bench/validate-rows.mjs [--rows 1000000] [--runs 3] [--no-peer]
// The rows are made first and always the same (flat-rows.mjs). Says the median wall time, processor time and peak
// memory, and rows a second. --rows 10000000 --runs 1 --no-peer is the ten-times run.
// The peer is `mlr --icsv --ojson` into a file, then `ajv validate` over it with the equivalent schema
// (flat-schema.json): no mapping, no duplicate keys, no places. It needs Debian's miller, and ajv-cli from npm; ajv-cli
// holds the whole file in memory, so it gets a heap of 8 GB.
import { closeSync, openSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { writeFlatRows } from "./flat-rows.mjs";
import {
  beside,
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
    "no-peer": { type: "boolean", default: false },
  },
});
const rows = Number(options.rows);
const runs = Number(options.runs);

await withFolder(async (folder) => {
  const file = path.join(folder, "rows.csv");
  await writeFlatRows(file, rows);
  say(`validate, ${count(rows)} rows of 9 columns, ${mb(statSync(file).size / 1e6)}; ${machine()}`);
  const ours = await medians(runs, () => validated(file, folder));
  say(`migrate: ${figures(ours)}, ${count(rows / (ours.wallMs / 1000))} rows a second`);
  if (options["no-peer"]) return;
  const theirs = await medians(runs, () => comparedWith(file, folder));
  if (theirs.wallMs === undefined) return;
  say(`mlr:     ${figures({ wallMs: theirs.mlrMs, peakMb: theirs.mlrMb })}`);
  say(`ajv-cli: ${figures({ wallMs: theirs.ajvMs, peakMb: theirs.ajvMb })}`);
  say(`both:    ${seconds(theirs.wallMs)}: ${(theirs.wallMs / ours.wallMs).toFixed(1)} times as long as migrate`);
});

async function validated(file, folder) {
  const contract = ["--contract", beside("flat-contract.yaml"), "--mapping", beside("flat-mapping.yaml")];
  const run = await migrate(["validate", file, ...contract], { env: { TMPDIR: folder } });
  const said = run.stdout + run.stderr;
  if (!said.includes(`${count(rows)} records`)) throw new Error(`not all rows were read:\n${said}`);
  return run;
}

async function comparedWith(file, folder) {
  const mlr = peer("mlr", "apt-get install miller");
  const ajv = peer("ajv", npmPeer("ajv-cli@5"));
  if (mlr === undefined || ajv === undefined) return {};
  const json = path.join(folder, "rows.json");
  const out = openSync(json, "w");
  const converted = await measured(mlr, ["-S", "--icsv", "--ojson", "cat", file], { stdout: out });
  closeSync(out);
  const env = { NODE_OPTIONS: "--max-old-space-size=8192" };
  const checked = await measured(ajv, ["validate", "-s", beside("flat-schema.json"), "-d", json], { env });
  return {
    wallMs: converted.wallMs + checked.wallMs,
    mlrMs: converted.wallMs,
    mlrMb: converted.peakMb,
    ajvMs: checked.wallMs,
    ajvMb: checked.peakMb,
  };
}

function figures({ wallMs, cpuMs, peakMb }) {
  const cpu = cpuMs === undefined ? "" : `, ${seconds(cpuMs)} of processor time`;
  return `${seconds(wallMs)}${cpu}, ${mb(peakMb)} at peak`;
}
