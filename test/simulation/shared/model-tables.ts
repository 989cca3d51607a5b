import type { AttemptOutcome, Intent } from "../../../src/ledger/records/requests.ts";
import type { LedgerHistory } from "../../../src/ledger/records/run.ts";
import type { PlannedItem, PlanPolicy } from "../../../src/ledger/records/planned-item.ts";
import type { SendableItem } from "../../../src/ledger/records/requests.ts";
import type { NotedOrigin } from "../../../src/ledger/journal/recovery.ts";
import { requireChanged } from "../../../src/ledger/ledger-failures.ts";
import type { Outcome, Status, Summary } from "../../../src/model/outcome.ts";
import { hex } from "../killable-ledger.ts";
import { type ModelRecovery, modelRecovery } from "./model-recovery.ts";
import { attemptKey, lastOf, type ModelItem, type ModelRows, noRows } from "./model-rows.ts";

/** A range of records of one run. */
interface Span {
  readonly run: string;
  readonly first: number;
  readonly last: number;
}

/**
 * The tables of a ledger with runs, records and requests. Each call is a transaction: it succeeds completely or fails.
 */
export interface ModelTables {
  readonly plan: (run: string, items: readonly PlannedItem[], policy: PlanPolicy) => void;
  readonly has: (run: string) => boolean;
  /** Returns the id of the latest run. */
  readonly latest: () => string | undefined;
  readonly resume: (run: string, policy: PlanPolicy, at: string) => void;
  readonly sendable: (run: string, from: number, to: number) => readonly SendableItem[];
  readonly save: (run: string, intents: readonly Intent[], outcomes: readonly AttemptOutcome[]) => void;
  /** Closes the requests in flight of a dead process, in a span or (default) in the whole ledger. */
  readonly closeInterrupted: (at: string, span?: Span) => void;
  /** Returns the records of a span whose requests are in flight. */
  readonly inFlight: (span: Span) => readonly number[];
  /** Makes these records of the run pending if they are ambiguous. */
  readonly sendAgain: (run: string, records: readonly number[]) => void;
  /** Divides the pending records into ranges of this size. Returns the first and last record of each range. */
  readonly cut: (run: string, size: number) => readonly { readonly first: number; readonly last: number }[];
  readonly summary: (run: string) => Summary;
  readonly outcomes: (run: string) => readonly Outcome[];
  readonly history: () => LedgerHistory;
  /** Returns the number of intents ever written for a record with this identity (hex). */
  readonly intentsOf: (identity: string) => number;
  /** Requests from a journal, and comparisons with journals. */
  readonly recovery: ModelRecovery;
  readonly noteMachine: (machine: string) => void;
  readonly machines: () => readonly string[];
  readonly noteOrigin: (noted: NotedOrigin) => void;
  readonly notedOrigin: () => NotedOrigin | undefined;
  /** Returns a copy of all rows, without the numbers that `intentsOf` returns, which only the witness uses. */
  readonly copy: () => ModelRows;
  readonly restore: (copy: ModelRows) => void;
}

