// CPU time of `migrate validate` for the same rows as CSV, NDJSON, a JSON array and a workbook.
//   npm run build && node test/bench/sources.mjs [--rows 300000] [--runs 3] [--sources csv,ndjson,json,xlsx]
// Runs use --threads 1 and the flat contract, and the sources alternate. The workbook stores text as shared strings,
// like the files of spreadsheet programs, but has no styles. Prints the median CPU time including the start, its
// ratio to the first source, and the peak memory.
import { createReadStream, createWriteStream, statSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { parse } from "csv-parse";
import { ZipFile } from "yazl";
import { writeFlatRows } from "./flat-rows.mjs";
import { benchFile, count, machine, mb, medians, migrate, say, seconds, withFolder } from "./measure.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "300000" },
    runs: { type: "string", default: "3" },
    sources: { type: "string", default: "csv,ndjson,json,xlsx" },
  },
});
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const sources = options.sources.split(",");
const job = ["--contract", benchFile("flat-contract.yaml"), "--mapping", benchFile("flat-mapping.yaml")];

const WRITERS = {
  ndjson: (from, to) => write(to, jsonOf(from, "", "\n", "\n")),
  json: (from, to) => write(to, jsonOf(from, "[", ",\n", "]\n")),
  xlsx: writeWorkbook,
};

await withFolder(async (folder) => {
  const fileOf = (source) => path.join(folder, `rows.${source}`);
  await writeFlatRows(fileOf("csv"), Number(options.rows));
  for (const source of sources) if (source !== "csv") await WRITERS[source](fileOf("csv"), fileOf(source));
  say(`validate, ${count(options.rows)} rows of 9 columns, --threads 1; ${machine()}`);
  const results = await medians(Number(options.runs), async () => {
    const run = {};
    for (const source of sources) {
      const { cpuMs, peakMb } = await migrate(["validate", fileOf(source), ...job, "--threads", "1"]);
      run[source] = cpuMs;
      run[`${source}Mb`] = peakMb;
    }
    return run;
  });
  for (const source of sources) {
    const ratio = (results[source] / results[sources[0]]).toFixed(2);
    const size = mb(statSync(fileOf(source)).size / 1e6);
    say(
      `${source.padEnd(6)} (${size}): ${seconds(results[source])}, ${ratio} times ${sources[0]}, ${mb(results[`${source}Mb`])}`,
    );
  }
});

function write(file, texts) {
  return pipeline(texts, createWriteStream(file));
}

function rowsOf(file, settings) {
  return createReadStream(file).pipe(parse(settings));
}

async function* jsonOf(file, start, between, end) {
  yield start;
  let isFirst = true;
  for await (const row of rowsOf(file, { columns: true })) {
    yield (isFirst ? "" : between) + JSON.stringify(row);
    isFirst = false;
  }
  yield end;
}

async function writeWorkbook(from, to) {
  const zip = new ZipFile();
  const strings = new Map();
  const indexOf = (text) => {
    if (!strings.has(text)) strings.set(text, strings.size);
    return strings.get(text);
  };
  const rows = [];
  for await (const cells of rowsOf(from, {})) {
    const line = rows.length + 1;
    const columns = cells.map((cell, index) => cellOf(cell, `${String.fromCharCode(65 + index)}${line}`, indexOf));
    rows.push(`<row r="${line}">${columns.join("")}</row>`);
  }
  const items = [...strings.keys()].map((text) => `<si><t>${text.replaceAll("&", "&amp;")}</t></si>`);
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    "_rels/.rels": relations([["rId1", "officeDocument", "xl/workbook.xml"]]),
    "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations([
      ["rId1", "worksheet", "worksheets/sheet1.xml"],
      ["rId2", "sharedStrings", "sharedStrings.xml"],
    ]),
    "xl/sharedStrings.xml": `<sst xmlns="${MAIN}">${items.join("")}</sst>`,
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${MAIN}"><sheetData>${rows.join("")}</sheetData></worksheet>`,
  };
  for (const [name, text] of Object.entries(parts)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  await write(to, zip.outputStream);
}

/** Stores a cell as a number if a spreadsheet program would show this number unchanged. */
function cellOf(cell, reference, indexOf) {
  if (cell !== "" && String(Number(cell)) === cell) return `<c r="${reference}"><v>${cell}</v></c>`;
  return `<c r="${reference}" t="s"><v>${indexOf(cell)}</v></c>`;
}

function relations(all) {
  const items = all.map(
    ([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${items.join("")}</Relationships>`;
}
