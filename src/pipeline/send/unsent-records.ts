import type { Ledger, NextSendable, Run } from "../../ledger/ledger.ts";
import type { InputPosition, InputRecord } from "../../model/record.ts";
import { readRecords } from "../plan/check-records.ts";
import type { Input } from "../../read/input/open-input.ts";

interface SendingRun {
  readonly input: Pick<Input, "records" | "refuseChanged">;
  readonly ledger: Pick<Ledger, "nextSendable" | "notePosition">;
  readonly run: Pick<Run, "id">;
  /** Ends the reading early. */
  readonly signal: AbortSignal;
}

/**
 * The input's records in batches, from the first one on that is still to be sent. Long stretches without any are passed
 * over, where an earlier reading has noted a place behind them; batches without any are left out.
 */
export async function* unsentRecords(sending: SendingRun): AsyncGenerator<readonly InputRecord[]> {
  const { input, ledger, run, signal } = sending;
  let next = await ledger.nextSendable(run.id, 1);
  while (next !== undefined) next = yield* recordsFrom(next, sending);
  if (!signal.aborted) await input.refuseChanged();
}

/** Reads on until the next record to be sent is far away; gives that one. */
async function* recordsFrom(
  first: NextSendable,
  { input, ledger, run, signal }: SendingRun,
): AsyncGenerator<readonly InputRecord[], NextSendable | undefined> {
  let next: NextSendable | undefined = first;
  let notedByte = first.position?.byte ?? 0;
  for await (const batch of readRecords({ input }, signal, first.position)) {
    const last = batch.at(-1);
    if (last === undefined) continue;
    const behind = positionBehind(last);
    if (behind !== undefined && isWorthNoting(behind, notedByte)) {
      await ledger.notePosition(run.id, behind);
      notedByte = behind.byte;
    }
    if (last.number < next.record) continue;
    yield batch;
    next = await ledger.nextSendable(run.id, last.number + 1);
    if (next === undefined || isFar(next, last.number)) return next;
  }
  return undefined;
}

/** Where the record behind this one begins. */
function positionBehind({ number, row, next }: InputRecord): InputPosition | undefined {
  return next && { ...next, record: number + 1, file: row.table.file };
}

/** Reading so much again takes some 30 ms, and noting it waits for the disk once. */
const NOTED_BYTES = 4_000_000;

/** The bytes of another file begin at 0 again. */
function isWorthNoting({ byte }: InputPosition, notedByte: number): boolean {
  return Math.abs(byte - notedByte) >= NOTED_BYTES;
}

/** Opening a file anew, and finding the place, costs as much as reading some thousand records. */
const FAR = 10_000;

function isFar({ position }: NextSendable, read: number): boolean {
  return position !== undefined && position.record - read > FAR;
}