/** @param now returns the time of the server */
export function createModelTables(now: () => number): ModelTables {
  const rows = noRows();
  const { records, runs, attempts } = rows;
  const intents = new Map<string, number>();

  const itemsOf = (run: string): readonly ModelItem[] => runs.get(run) ?? [];
  const itemOf = (run: string, record: number): ModelItem | undefined => itemsOf(run)[record - 1];
  const within = ({ run, first, last }: Span): readonly ModelItem[] => itemsOf(run).slice(first - 1, last);

  const outcomesOf = (run: string): readonly Outcome[] =>
    itemsOf(run).map((item) => toOutcome(item, records.get(item.identity)?.state === "ambiguous"));

  const holdNewIfUncertain = (run: string): void => {
    if (![...rows.recoveries.values()].some(({ isUncertain }) => isUncertain)) return;
    for (const item of itemsOf(run)) {
      if (item.status !== "pending" || records.has(item.identity)) continue;
      item.status = "ambiguous";
      records.set(item.identity, { state: "ambiguous", attempts: 0, content: hex(item.marks.content) });
    }
  };

  /** Compares pending records with their state over all runs. */
  const compare = (run: string, { resendAmbiguous }: PlanPolicy): void => {
    for (const item of itemsOf(run)) {
      const known = records.get(item.identity);
      if (item.status !== "pending" || known === undefined) continue;
      if (known.state !== "ambiguous" && known.acceptedContent === hex(item.marks.content)) {
        Object.assign(item, { status: "skipped", account: known.account });
      } else if (known.state === "ambiguous" && !resendAmbiguous) item.status = "ambiguous";
    }
    if (!resendAmbiguous) holdNewIfUncertain(run);
  };

  const requireInFlight = (run: string, { record, identity, attempt }: AttemptOutcome): void => {
    const [item, known, made] = [
      itemOf(run, record),
      records.get(hex(identity)),
      attempts.get(attemptKey({ run, record, attempt })),
    ];
    const isInFlight =
      item?.status === "sending" &&
      item.attempt === attempt &&
      known?.state === "sending" &&
      known.attempts === attempt &&
      made?.status === "sending" &&
      made.identity === hex(identity);
    requireChanged(isInFlight ? 1 : 0, 1, "model");
  };

  const settle = (run: string, outcome: AttemptOutcome): void => {
    const { record, identity, attempt, status, account, problems, step, at } = outcome;
    const [item, known, made] = [
      itemOf(run, record),
      records.get(hex(identity)),
      attempts.get(attemptKey({ run, record, attempt })),
    ];
    if (item === undefined || known === undefined || made === undefined) throw new Error("unknown record or attempt");
    Object.assign(made, { status, settledAt: lastOf(at, now()) });
    Object.assign(item, { status, account, problems });
    known.state = status;
    if (status === "existing" || outcome.mayHoldOther === true) known.mayHoldOther = true;
    if (status === "accepted") Object.assign(known, { acceptedContent: known.content, account });
    else known.step = status === "rejected" || status === "existing" ? undefined : (step ?? known.step);
  };

  /** @param settled records that get their outcomes in the same transaction, with their statuses */
  const requireFree = (run: string, intent: Intent, settled: ReadonlyMap<number, string>): void => {
    const { record, identity, attempt } = intent;
    const [item, known] = [itemOf(run, record), records.get(hex(identity))];
    const status = settled.get(record) ?? item?.status;
    const isFree =
      known === undefined || ((settled.get(record) ?? known.state) !== "sending" && known.attempts === attempt - 1);
    requireChanged(
      status === "pending" && isFree && !attempts.has(attemptKey({ run, record, attempt })) ? 1 : 0,
      1,
      "model",
    );
  };

  const intend = (run: string, { record, attempt, idempotent = false, isPoll = false, ...intent }: Intent): void => {
    const identity = hex(intent.identity);
    const known = records.get(identity);
    const content = (isPoll ? known?.content : undefined) ?? hex(intent.content);
    const step = known?.content === content ? known.step : undefined;
    const mayHoldOther = isOther(known, content);
    records.set(identity, { ...known, content, state: "sending", attempts: attempt, step, mayHoldOther });
    const item = itemOf(run, record);
    if (item !== undefined) Object.assign(item, { status: "sending", attempt });
    const made = { run, record, attempt, identity, harmless: idempotent, status: "sending" };
    attempts.set(attemptKey(made), made);
    intents.set(identity, (intents.get(identity) ?? 0) + 1);
  };

  return {
    plan(run, items, policy) {
      runs.set(
        run,
        items.map(({ record, key, file, line, identity = EMPTY, content }) => ({
          record,
          key,
          file,
          line,
          identity: hex(identity),
          marks: { identity, content: content instanceof Uint8Array ? content : EMPTY },
          status: "pending",
        })),
      );
      compare(run, policy);
    },
    has: (run) => runs.has(run),
    latest: () => [...runs.keys()].at(-1),
    resume(run, policy, at) {
      this.closeInterrupted(at);
      for (const item of itemsOf(run)) {
        const known = records.get(item.identity);
        const isSame = known?.state === "ambiguous" && known.content === hex(item.marks.content);
        const isInDoubt =
          (item.status === "rejected" || item.status === "existing") && isSame && rows.recoveries.size > 0;
        if (item.status === "blocked" || item.status === "ambiguous" || isInDoubt) item.status = "pending";
      }
      compare(run, policy);
    },
    sendable: (run, first, last) =>
      within({ run, first, last }).flatMap(({ record, status, identity, marks }) => {
        if (status !== "pending") return [];
        const known = records.get(identity);
        const step = known?.content === hex(marks.content) ? known.step : undefined;
        const isAmbiguous = known?.state === "ambiguous";
        const prior = priorOf(known, hex(marks.content));
        const attempted = { record, ...marks, attempts: known?.attempts ?? 0, isAmbiguous, prior };
        return [step === undefined ? attempted : { ...attempted, step }];
      }),
    save(run, newIntents, outcomes) {
      for (const outcome of outcomes) requireInFlight(run, outcome);
      const settled = new Map(outcomes.map(({ record, status }) => [record, status]));
      for (const intent of newIntents) requireFree(run, intent, settled);
      for (const outcome of outcomes) settle(run, outcome);
      for (const intent of newIntents) intend(run, intent);
    },
    closeInterrupted(at, span) {
      for (const made of attempts.values()) {
        const { run, record, identity, harmless } = made;
        const isThere = span === undefined || (run === span.run && record >= span.first && record <= span.last);
        if (made.status !== "sending" || !isThere) continue;
        const status = harmless ? "pending" : "ambiguous";
        Object.assign(made, { status, settledAt: lastOf(at, now()) });
        const [item, known] = [itemOf(run, record), records.get(identity)];
        if (item?.status === "sending") item.status = status;
        if (known?.state === "sending") known.state = status;
      }
    },
    inFlight: (span) => within(span).flatMap(({ record, status }) => (status === "sending" ? [record] : [])),
    sendAgain(run, again) {
      for (const record of again) {
        const item = itemOf(run, record);
        if (item?.status === "ambiguous") item.status = "pending";
      }
    },
    cut(run, size) {
      const ranges = new Map<number, { first: number; last: number }>();
      for (const { record, status } of itemsOf(run)) {
        if (status !== "pending") continue;
        const part = Math.floor((record - 1) / size);
        ranges.set(part, { first: ranges.get(part)?.first ?? record, last: record });
      }
      return [...ranges.values()];
    },
    summary: (run) => summaryOf(outcomesOf(run)),
    outcomes: outcomesOf,
    history() {
      const given = [...attempts.values()].flatMap(({ status, settledAt = "" }) =>
        status === "ambiguous" ? [now() - Date.parse(settledAt)] : [],
      );
      const msSinceAbandoned = given.length === 0 ? undefined : Math.min(...given);
      return { id: [...runs.keys()][0], requests: attempts.size, msSinceAbandoned };
    },
    intentsOf: (identity) => intents.get(identity) ?? 0,
    recovery: modelRecovery(rows, now),
    noteMachine: (machine) => void rows.machines.add(machine),
    machines: () => [...rows.machines],
    noteOrigin: (noted) => void rows.origins.set("noted", noted),
    notedOrigin: () => rows.origins.get("noted"),
    copy: () => structuredClone(rows),
    restore(copy) {
      const { records: r, runs: u, attempts: a, recoveries, machines, origins } = structuredClone(copy);
      replaceAll(records, r);
      replaceAll(runs, u);
      replaceAll(attempts, a);
      replaceAll(rows.recoveries, recoveries);
      replaceAll(rows.origins, origins);
      rows.machines.clear();
      for (const machine of machines) rows.machines.add(machine);
    },
  };
}

