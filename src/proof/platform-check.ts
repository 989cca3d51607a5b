import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";
import type { RunSettings } from "../job/settings/recorded-settings.ts";
import { connectToRead } from "../job/target-connection.ts";
import { definedMembers } from "../json/defined-members.ts";
import { formatAttr } from "../json/attr.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { Failure } from "../model/failure.ts";
import type { PlatformProof } from "../model/proof.ts";
import { comparedAttrs } from "../platform/reading/compare-content.ts";
import { type LookupResult, markConflictingAccounts } from "../platform/reading/lookup-result.ts";
import { lookUpRecords } from "../platform/reading/record-lookup.ts";
import { timestamp } from "../time/clock.ts";

/** An accepted record with the payload that was sent. */
export interface AcceptedRecord {
  readonly record: number;
  readonly payload: JsonObject;
  readonly parameters: JsonObject | undefined;
  /** The account number in the ledger. */
  readonly account: string | undefined;
}

/**
 * Returns the name of the file with the platform's answers for a run. With this file, a proof can be verified without
 * the platform.
 */
export function platformFile(run: string): string {
  return `platform-${run}.ndjson`;
}

/**
 * - `notCompared`: the record was found, but only its key could be compared
 * - `replaced`: the record was not looked up, because the platform has since accepted different content for the
 *   record
 */
type PlatformAnswerKind = LookupResult["kind"] | "notCompared" | "replaced";

/** The platform's answer for one record, and the returned values by attr, as text. */
export interface PlatformAnswer {
  readonly kind: PlatformAnswerKind;
  /** The attrs whose values differ. */
  readonly attrs?: readonly string[];
  /** The reason why the answer proves nothing. */
  readonly reason?: string;
  readonly values: ReadonlyMap<string, string>;
}

export interface PlatformCheck {
  /** Attrs whose values the platform returns, so that they can be compared. */
  readonly comparableAttrs: readonly string[];
  readonly ask: (records: readonly AcceptedRecord[]) => Promise<ReadonlyMap<number, PlatformAnswer>>;
  readonly proof: () => PlatformProof;
}

/**
 * Opens a check that queries the platform for accepted records, with the operations that the contract declares for this
 * purpose.
 * @throws Failure `nothing_to_ask` if the contract declares no such operation, and failures while connecting
 */
export async function openPlatformCheck(
  job: Job,
  { target }: RunSettings,
  dependencies: Dependencies,
  closeLater: (opened: { readonly close: () => Promise<void> }) => void,
): Promise<PlatformCheck> {
  const { readBack } = job.operation;
  if (readBack.length === 0) {
    throw new Failure("nothing_to_ask", nothingToAsk(job), {
      hint: "name the operation with `x-migrate-read-back` (docs/contract.md)",
    });
  }
  const connection = await connectToRead(target, "account-holder", dependencies);
  closeLater(connection);
  const askedAt = timestamp(dependencies.clock);
  return countedCheck(job, askedAt, async (records) => {
    const asked = records.map(({ payload, parameters }) => ({
      payload,
      parameters,
      isAsSent: true,
      needsContent: true,
    }));
    const context = { client: connection.client, key: job.mapping.keyAttr ?? [] };
    const results = markConflictingAccounts(records, await lookUpRecords(asked, readBack, context), job.accountOwner);
    return records.map((_, at) => {
      const result: LookupResult = results[at] ?? { kind: "unknown", reason: "" };
      const isUncompared = result.kind === "found" && result.compared.length === 0;
      const kind = isUncompared ? "notCompared" : result.kind;
      const { attrs, reason, values = NO_VALUES }: Partial<PlatformAnswer> = result;
      return { kind, values, ...definedMembers({ attrs, reason }) };
    });
  });
}

function nothingToAsk({ operation }: Job): string {
  return `the contract does not say how to read back the records of "${operation.id}"`;
}

/**
 * Returns a check for a run without an operation to query, so that the other runs can be checked. Every answer is
 * `unknown`.
 */
export function unansweredCheck(job: Job, { clock, notice }: Dependencies): PlatformCheck {
  const reason = nothingToAsk(job);
  notice(`${reason}, so the proof confirms none of them on the platform`);
  const unknown: PlatformAnswer = { kind: "unknown", reason, values: NO_VALUES };
  return countedCheck(job, timestamp(clock), (records) => Promise.resolve(records.map(() => unknown)));
}

const NO_VALUES: PlatformAnswer["values"] = new Map();

/**
 * Returns a check that does not look up records whose content the platform has replaced. The answer for such a record
 * is `replaced`.
 */
export function withoutReplaced(
  { ask, proof, comparableAttrs }: PlatformCheck,
  run: string,
  ledger: Ledger,
): PlatformCheck {
  let replaced = 0;
  return {
    comparableAttrs,
    ask: async (records) => {
      const [first, last] = [records[0], records.at(-1)];
      if (first === undefined || last === undefined) return new Map();
      const current = await ledger.acceptedLast(run, first.record, last.record);
      const asked = records.filter(({ record }) => current.has(record));
      replaced += records.length - asked.length;
      const answers = await ask(asked);
      return new Map(records.map(({ record }) => [record, answers.get(record) ?? REPLACED]));
    },
    proof: () => ({ ...proof(), replaced }),
  };
}

const REPLACED: PlatformAnswer = { kind: "replaced", values: NO_VALUES };

/**
 * Returns a check that replays the answers of an earlier check.
 * @param answers in the order of the records; a missing answer, or an answer for another record, becomes `unknown`
 */
export function replayedCheck(
  job: Job,
  askedAt: string,
  answers: AsyncIterator<{ readonly record: number; readonly answer: PlatformAnswer }>,
): PlatformCheck {
  return countedCheck(job, askedAt, async (records) => {
    const given: PlatformAnswer[] = [];
    for (const { record } of records) {
      const next = await answers.next();
      const isSame = next.done !== true && next.value.record === record;
      given.push(isSame ? next.value.answer : { kind: "unknown", values: NO_VALUES });
    }
    return given;
  });
}

function countedCheck(
  { operation, mapping }: Job,
  askedAt: string,
  ask: (records: readonly AcceptedRecord[]) => Promise<readonly PlatformAnswer[]>,
): PlatformCheck {
  const counts = { found: 0, notCompared: 0, different: 0, absent: 0, unknown: 0, replaced: 0 };
  const compared = comparedAttrs(operation.readBack, mapping.keyAttr ?? []);
  return {
    comparableAttrs: operation.readBack.flatMap(({ match }) => match.map(({ payload }) => formatAttr(payload))),
    ask: async (records) => {
      const answers = await ask(records);
      for (const { kind } of answers) counts[kind] += 1;
      return new Map(records.map(({ record }, at) => [record, answers[at] ?? { kind: "unknown", values: NO_VALUES }]));
    },
    proof: () => ({ askedAt, compared, ...counts }),
  };
}
