import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "csv-stringify/sync";
import { parse } from "csv-parse/sync";
import { checkCorrections, type CheckedCorrections } from "../../src/corrections/check-corrections.ts";
import { readManifest } from "../../src/corrections/read-manifest.ts";
import type { KeyColumns } from "../../src/corrections/returned-rows.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { Problem } from "../../src/model/problem.ts";
import { type InputRecord, isCsvRow, type Row } from "../../src/model/record.ts";
import type { SourceSpec } from "../../src/model/source-spec.ts";
import { openInput } from "../../src/read/input/open-input.ts";
import { DEFAULT_LIMITS } from "../../src/read/read-limits.ts";
import { writeReportFiles } from "../../src/report/report-files.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { reportOf } from "../report/reports.ts";

export type Cells = Readonly<Record<string, string>>;

/**
 * The rows of an extract, and the columns with errors. The column `""` means an error that belongs to the row and not
 * to a column.
 */
export interface Extract {
  readonly accounts: readonly Cells[];
  readonly customers?: readonly Cells[];
  /** Customers in an NDJSON file, which is read before the CSV file. */
  readonly jsonCustomers?: readonly Cells[];
  /** The columns with errors, by file and line. */
  readonly errors: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>>;
  readonly rule?: string;
  /** Lines of accounts that repeat another account. */
  readonly duplicates?: readonly number[];
}

export interface WrittenRejects {
  readonly folder: string;
  readonly path: (file: string) => string;
  readonly read: (file: string) => readonly Cells[];
  /** Writes rows to a file in this format, as a spreadsheet would. */
  readonly save: (file: string, rows: readonly Cells[], form?: SavedForm) => void;
  readonly check: (options?: { readonly restoreKeys?: boolean }) => Promise<CheckedCorrections>;
}

interface SavedForm {
  readonly delimiter?: string;
  readonly columns?: readonly string[];
  readonly encoding?: BufferEncoding;
  readonly bom?: boolean;
}

/**
 * Writes a report with the rejects of accounts (key REF) and their customers, as a run does. Every account is rejected.
 */
export async function writeExtract(extract: Extract): Promise<WrittenRejects> {
  const folder = temporaryFolder();
  const inPlace = (file: string): string => path.join(folder, file);
  writeFileSync(inPlace("accounts.csv"), stringify([...extract.accounts], { header: true }));
  const { customers, jsonCustomers } = extract;
  if (customers !== undefined) writeFileSync(inPlace("customers.csv"), stringify([...customers], { header: true }));
  const lines = jsonCustomers?.map((customer) => `${JSON.stringify(customer)}\n`);
  if (lines !== undefined) writeFileSync(inPlace("customers.ndjson"), lines.join(""));
  const filesOf = (prefix: string): readonly string[] => [
    ...(jsonCustomers === undefined ? [] : [inPlace(`${prefix}customers.ndjson`)]),
    ...(customers === undefined ? [] : [inPlace(`${prefix}customers.csv`)]),
  ];
  const plan = planOf(inPlace("accounts.csv"), filesOf(""));
  const input = await openInput(plan, { tempFolder: inPlace("temp"), onNotice: () => undefined });
  const outcomes: Outcome[] = [];
  for await (const batch of input.records()) {
    for (const record of batch) outcomes.push(outcomeIn(record, extract));
  }
  const report = inPlace("report");
  await writeReportFiles(reportOf(outcomes), {
    folder: report,
    records: () => input.records(),
    sources: [plan, ...plan.children].map(({ name }) => name),
    manifest: { command: "validate", run: "R", settings: {} },
  });
  await input.close();
  const file = (name: string): string => path.join(report, name);
  return {
    folder: report,
    path: file,
    read: (name) => parse(readFileSync(file(name)), { columns: true, bom: true }),
    save: (name, rows, form = {}) => writeFileSync(file(name), savedText(rows, form), form.encoding ?? "utf8"),
    check: async ({ restoreKeys = false } = {}) =>
      checkCorrections(planOf(file("rejects.csv"), filesOf("report/rejects.")), {
        folder: report,
        manifest: await readManifest(report),
        restoreKeys,
        reading: {
          encoding: undefined,
          delimiter: undefined,
          limits: DEFAULT_LIMITS,
          notify: () => undefined,
          displayName: (each) => each,
        },
        keyColumns: KEY_COLUMNS,
        tempFolder: inPlace("temp"),
      }),
  };
}

function outcomeIn({ number, row }: InputRecord, extract: Extract): Outcome {
  const { file } = row.table;
  const key = isCsvRow(row) ? row.cells[row.table.columnIndex.get("REF") ?? -1] : "";
  const rows = [row, ...(row.children?.get("customers") ?? [])];
  return {
    record: number,
    key: key ?? "",
    source: { file, line: row.line },
    status: extract.duplicates?.includes(row.line) === true ? "duplicate" : "invalid",
    problems: rows.flatMap((each) => problemsOf(each, extract)),
  };
}

function problemsOf({ table: { file }, line }: Row, { errors, rule }: Extract): readonly Problem[] {
  const columns = errors[path.basename(file)]?.[line] ?? [];
  return columns.map((column) => problemAt(file, line, column, rule));
}

const KEY_COLUMNS: KeyColumns = () => ["REF"];

function savedText(rows: readonly Cells[], { delimiter = ",", columns, bom = false }: SavedForm): string {
  return stringify([...rows], {
    header: true,
    delimiter,
    bom,
    ...(columns !== undefined && { columns: [...columns] }),
  });
}

function planOf(accounts: string, customers: readonly string[]): SourceSpec {
  const children = customers.length === 0 ? [] : [{ name: "customers", files: customers, on: "REF", children: [] }];
  return { name: "accounts", files: [accounts], key: "REF", children };
}

function problemAt(file: string, line: number, column: string, rule: string | undefined): Problem {
  const place = { file, line, ...(column !== "" && { column, columnNumber: 1 }) };
  const at = { attr: "some.attr", severity: "error", by: "local", place } as const;
  return rule === undefined ? { ...at, code: "required" } : { ...at, code: "own_rule", rule, fields: ["some"] };
}
