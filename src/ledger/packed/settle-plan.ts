import type { Problem } from "../../model/problem.ts";
import type { ExcludedRow, PlanPolicy } from "../records/planned-item.ts";
import { FLAG } from "./item-columns.ts";
import { withoutValue } from "./item-extra.ts";
import { batchesOf, countProblem, type KeyFinding, moveStatus, type PackedPlan } from "./packed-plan.ts";
import { findRepeatedKeys } from "./repeated-keys.ts";

/** Marks records as `invalid` if their rows begin at these places. Reads the plan once. */
export async function excludeRows(plan: PackedPlan, excluded: readonly ExcludedRow[]): Promise<void> {
  if (excluded.length === 0) return;
  const byPlace = rowsByPlace(plan, excluded);
  for await (const { columns, files } of batchesOf(plan)) {
    const { count, records, lines, flags, fileNumbers } = columns;
    for (let index = 0; index < count; index += 1) {
      const record = records[index] ?? 0;
      const rows = byPlace.get(`${files[fileNumbers[index] ?? 0] ?? 0}:${lines[index] ?? 0}`) ?? [];
      const problems = problemsOf(rows, record);
      if (problems.length === 0) continue;
      excludeRecord(plan, record, ((flags[index] ?? 0) & FLAG.invalid) !== 0, problems);
    }
  }
}

function rowsByPlace(plan: PackedPlan, excluded: readonly ExcludedRow[]): ReadonlyMap<string, readonly ExcludedRow[]> {
  const byPlace = new Map<string, ExcludedRow[]>();
  for (const row of excluded) {
    const place = `${plan.files.numberOf(row.file)}:${row.line}`;
    byPlace.set(place, [...(byPlace.get(place) ?? []), row]);
  }
  return byPlace;
}

function problemsOf(rows: readonly ExcludedRow[], record: number): readonly Problem[] {
  return rows.flatMap((row) => ((row.record ?? record) === record ? withoutValue(row.problem) : []));
}

function excludeRecord(plan: PackedPlan, record: number, wasInvalid: boolean, problems: readonly Problem[]): void {
  if (!wasInvalid && !plan.excluded.has(record)) moveStatus(plan, "valid", "invalid");
  plan.excluded.add(record);
  plan.findings.add({ record, problems });
  for (const { severity, code, unlisted = 0 } of problems) countProblem(plan, severity, code, 1 + unlisted);
}

/** Adds the findings about repeated and nearly equal keys to the plan. */
export async function settleKeys(plan: PackedPlan, policy: PlanPolicy): Promise<void> {
  plan.policy = policy;
  for await (const found of findRepeatedKeys(plan)) addKeyFinding(plan, found);
}

function addKeyFinding(plan: PackedPlan, found: KeyFinding): void {
  plan.findings.add(found);
  if (found.same !== undefined) {
    moveStatus(plan, found.wasInvalid ? "invalid" : "valid", found.sameContent ? "duplicate" : "invalid");
    countProblem(plan, "error", "duplicate_key", 1);
  }
  if (found.near !== undefined) countProblem(plan, "warning", "near_duplicate_key", 1);
}
