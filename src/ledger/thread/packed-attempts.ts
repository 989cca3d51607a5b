import type { Problem } from "../../model/problem.ts";
import type { Writable } from "../../model/writable.ts";
import { ATTEMPT_STATUSES, type AttemptOutcome, type Intent, type PriorContent } from "../records/requests.ts";
import type { SendableItem } from "../records/requests.ts";
import { createRowPacker, NO_NUMBER, type PackedRows, type RowReader, unpackRows } from "./packed-rows.ts";

const INTENT = { numbers: 6, hashes: 2 } as const;

export function packIntents(intents: readonly Intent[]): PackedRows {
  const rows = createRowPacker(intents.length, INTENT);
  for (const { record, attempt, idempotent, isPoll, step, at, identity, content } of intents) {
    const flags = [flagNumber(idempotent), flagNumber(isPoll)];
    rows.add([record, attempt, ...flags, rows.text(step), rows.text(at)], [identity, content]);
  }
  return rows.packed();
}

export function unpackIntents(packed: PackedRows): readonly Intent[] {
  return unpackRows(packed, INTENT, (row) => {
    const [idempotent, isPoll, step] = [row.flag(2), row.flag(3), row.text(4)];
    const intent: Writable<Intent> = {
      record: row.number(0) ?? 0,
      attempt: row.number(1) ?? 0,
      identity: row.hash(0),
      content: row.hash(1),
      at: row.text(5) ?? "",
    };
    if (idempotent !== undefined) intent.idempotent = idempotent;
    if (isPoll !== undefined) intent.isPoll = isPoll;
    if (step !== undefined) intent.step = step;
    return intent;
  });
}

const OUTCOME = { numbers: 13, hashes: 1 } as const;

export function packOutcomes(outcomes: readonly AttemptOutcome[]): PackedRows {
  const rows = createRowPacker(outcomes.length, OUTCOME);
  for (const outcome of outcomes) {
    const { record, attempt, identity, status, problems, http = NO_NUMBER, durationMs = NO_NUMBER } = outcome;
    const reply = [http, durationMs, rows.text(outcome.account), flagNumber(outcome.isNewAccount)];
    const texts = [rows.text(outcome.reason), rows.text(outcome.step), rows.text(outcome.at)];
    const problemsText = rows.text(problems.length === 0 ? undefined : JSON.stringify(problems));
    const known = [record, attempt, ATTEMPT_STATUSES.indexOf(status), ...reply, ...texts, problemsText];
    rows.add([...known, flagNumber(outcome.mayHoldOther), flagNumber(outcome.partial?.mayRepeat)], [identity]);
  }
  return rows.packed();
}

export function unpackOutcomes(packed: PackedRows): readonly AttemptOutcome[] {
  return unpackRows(packed, OUTCOME, (row) => {
    const [reason, step, mayHoldOther, mayRepeat] = [row.text(7), row.text(8), row.flag(11), row.flag(12)];
    const outcome: Writable<AttemptOutcome> = {
      record: row.number(0) ?? 0,
      attempt: row.number(1) ?? 0,
      identity: row.hash(0),
      status: ATTEMPT_STATUSES[row.number(2) ?? -1] ?? "ambiguous",
      at: row.text(9) ?? "",
      problems: parseProblems(row.text(10)),
    };
    addReply(outcome, row);
    if (reason !== undefined) outcome.reason = reason;
    if (step !== undefined) outcome.step = step;
    if (mayHoldOther !== undefined) outcome.mayHoldOther = mayHoldOther;
    if (mayRepeat !== undefined) outcome.partial = { mayRepeat };
    return outcome;
  });
}

function addReply(outcome: Writable<AttemptOutcome>, row: RowReader): void {
  const [http, durationMs, account, isNewAccount] = [row.number(3), row.number(4), row.text(5), row.flag(6)];
  if (http !== undefined) outcome.http = http;
  if (durationMs !== undefined) outcome.durationMs = durationMs;
  if (account !== undefined) outcome.account = account;
  if (isNewAccount !== undefined) outcome.isNewAccount = isNewAccount;
}

function parseProblems(text: string | undefined): readonly Problem[] {
  if (text === undefined) return [];
  const problems: readonly Problem[] = JSON.parse(text);
  return problems;
}

const SENDABLE = { numbers: 7, hashes: 2 } as const;

const PRIOR_CONTENTS: readonly PriorContent[] = ["none", "same", "other", "accepted"];

export function packSendable(items: readonly SendableItem[]): PackedRows {
  const rows = createRowPacker(items.length, SENDABLE);
  for (const { record, attempts, isAmbiguous, prior, account, step, rowHash = NO_NUMBER, ...hashes } of items) {
    const state = [rowHash, PRIOR_CONTENTS.indexOf(prior), rows.text(account)];
    const known = [flagNumber(isAmbiguous), rows.text(step), ...state];
    rows.add([record, attempts, ...known], [hashes.identity, hashes.content]);
  }
  return rows.packed();
}

export function unpackSendable(packed: PackedRows): readonly SendableItem[] {
  return unpackRows(packed, SENDABLE, (row) => {
    const [step, account] = [row.text(3), row.text(6)];
    return {
      record: row.number(0) ?? 0,
      attempts: row.number(1) ?? 0,
      isAmbiguous: row.flag(2) === true,
      identity: row.hash(0),
      content: row.hash(1),
      rowHash: row.number(4),
      prior: PRIOR_CONTENTS[row.number(5) ?? -1] ?? "other",
      ...(account !== undefined && { account }),
      ...(step !== undefined && { step }),
    };
  });
}

function flagNumber(flag: boolean | undefined): number {
  return flag === undefined ? NO_NUMBER : Number(flag);
}
