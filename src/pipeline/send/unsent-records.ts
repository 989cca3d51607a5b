import type { Ledger, NextSendable, Run } from "../../ledger/ledger.ts";
import type { Input } from "../../read/input/open-input.ts";
import { createNotedPlaces, isFar } from "./noted-places.ts";
import type { PayloadGroup } from "./payload-group.ts";
import type { ReadPayloads } from "./payloads-anew.ts";

interface SendingRun {
  readonly input: Pick<Input, "refuseChanged">;
  readonly ledger: Pick<Ledger, "nextSendable" | "notePosition">;
  readonly run: Pick<Run, "id">;
  readonly readPayloads: ReadPayloads;
  /** Ends the reading early. */
  readonly signal: AbortSignal;
}

/**
 * The input's records in groups, from the first one on that is still to be sent. Long stretches without any are passed
 * over, where an earlier reading has noted a place behind them; groups without any are left out.
 */
export async function* unsentRecords(sending: SendingRun): AsyncGenerator<PayloadGroup> {
  const { input, ledger, run, signal } = sending;
  let next = await ledger.nextSendable(run.id, 1);
  while (next !== undefined) next = yield* groupsFrom(next, sending);
  if (!signal.aborted) await input.refuseChanged();
}

/** Reads on until the next record to be sent is far away; gives that one. */
async function* groupsFrom(
  first: NextSendable,
  { ledger, run, readPayloads, signal }: SendingRun,
): AsyncGenerator<PayloadGroup, NextSendable | undefined> {
  let next: NextSendable | undefined = first;
  const places = createNotedPlaces({ ledger, run: run.id }, first.position);
  for await (const group of readPayloads(signal, first.position)) {
    const { last, behind } = group;
    const isPassedOver = last < next.record;
    await places.readUpTo(behind, isPassedOver ? "passed over" : "sent");
    if (isPassedOver) continue;
    yield { ...group, first: Math.max(group.first, next.record) };
    next = await ledger.nextSendable(run.id, last + 1);
    if (next === undefined || isFar(next.position, last)) return next;
  }
  return undefined;
}