type Known = ReturnType<ModelRows["records"]["get"]>;

/** Returns whether the platform may have content other than this. */
function isOther(known: Known, content: string): boolean {
  if (known === undefined) return false;
  const isUnclear = known.state === "ambiguous" && (known.attempts === 0 || known.content !== content);
  return known.mayHoldOther === true || isUnclear;
}

function priorOf(known: Known, content: string): SendableItem["prior"] {
  const isOtherUnclear = known?.state === "ambiguous" && isOther(known, content);
  if (known?.acceptedContent !== undefined && known.acceptedContent !== content && !isOtherUnclear) return "accepted";
  if (isOther(known, content)) return "other";
  return known?.state === "ambiguous" || known?.acceptedContent !== undefined ? "same" : "none";
}

function replaceAll<Value>(map: Map<string, Value>, by: ReadonlyMap<string, Value>): void {
  map.clear();
  for (const [key, value] of by) map.set(key, value);
}

const EMPTY = new Uint8Array();

/** Returns the outcome of an item. Shows a record in flight, or a pending record of unknown state, as ambiguous. */
function toOutcome(item: ModelItem, isAmbiguous: boolean): Outcome {
  const { record, key = "", file, line, status, account, problems = [] } = item;
  const isOpen = status === "pending" && isAmbiguous;
  return {
    record,
    key,
    source: { file, line },
    status: status === "sending" || isOpen ? "ambiguous" : status,
    problems,
    ...(account !== undefined && { account }),
  };
}

function summaryOf(outcomes: readonly Outcome[]): Summary {
  const counts: Partial<Record<Status, number>> = {};
  for (const { status } of outcomes) counts[status] = (counts[status] ?? 0) + 1;
  return { records: outcomes.length, counts, errors: {}, warnings: {}, exitCode: 0 };
}
