import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { MAX_PATH_CHARACTERS, MAX_VISITS } from "../src/contract/document/overlay.ts";
import { MAX_EVALUATIONS } from "../src/contract/types/assertion-cost.ts";
import { MAX_OPTIONS } from "../src/contract/types/count-alternatives.ts";
import { MAX_SCHEMA_NESTING } from "../src/contract/types/schema-node.ts";
import { MAX_PAGES } from "../src/platform/reading/pagination.ts";
import { MAX_GLOB_ENTRIES } from "../src/read/input/source-files.ts";
import { DEFAULT_LIMITS } from "../src/read/read-limits.ts";
import { MAX_HEADER_BYTES, MAX_REPLY_BYTES } from "../src/transport/http-client.ts";
import { MAX_MATCHES, MAX_TRIALS } from "../src/validate/work-limit.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const page = readFileSync(path.join(ROOT, "docs/security.md"), "utf8");

it("docs/security.md lists every control and names only tests that exist", () => {
  const controls = [...page.matchAll(/^\| S(\d+) \|/gm)].map(([, number]) => Number(number));
  expect(controls.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});

it("docs/security.md lists the work limits of the program", () => {
  for (const [what, limit] of [
    ["alternatives tried for one record", MAX_TRIALS],
    ["matches of names and values against patterns for one record", MAX_MATCHES],
    ["alternatives of a schema, including alternatives directly inside alternatives", MAX_OPTIONS],
    ["schemas that one value may be compared against because of conditions (`if`, `not`, ...)", MAX_EVALUATIONS],
    ["nesting of schemas, including references", MAX_SCHEMA_NESTING],
    ["nodes that an overlay's target visits", MAX_VISITS],
    ["files and folders that a glob visits", MAX_GLOB_ENTRIES],
    ["pages of one list on the platform", MAX_PAGES],
    ["length of an overlay's target", MAX_PATH_CHARACTERS],
  ] as const) {
    expect(page).toContain(`| ${what} | ${limit.toLocaleString("en")}`);
  }
});

it("docs/security.md lists the size limits of the program", () => {
  const { csvRecordBytes, csvColumns, jsonRecordBytes, inputBytes, gzipRatio, rowsPerParent } = DEFAULT_LIMITS;
  const { workbookParts, workbookTextBytes } = DEFAULT_LIMITS;
  for (const row of [
    `| one CSV record, row of a sheet, or header | ${csvRecordBytes / 2 ** 20} MiB |`,
    `| columns of a CSV file or a sheet | ${csvColumns.toLocaleString("en")} |`,
    `| one JSON record, line or document | ${jsonRecordBytes / 2 ** 20} MiB |`,
    `| uncompressed size of one file | ${inputBytes / 2 ** 40} TiB |`,
    `| unpacked size of a \`.gz\` file | ${gzipRatio} times`,
    `| unpacked size of a part of a workbook | ${gzipRatio} times`,
    `| parts of a workbook | ${workbookParts.toLocaleString("en")} |`,
    `| text of a workbook (kept in memory) | ${workbookTextBytes / 2 ** 20} MiB |`,
    `| rows of a child source for one parent | ${rowsPerParent.toLocaleString("en")} |`,
    `| a reply, except to the commands in the next row | ${MAX_REPLY_BYTES / 2 ** 20} MiB, its header ${MAX_HEADER_BYTES / 2 ** 10} KiB |`,
  ]) {
    expect(page).toContain(row);
  }
});
