import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import iconv from "iconv-lite";
import { expect } from "vitest";
import { readCorrections } from "../../src/read/corrections/corrections-file.ts";
import type { CliEnd } from "./cli.ts";
import { useSandbox, type Workplace, workplace } from "./push-scene.ts";

export type Cells = Record<string, string>;

export const KEYS = ["00000001", "00000002", "00000003", "00000004"];
const FILES = ["rejects.csv", "rejects.customers.csv"];

export function readRejects({ file }: Workplace, name: string, report = "report"): readonly Cells[] {
  return parse(readFileSync(file(report, name)), { columns: true, bom: true });
}

export function save({ file }: Workplace, name: string, rows: readonly Cells[]): void {
  writeFileSync(file("report", name), stringify([...rows], { header: true }));
}

export function correct(work: Workplace): void {
  save(
    work,
    "rejects.csv",
    readRejects(work, "rejects.csv").map((row) => ({ ...row, TYPE: "D" })),
  );
}

/**
 * Saves rows as LibreOffice and Excel do in some locales: with semicolons, in windows-1252, and without leading zeros
 * in numbers.
 */
export function saveWithSpreadsheet({ file }: Workplace): void {
  for (const name of FILES) {
    const rows: string[][] = parse(readFileSync(file("report", name)));
    const saved = rows.map((row) => row.map((cell) => (/^0\d+$/.test(cell) ? String(Number(cell)) : cell)));
    const text = stringify(saved, { delimiter: ";", record_delimiter: "\r\n" });
    writeFileSync(file("report", name), iconv.encode(text, "windows-1252"));
  }
}

/** Returns the XML of a cell: a number if a spreadsheet would store the text as a number, or else the text. */
export function sheetCell(value: string): string {
  if (/^\d+$/.test(value)) return `<c><v>${Number(value)}</v></c>`;
  const text = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

interface RejectsScene extends ReturnType<typeof useSandbox> {
  /**
   * Writes two valid accounts and two accounts with an unknown type. The sequence number of every customer has a
   * leading zero.
   */
  readonly fourAccounts: () => Workplace;
  readonly keysOnPlatform: () => Promise<readonly string[]>;
}

/** Starts a sandbox for all tests in a file. `fourAccounts` writes four accounts, two of them invalid. */
export function useRejects(): RejectsScene {
  const { sandbox, admin } = useSandbox();
  return {
    sandbox,
    admin,
    fourAccounts: () => {
      const accounts = KEYS.map((REF, index) => ({ REF, NAME: "Zoë Hughes", ...(index >= 2 && { TYPE: "?" }) }));
      return workplace({ accounts, customers: KEYS.map((REF) => ({ REF, SEQ: "01" })) }, sandbox);
    },
    keysOnPlatform: async () => (await admin.accounts()).map(({ key }) => key).toSorted(),
  };
}

/** Returns the ids of the runs, the latest first. */
export async function runs({ migrate }: Workplace): Promise<readonly string[]> {
  const { runs: all }: { runs: readonly { id: string }[] } = JSON.parse(
    (await migrate(["status", "--format", "json"])).stdout,
  );
  return all.map(({ id }) => id);
}

export const WITH_CORRECTIONS: readonly string[] = ["--corrections", "fixes.csv"];

/** Saves the changed cells of the rejects in `report` as corrections in `fixes.csv`. */
export function addCorrections({ migrate }: Workplace, ...flags: readonly string[]): Promise<CliEnd> {
  return migrate(["corrections", "add", ...WITH_CORRECTIONS, "--rejects", "report", ...flags]);
}

/** Returns the corrections in `fixes.csv`. */
export async function storedCorrections({ file }: Workplace): Promise<readonly string[]> {
  if (!existsSync(file("fixes.csv"))) return [];
  return (await readCorrections(file("fixes.csv"))).corrections.map(
    ({ source, key, column, value }) => `${source} ${key} ${column} ${value}`,
  );
}

export function replaceIn({ file }: Workplace, name: string, from: string, to: string): void {
  const text = readFileSync(file(name), "utf8");
  expect(text).toContain(from);
  writeFileSync(file(name), text.replace(from, to));
}

/** Changes each row of the rejects. A row can become several rows, or none. */
export function change(work: Workplace, name: string, rows: (row: Cells) => Cells | readonly Cells[]): void {
  save(work, name, readRejects(work, name).flatMap(rows));
}
