import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Outcome, Status, ValidOutcomes } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { LocalProblem, Problem } from "../../model/problem.ts";
import { cellPlace, keyProblem } from "../records/key-place.ts";
import { columnsIn, extraOf, FLAG, type ItemColumns, keyOf } from "./item-columns.ts";
import {
  BATCHES_AT_ONCE,
  isPlain,
  type KeyFinding,
  type LaterFinding,
  type PackedPlan,
  type PlannedBatch,
  type Spot,
} from "./packed-plan.ts";
import { readExtra } from "./item-extra.ts";

/** Yields the outcomes of a plan in input order, in batches. Without `statuses`, yields all outcomes. */
export async function* outcomesOf(plan: PackedPlan, statuses?: readonly Status[]): AsyncGenerator<readonly Outcome[]> {
  for await (const batch of outcomesInColumns(plan, statuses)) {
    yield batch.flatMap((part) => ("status" in part ? [part] : outcomesOfValid(part)));
  }
}

function outcomesOfValid({ from, to, hasKeys, batch }: ValidOutcomes): readonly Outcome[] {
  const { records, lines, files, fileNumbers, keys, keyEnds } = batch;
  const bytes = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  return Array.from({ length: to - from }, (_, at) => {
    const index = from + at;
    const source = { file: files[fileNumbers[index] ?? 0] ?? "", line: lines[index] ?? 0 };
    const key = hasKeys && { key: bytes.toString("utf8", index === 0 ? 0 : keyEnds[index - 1], keyEnds[index]) };
    return { record: records[index] ?? 0, source, status: "valid", problems: [], ...key };
  });
}

/** Yields the outcomes of a plan as `outcomesOf` does, but groups valid records without problems into columns. */
export async function* outcomesInColumns(
  plan: PackedPlan,
  statuses?: readonly Status[],
): AsyncGenerator<readonly (Outcome | ValidOutcomes)[]> {
  const wanted = statuses && new Set(statuses);
  const findings = plan.findings.sorted();
  let next = findings.next();
  for (const [index, batch] of plan.batches.entries()) {
    if (index % BATCHES_AT_ONCE === BATCHES_AT_ONCE - 1) await yieldToEventLoop();
    const found: LaterFinding[] = [];
    for (; next.done !== true && next.value.record <= batch.lastRecord; next = findings.next()) found.push(next.value);
    if (wanted?.has("valid") === false && batch.isPlain && found.length === 0) continue;
    const outcomes = outcomesOfBatch(plan, batch, found).filter((part) => wanted?.has(statusOf(part)) !== false);
    if (outcomes.length > 0) yield outcomes;
  }
}

function statusOf(part: Outcome | ValidOutcomes): Status {
  return "status" in part ? part.status : "valid";
}

/** @param found findings about records of the batch, in input order */
function outcomesOfBatch(
  plan: PackedPlan,
  { piece, files: numbers }: PlannedBatch,
  found: readonly LaterFinding[],
): readonly (Outcome | ValidOutcomes)[] {
  const columns = columnsIn(plan.pieces.read(piece));
  const files = numbers.map(plan.files.nameOf);
  const { records, lines, fileNumbers, keys, keyEnds } = columns;
  const batch = { records, lines, files, fileNumbers, keys, keyEnds };
  const parts: (Outcome | ValidOutcomes)[] = [];
  let taken = 0;
  for (let index = 0; index < columns.count;) {
    const record = records[index];
    const ofRecord: LaterFinding[] = [];
    for (let next = found[taken]; next !== undefined && next.record === record; next = found[taken]) {
      ofRecord.push(next);
      taken += 1;
    }
    const to = ofRecord.length > 0 ? index : endOfValid(columns, index, found[taken]?.record);
    if (to > index) parts.push({ from: index, to, hasKeys: ((columns.flags[index] ?? 0) & FLAG.key) !== 0, batch });
    else parts.push(withFindings(outcomeAt(columns, index, files), ofRecord, plan));
    index = Math.max(to, index + 1);
  }
  return parts;
}

/**
 * Returns the end of the sequence of valid records without problems that starts at `from`. Either all records of the
 * sequence have a key, or none has. Returns `from` if the record there is not valid or has problems.
 * @param found number of the next record with a finding
 */
function endOfValid({ count, flags, records }: ItemColumns, from: number, found: number | undefined): number {
  if (!isPlain(flags[from] ?? 0)) return from;
  let to = from + 1;
  while (to < count && flags[to] === flags[from] && records[to] !== found) to += 1;
  return to;
}

/** Returns the outcome as planned, without later findings. */
function outcomeAt(columns: ItemColumns, index: number, files: readonly string[]): Outcome {
  const key = keyOf(columns, index);
  return {
    record: columns.records[index] ?? 0,
    source: { file: files[columns.fileNumbers[index] ?? 0] ?? "", line: columns.lines[index] ?? 0 },
    status: ((columns.flags[index] ?? 0) & FLAG.invalid) === 0 ? "valid" : "invalid",
    problems: readExtra(extraOf(columns, index)).problems,
    ...(key !== undefined && { key }),
  };
}

function withFindings(outcome: Outcome, findings: readonly LaterFinding[], plan: PackedPlan): Outcome {
  let { status, problems } = outcome;
  for (const finding of findings) {
    if ("problems" in finding) status = "invalid";
    else if (finding.same !== undefined) status = finding.sameContent ? "duplicate" : "invalid";
    problems = [
      ...problems,
      ...("problems" in finding ? finding.problems : keyProblems(finding, outcome.source, plan)),
    ];
  }
  return { ...outcome, status, problems };
}

function keyProblems(finding: KeyFinding, source: Place, { files, policy }: PackedPlan): readonly Problem[] {
  if (policy === undefined) return [];
  const { record, same, sameContent, near } = finding;
  const planned = { ...source, record };
  const otherPlace = ({ file, ...spot }: Spot): Place => cellPlace(policy, { ...spot, file: files.nameOf(file) });
  const problems: LocalProblem[] = [];
  if (same !== undefined) {
    problems.push({
      ...keyProblem("error", planned, policy),
      code: "duplicate_key",
      other: otherPlace(same),
      sameContent,
    });
  }
  if (near !== undefined) {
    problems.push({ ...keyProblem("warning", planned, policy), code: "near_duplicate_key", other: otherPlace(near) });
  }
  return problems;
}
