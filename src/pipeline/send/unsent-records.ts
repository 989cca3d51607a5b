import type { Ledger, NextSendable, Run } from "../../ledger/ledger.ts";
import type { InputRecord } from "../../model/record.ts";
import { readRecords } from "../plan/check-records.ts";
import type { Input } from "../../read/input/open-input.ts";
import { createNotedPlaces, isFar } from "./noted-places.ts";

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
  const places = createNotedPlaces({ ledger, run: run.id }, first.position);
  for await (const batch of readRecords({ input }, signal, first.position)) {
    const last = batch.at(-1);
    if (last === undefined) continue;
    const isPassedOver = last.number < next.record;
    await places.readUpTo(last, isPassedOver ? "passed over" : "sent");
    if (isPassedOver) continue;
    yield batch;
    next = await ledger.nextSendable(run.id, last.number + 1);
    if (next === undefined || isFar(next.position, last.number)) return next;
  }
  return undefined;
}
