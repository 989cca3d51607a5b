import type { JournaledRequest, LedgerRecovery } from "../../../src/ledger/journal/recovery.ts";
import { hex } from "../killable-ledger.ts";
import { attemptKey, lastOf, type ModelRows } from "./model-rows.ts";

/** Synchronous versions of the recovery functions. */
export type ModelRecovery = {
  readonly [Name in keyof LedgerRecovery]: (
    ...args: Parameters<LedgerRecovery[Name]>
  ) => Awaited<ReturnType<LedgerRecovery[Name]>>;
};

/** Models how a database stores the requests of a journal. */
export function modelRecovery({ records, attempts, recoveries }: ModelRows, now: () => number): ModelRecovery {
  const unknownRequests = (requests: readonly JournaledRequest[]): readonly JournaledRequest[] =>
    requests.filter(({ identity, attempt }) => (records.get(hex(identity))?.attempts ?? 0) < attempt);
  return {
    unknownRequests,
    markPossiblySent(requests, at) {
      const unknown = withSentContents(unknownRequests(requests), records);
      let number = [...attempts.values()].filter(({ run }) => run === NO_RUN).length;
      for (const { identity, attempt, idempotent: harmless = false } of unknown) {
        number += 1;
        const status = harmless ? "pending" : "ambiguous";
        const settledAt = lastOf(at, now());
        const made = { run: NO_RUN, record: number, attempt, identity: hex(identity), harmless, status, settledAt };
        attempts.set(attemptKey(made), made);
      }
      for (const latest of latestOf(unknown)) noteRecord(records, latest, unknown);
      return unknown.length;
    },
    noteRecovery(recovery) {
      if (!recoveries.has(recovery.id)) recoveries.set(recovery.id, recovery);
      if (!recovery.isUncertain) return;
      for (const made of attempts.values()) if (made.status === "sending") made.harmless = false;
      for (const known of records.values()) {
        if (known.state !== "accepted") known.mayHoldOther = true;
        if (known.state !== "accepted" && known.state !== "sending") known.state = "ambiguous";
      }
    },
    isRecoveryKnown: (id) => recoveries.has(id),
  };
}

const NO_RUN = "";

/** Gives each poll the content of the request before it. */
function withSentContents(
  requests: readonly JournaledRequest[],
  records: ModelRows["records"],
): readonly JournaledRequest[] {
  const sent = new Map<string, Uint8Array>();
  return requests.map((request) => {
    const id = hex(request.identity);
    const known = records.get(id);
    const before = sent.get(id) ?? (known && Buffer.from(known.content, "hex"));
    const content = (request.isPoll === true ? before : undefined) ?? request.content;
    sent.set(id, content);
    return { ...request, content };
  });
}

function latestOf(requests: readonly JournaledRequest[]): readonly JournaledRequest[] {
  const latest = new Map<string, JournaledRequest>();
  for (const request of requests) {
    const before = latest.get(hex(request.identity));
    if (before === undefined || before.attempt < request.attempt) latest.set(hex(request.identity), request);
  }
  return [...latest.values()];
}

function noteRecord(
  records: ModelRows["records"],
  { identity, content, attempt }: JournaledRequest,
  requests: readonly JournaledRequest[],
): void {
  const id = hex(identity);
  const ofRecord = requests.filter((one) => hex(one.identity) === id);
  const known = records.get(id);
  const harmless = !lacksFirst(known, ofRecord) && ofRecord.every(({ idempotent }) => idempotent === true);
  const isRepeat =
    known?.state === "accepted" &&
    ofRecord.every((one) => one.idempotent === true || hex(one.content) === known.acceptedContent) &&
    attempt - known.attempts === ofRecord.length;
  const state = harmless || isRepeat ? (known?.state ?? "pending") : "ambiguous";
  const step = known?.content === hex(content) ? known.step : undefined;
  const mayHoldOther = holdsOther(known, hex(content), ofRecord) || ofRecord.some(isOther);
  records.set(id, { ...known, content: hex(content), attempts: attempt, state, step, mayHoldOther });

  function isOther(one: JournaledRequest): boolean {
    return one.idempotent !== true && hex(one.content) !== hex(content);
  }
}

function lacksFirst(known: object | undefined, requests: readonly JournaledRequest[]): boolean {
  return known === undefined && requests.every(({ attempt }) => attempt > 1);
}

function holdsOther(
  known: ReturnType<ModelRows["records"]["get"]>,
  content: string,
  requests: readonly JournaledRequest[],
): boolean {
  if (known === undefined) return lacksFirst(known, requests);
  const isUnclear = known.state === "ambiguous" || known.state === "sending";
  return known.mayHoldOther === true || (isUnclear && known.content !== content);
}
