import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../src/read/read-limits.ts";
import { MAX_HEADER_BYTES, MAX_REPLY_BYTES } from "../src/transport/http-client.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const page = readFileSync(path.join(ROOT, "docs/security.md"), "utf8");

it("docs/security.md has every control, and the tests that it names exist", () => {
  const controls = [...page.matchAll(/^\| S(\d+) \|/gm)].map(([, number]) => Number(number));
  expect(controls.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 29 }, (_, at) => at + 1));
  const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});

it("its limits are those of the program", () => {
  const { csvRecordBytes, csvColumns, jsonRecordBytes, inputBytes, gzipRatio, rowsPerParent } = DEFAULT_LIMITS;
  const { workbookParts, workbookTextBytes } = DEFAULT_LIMITS;
  for (const row of [
    `| one CSV record, one row of a sheet; the header | ${csvRecordBytes / 2 ** 20} MiB |`,
    `| columns of a CSV file, of a sheet | ${csvColumns.toLocaleString("en")} |`,
    `| one JSON record, line or document | ${jsonRecordBytes / 2 ** 20} MiB |`,
    `| what one file holds unpacked | ${inputBytes / 2 ** 40} TiB |`,
    `| growth of a \`.gz\` | ${gzipRatio} times`,
    `| growth of a part of a workbook | ${gzipRatio} times`,
    `| parts of a workbook | ${workbookParts.toLocaleString("en")} |`,
    `| texts of a workbook, which memory holds | ${workbookTextBytes / 2 ** 20} MiB |`,
    `| rows of a child source for one parent | ${rowsPerParent.toLocaleString("en")} |`,
    `| a reply | ${MAX_REPLY_BYTES / 2 ** 20} MiB, its header ${MAX_HEADER_BYTES / 2 ** 10} KiB |`,
  ]) {
    expect(page).toContain(row);
  }
});
