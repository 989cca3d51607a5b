import type { Decision, DoubtfulItem, PlanPolicy } from "../ledger/ledger.ts";
import { parseAttr } from "../model/attr.ts";
import type { JsonObject } from "../model/json.ts";
import type { PlatformProblem } from "../model/problem.ts";
import type { InputRecord, Row } from "../model/row.ts";
import { lookForRecords, type Sighting } from "../platform/read-back.ts";
import type { ReadClient } from "../platform/read-client.ts";
import { readRecords } from "./checked-records.ts";
import type { Job } from "./job.ts";
import type { Parts } from "./parts.ts";
import type { RunBook } from "./plan-records.ts";

export interface ReconcileContext {
  readonly job: Job;
  readonly book: RunBook;
  readonly client: ReadClient;
  readonly policy: PlanPolicy;
  /** Who runs the command. */
  readonly who: string;
  readonly parts: Pick<Parts, "clock" | "drain" | "notice">;
  /** The most milliseconds between two looks at the platform. */
  readonly betweenLooksMs: number;
}

/**
 * Settles the run's doubts by what the platform says (FAULTS 4): found as it was sent is accepted, found with other
 * values is rejected, absent twice may be sent again, once, where the contract takes absence for proof. Everything else
 * stays in doubt. Ends early, without an error, when the user stops it.
 * @throws Failure where the platform cannot be asked; what was settled until then stays settled
 */
export async function reconcileRun(context: ReconcileContext): Promise<void> {
  const { clock, drain, notice } = context.parts;
  const left = new Map<string, number>();
  for await (const group of doubtfulRecords(context)) {
    const seen = await look(group, context);
    const absent = group.filter((_, index) => seen[index]?.kind === "absent");
    if (absent.length > 0) await clock.sleep(Math.min(context.betweenLooksMs, LONGEST_BETWEEN_LOOKS_MS), drain);
    if (drain.aborted) break;
    const again = absent.length === 0 ? [] : await look(absent, context);
    for (const [index, record] of absent.entries()) seen[group.indexOf(record)] = again[index] ?? NOT_LOOKED_FOR;
    await settle(group, seen, { context, left });
  }
  for (const [reason, count] of left) notice(`${count.toLocaleString("en")} still in doubt: ${reason}`);
}

const LONGEST_BETWEEN_LOOKS_MS = 5000;

interface Doubtful extends DoubtfulItem {
  readonly payload: JsonObject;
  readonly row: Row;
}

/** So many are looked for at once, which is what one reading of a list can settle. */
const MOST_AT_ONCE = 5000;

async function* doubtfulRecords({ job, book, parts }: ReconcileContext): AsyncGenerator<readonly Doubtful[]> {
  let group: Doubtful[] = [];
  for await (const batch of readRecords(job, parts.drain)) {
    group.push(...(await doubtfulAmong(batch, { job, book })));
    if (group.length < MOST_AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0 && !parts.drain.aborted) yield group;
}

async function doubtfulAmong(
  batch: readonly InputRecord[],
  { job, book }: Pick<ReconcileContext, "job" | "book">,
): Promise<readonly Doubtful[]> {
  const [first, last] = [batch[0], batch.at(-1)];
  if (first === undefined || last === undefined) return [];
  const items = await book.ledger.inDoubt(book.run, first.number, last.number);
  const rows = new Map(items.length === 0 ? [] : batch.map(({ number, row }) => [number, row]));
  return items.flatMap((item) => {
    const row = rows.get(item.record);
    return row === undefined ? [] : [{ ...item, row, payload: job.mapping.map(row).payload }];
  });
}

async function look(records: readonly Doubtful[], { job, client }: ReconcileContext): Promise<Sighting[]> {
  return [...(await lookForRecords(records, job.operation.readBack, { client, key: job.mapping.keyAttr ?? [] }))];
}

const NOT_LOOKED_FOR: Sighting = { kind: "unknown", reason: "it was not looked for" };

interface Settling {
  readonly context: ReconcileContext;
  /** Records that stay in doubt, by why. */
  readonly left: Map<string, number>;
}

async function settle(
  records: readonly Doubtful[],
  seen: readonly Sighting[],
  { context, left }: Settling,
): Promise<void> {
  const { book, policy } = context;
  const decisions = records.flatMap((record, index) => {
    const decision = decisionOn(record, seen[index] ?? NOT_LOOKED_FOR, context);
    if (typeof decision !== "string") return [decision];
    left.set(decision, (left.get(decision) ?? 0) + 1);
    return [];
  });
  if (decisions.length > 0) await book.ledger.decide(book.run, decisions, policy);
}

/** A text says why there is none. */
function decisionOn(record: Doubtful, sighting: Sighting, context: ReconcileContext): Decision | string {
  const { clock } = context.parts;
  const made = {
    record: record.record,
    identity: record.identity,
    by: "read-back",
    who: context.who,
    at: new Date(clock.now()).toISOString(),
  } as const;
  if (sighting.kind === "unknown") return sighting.reason;
  if (sighting.kind === "absent") {
    const why = whyNotResent(record, context);
    return why ?? { ...made, decision: "resend", reason: "the platform does not have it, asked twice" };
  }
  const { account } = sighting;
  const found = { ...made, ...(account !== undefined && { account }) };
  if (sighting.kind === "found") return { ...found, decision: "accepted", reason: "the platform has it" };
  return {
    ...found,
    decision: "rejected",
    reason: `the platform has it with other values: ${sighting.attrs.join(", ")}`,
    problems: sighting.attrs.map((attr) => conflictAt(attr, record, context)),
  };
}

function whyNotResent({ resends }: Doubtful, { job }: ReconcileContext): string | undefined {
  if (!job.operation.readBack.some(({ provesAbsence }) => provesAbsence)) {
    return "the platform does not have it, and the contract does not take that for proof (absent: resend)";
  }
  return resends === 0 ? undefined : "the platform does not have it, and it was sent again once already";
}

function conflictAt(attr: string, { row }: Doubtful, { job }: ReconcileContext): PlatformProblem {
  const place = job.mapping.locate(row, parseAttr(attr));
  const detail = "The platform already holds this record, with another value here.";
  return { attr, code: "conflict", detail, severity: "error", by: "platform", ...(place !== undefined && { place }) };
}
