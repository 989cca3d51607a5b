import { attrPattern } from "../../json/attr.ts";
import type { OpenRecord } from "../../ledger/migration-state.ts";
import type { Outcome } from "../../model/outcome.ts";
import { type Owner, ownerOf, type OwnerRule } from "../../model/owner.ts";
import type { Problem } from "../../model/problem.ts";

export interface OpenCause {
  readonly code: string;
  /** With indexes as `*`. */
  readonly attr?: string;
}

/** The distinct causes of an open record, without warnings. A record without an error has its state as its cause. */
export function causesOf({ problems, state }: Pick<OpenRecord, "problems" | "state">): readonly OpenCause[] {
  return causesIn(problems, state);
}

function causesIn(problems: readonly Problem[], status: string): readonly OpenCause[] {
  const causes = new Map<string, OpenCause>();
  for (const { severity, code, attr } of problems) {
    const cause = { code, attr: attrPattern(attr) };
    if (severity === "error") causes.set(`${code} ${cause.attr}`, cause);
  }
  return causes.size === 0 ? [{ code: status }] : [...causes.values()];
}

/** The owner of an open record; undefined without rules. */
export function ownerOfOpen(owners: readonly OwnerRule[], record: OpenRecord): Owner | undefined {
  const { state: status, source, supplier } = record;
  return ownerOf(owners, { causes: causesOf(record), status, file: source.file, supplier });
}

/** The owner of a record of a run, by the same rules as for open records. `status`: that of `migrate open`, if open. */
export function ownerOfOutcome(
  owners: readonly OwnerRule[],
  { problems, source }: Outcome,
  { status, supplier }: { readonly status: string; readonly supplier: string },
): Owner | undefined {
  return ownerOf(owners, { causes: causesIn(problems, status), status, file: source.file, supplier });
}

const DAY_MS = 86_400_000;

/** Complete days. */
export function daysSince(since: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(since)) / DAY_MS));
}

/** Whether the record has been open for more than the days that its owner has. */
export function isOverdue({ since }: Pick<OpenRecord, "since">, owner: Owner | undefined, now: number): boolean {
  return owner?.days !== undefined && daysSince(since, now) > owner.days;
}

/** The day (UTC) until which the owner has time; undefined without a deadline. */
export function dueDay({ since }: Pick<OpenRecord, "since">, owner: Owner | undefined): string | undefined {
  if (owner?.days === undefined) return undefined;
  const due = new Date(since);
  due.setUTCDate(due.getUTCDate() + owner.days);
  return due.toISOString().slice(0, 10);
}
