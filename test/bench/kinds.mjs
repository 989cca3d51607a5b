// Additional CPU time that `migrate validate` needs per value of each type and mapping option, compared with a plain
// string.
//   npm run build && node test/bench/kinds.mjs [--rows 200000] [--runs 3] [--sources csv,ndjson]
//     [--only date,integer]
// Each file has a key column and one column of values. Runs use --threads 1, and the kinds are measured in turn. For
// each kind, prints the difference between its median and the median of the `string` kind in the same type of source,
// in microseconds per value.
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { count, machine, median, migrate, say, withFolder } from "./measure.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    runs: { type: "string", default: "3" },
    sources: { type: "string", default: "csv,ndjson" },
    only: { type: "string" },
  },
});
const rows = Number(options.rows);
const digits = (row, length) => String(row).padStart(length, "0");
const day = (row) => `${1950 + (row % 50)}-${digits((row % 12) + 1, 2)}-${digits((row % 28) + 1, 2)}`;
const britishDay = (row) => day(row).split("-").toReversed().join("/");
const text = { type: "string" };

/**
 * For each kind: the schema of the field, the mapping options of the column, and a function that returns the value in a
 * row. NDJSON sources contain numbers and booleans as such; CSV sources contain their text.
 */
const KINDS = {
  string: [text, {}, (row) => `Value ${digits(row, 8)}`],
  enum: [
    { type: "string", enum: ["ELECTRICITY", "GAS", "WATER"] },
    {},
    (row) => ["ELECTRICITY", "GAS", "WATER"][row % 3],
  ],
  pattern: [
    { type: "string", pattern: "^[A-Z]{1,2}[0-9]{1,2} [0-9][A-Z]{2}$" },
    {},
    (row) => `AB${(row % 90) + 1} ${row % 10}XY`,
  ],
  boolean: [{ type: "boolean" }, {}, (row) => row % 2 === 0],
  integer: [{ type: "integer", minimum: 0 }, {}, (row) => row * 7],
  number: [{ type: "number" }, {}, (row) => row + (row % 100) / 100],
  decimal: [{ type: "string", format: "decimal" }, {}, (row) => `${row}.${digits(row % 100, 2)}`],
  date: [{ type: "string", format: "date" }, {}, day],
  "date-time": [{ type: "string", format: "date-time" }, {}, (row) => `${day(row)}T10:${digits(row % 60, 2)}:00Z`],
  uuid: [{ type: "string", format: "uuid" }, {}, (row) => `0b9f3c1a-5d2e-4f7a-8c6b-${digits(row, 12)}`],
  email: [{ type: "string", format: "email" }, {}, (row) => `person${row}@example.com`],
  uri: [{ type: "string", format: "uri" }, {}, (row) => `https://example.com/documents/${row}`],
  "non-ASCII text": [text, {}, (row) => `Zoë Müller ${digits(row, 8)}`],
  "maxLength, non-ASCII": [{ ...text, maxLength: 40 }, {}, (row) => `Łódź Åström ${digits(row, 8)}`],
  "date: dd/MM/yyyy": [{ type: "string", format: "date" }, { date: "dd/MM/yyyy" }, britishDay],
  "datetime: with zone": [
    { type: "string", format: "date-time" },
    { datetime: "dd/MM/yyyy HH:mm", zone: "Europe/London" },
    (row) => `${britishDay(row)} 10:${digits(row % 60, 2)}`,
  ],
  "number: decimal comma": [
    { type: "string", format: "decimal" },
    { number: { decimal: ",", group: "." } },
    (row) => `${row},${digits(row % 100, 2)}`,
  ],
  lookup: [
    { type: "string", enum: ["ELECTRICITY", "GAS"] },
    { lookup: { E: "ELECTRICITY", G: "GAS" } },
    (row) => "EG"[row % 2],
  ],
  "true and false": [{ type: "boolean" }, { true: ["Y"], false: ["N"] }, (row) => "YN"[row % 2]],
  trim: [text, { trim: true }, (row) => ` Value ${digits(row, 8)} `],
  upper: [text, { upper: true }, (row) => `value ${digits(row, 8)}`],
  lower: [text, { lower: true }, (row) => `VALUE ${digits(row, 8)}`],
  replace: [text, { replace: { " ": "" } }, (row) => `07700 ${digits(row % 1_000_000, 6)}`],
  split: [{ type: "array", items: text }, { split: ";" }, (row) => `A${row % 100};B${row % 10}`],
  "join of two columns": [text, { from: ["VALUE", "VALUE"], join: " " }, (row) => `V${digits(row, 6)}`],
  when: [text, { when: { column: "VALUE", in: ["one", "two"] } }, (row) => ["one", "two", "none"][row % 3]],
};

await withFolder(async (folder) => {
  const names = Object.keys(KINDS).filter(
    (name) => name === "string" || (options.only?.split(",").includes(name) ?? true),
  );
  say(`validate, ${count(rows)} rows, --threads 1; ${machine()}`);
  for (const source of options.sources.split(",")) {
    const jobs = [];
    for (const name of names) jobs.push({ name, args: await prepare(folder, source, name), cpuMs: [] });
    for (let run = 0; run < Number(options.runs); run += 1)
      for (const { args, cpuMs } of jobs) cpuMs.push((await migrate(args, { env: { TMPDIR: folder } })).cpuMs);
    const perRow = ({ cpuMs }) => (1000 * median(cpuMs)) / rows;
    const plain = perRow(jobs[0]);
    say(`${source}: string ${plain.toFixed(2)} us per record`);
    for (const job of jobs.slice(1)) {
      const spread = job.cpuMs.map((ms) => ((1000 * ms) / rows - plain).toFixed(2)).join(", ");
      say(`  ${job.name.padEnd(22)} ${(perRow(job) - plain).toFixed(2).padStart(6)} us more than string (${spread})`);
    }
  }
});

/** Writes the contract, the mapping and the rows. Returns the arguments of the command. */
async function prepare(folder, source, name) {
  const [schema, mapping, valueOf] = KINDS[name];
  const file = (ending) => path.join(folder, `${source}-${Object.keys(KINDS).indexOf(name)}${ending}`);
  await writeFile(file(".contract.json"), JSON.stringify(contract(schema)));
  const payload = { id: "REF", value: { from: "VALUE", ...mapping } };
  await writeFile(file(".mapping.json"), JSON.stringify({ operation: "import-value", payload }));
  const out = createWriteStream(file(`.${source}`));
  if (source === "csv") out.write("REF,VALUE\n");
  for (let row = 0; row < rows; row += 1) {
    const record = { REF: `K${digits(row, 8)}`, VALUE: valueOf(row) };
    const line =
      source === "csv" ? `${record.REF},${String(record.VALUE).replace(/.*,.*/, '"$&"')}` : JSON.stringify(record);
    if (!out.write(`${line}\n`)) await once(out, "drain");
  }
  await once(out.end(), "finish");
  const files = ["--contract", file(".contract.json"), "--mapping", file(".mapping.json")];
  return ["validate", file(`.${source}`), ...files, "--threads", "1", "--quiet"];
}

function contract(value) {
  const schema = { type: "object", required: ["id"], properties: { id: text, value } };
  const operation = {
    operationId: "import-value",
    "x-migrate-key": "id",
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: { 201: { description: "Created" } },
  };
  return {
    openapi: "3.0.3",
    info: { title: "One value", version: "1" },
    paths: { "/data-import/values/": { post: operation } },
  };
}
