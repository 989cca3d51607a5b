import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { beforeEach } from "vitest";
import type { Outcome } from "../../../src/model/outcome.ts";
import type { InputRecord } from "../../../src/model/record.ts";
import { type ReportFilesOptions, writeReportFiles } from "../../../src/report/report-files.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { batched } from "../inputs.ts";
import { reportOf } from "../reports.ts";

/** The reject files in a new folder for every test. */
export interface RejectScene {
  readonly folder: () => string;
  readonly write: (
    records: readonly InputRecord[],
    outcomes: readonly Outcome[],
    more?: Partial<ReportFilesOptions>,
  ) => ReturnType<typeof writeReportFiles>;
  /** Returns the names of the written files. */
  readonly files: () => Promise<readonly string[]>;
  readonly content: (name: string) => Promise<string>;
}

export function rejectScene(): RejectScene {
  let folder = "";
  beforeEach(() => {
    folder = temporaryFolder();
  });
  return {
    folder: () => folder,
    write: (records, outcomes, more = {}) =>
      writeReportFiles(reportOf(outcomes), {
        folder,
        records: () => batched(records),
        sources: ["accounts"],
        ...more,
      }),
    files: async () => (await readdir(folder)).filter((name) => name.startsWith("rejects")).toSorted(),
    content: (name) => readFile(path.join(folder, name), "utf8"),
  };
}

export function need<T>(item: T | undefined): T {
  if (item === undefined) throw new Error("the test has no such item");
  return item;
}

export function parseCsv(text: string): string[][] {
  return parse(text, { relax_column_count: true, record_delimiter: ["\r\n", "\n"] });
}
