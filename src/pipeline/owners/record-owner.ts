import { attrPattern } from "../../json/attr.ts";
import type { OpenRecord } from "../../ledger/migration-state.ts";
import { needsCells, type Owner, ownerOf, type OwnerRule } from "../../model/owner.ts";
import type { CellReader } from "./read-cells.ts";

export interface OpenCause {
  readonly code: string;
  /** The attr, with `*` instead of each list index. */
  readonly attr?: string;
}

/**
 * Returns the distinct causes of an open record, without warnings. If the record has no error, its state is the cause.
 */
export function causesOf({ problems, state }: OwnableRecord): readonly OpenCause[] {
  const causes = new Map<string, OpenCause>();
  for (const { severity, code, attr } of problems) {
    const cause = { code, attr: attrPattern(attr) };
    if (severity === "error") causes.set(`${code} ${cause.attr}`, cause);
  }
  return causes.size === 0 ? [{ code: state }] : [...causes.values()];
}

/** Formats a cause as `required customers.*.mobile`. */
export function causeText({ code, attr }: OpenCause): string {
  return attr === undefined ? code : `${code} ${attr}`;
}

/** A record of a run, whether it is open or not. */
export interface OwnableRecord extends Pick<OpenRecord, "run" | "record" | "source" | "problems" | "supplier"> {
  /** The state of the record or, if the record is not open, its status in the run. */
  readonly state: string;
}

/**
 * Finds the owner of each record, in the same order; undefined for a record that no rule matches.
 * @param cells undefined if no rule has `columns`
 */
export async function findOwners(
  rules: readonly OwnerRule[],
  records: readonly OwnableRecord[],
  cells: CellReader | undefined,
): Promise<readonly (Owner | undefined)[]> {
  const owners: (Owner | undefined)[] = [];
  for (const record of records) {
    const { state: status, source, supplier } = record;
    const owned = { causes: causesOf(record), status, file: source.file, supplier };
    const known = cells && needsCells(rules, owned) ? await cells.read(record) : undefined;
    owners.push(ownerOf(rules, known === undefined ? owned : { cells: known, ...owned }));
  }
  return owners;
}

export function haveColumns(rules: readonly OwnerRule[]): boolean {
  return rules.some(({ columns }) => columns !== undefined);
}

const DAY_MS = 86_400_000;

/** Returns the number of full days that have passed since a time. */
export function daysSince(since: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(since)) / DAY_MS));
}

/** Whether the record has been open for more days than its owner's rule allows. */
export function isOverdue({ since }: { readonly since: string }, owner: Owner | undefined, now: number): boolean {
  return owner?.days !== undefined && daysSince(since, now) > owner.days;
}

/** Returns the day (UTC) on which the record is due; undefined if there is no deadline. */
export function dueDay({ since }: { readonly since: string }, owner: Owner | undefined): string | undefined {
  if (owner?.days === undefined) return undefined;
  const due = new Date(since);
  due.setUTCDate(due.getUTCDate() + owner.days);
  return due.toISOString().slice(0, 10);
}
