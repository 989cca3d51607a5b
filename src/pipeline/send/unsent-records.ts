import type { Ledger } from "../../ledger/ledger.ts";
import type { NextSendable } from "../../ledger/records/requests.ts";
import type { Input } from "../../read/input/open-input.ts";
import { createPlaceNoter, isFarAhead } from "./noted-places.ts";
import type { PayloadGroup } from "./payload-group.ts";
import type { ReadPayloads } from "./reread-payloads.ts";

interface SendingRun {
  readonly input: Pick<Input, "refuseChanged">;
  readonly ledger: Pick<Ledger, "nextSendable" | "notePosition">;
  readonly run: { readonly id: string };
  readonly readPayloads: ReadPayloads;
  /** When this aborts, reading ends early, without an error. */
  readonly signal: AbortSignal;
}

/**
 * Yields the groups of the input that contain records left to send. Skips a long part of the input without such records
 * if an earlier pass has saved a position after that part.
 */
export async function* unsentRecords(sending: SendingRun): AsyncGenerator<PayloadGroup> {
  const { input, ledger, run, signal } = sending;
  let next = await ledger.nextSendable(run.id, 1);
  while (next !== undefined) next = yield* groupsFrom(next, sending);
  if (!signal.aborted) await input.refuseChanged();
}

/** Yields groups until the next record to send is far ahead. Returns that record; undefined if there is none. */
async function* groupsFrom(
  first: NextSendable,
  { ledger, run, readPayloads, signal }: SendingRun,
): AsyncGenerator<PayloadGroup, NextSendable | undefined> {
  let next: NextSendable | undefined = first;
  const notePlace = createPlaceNoter((position) => ledger.notePosition(run.id, position), first.position);
  for await (const group of readPayloads(signal, first.position)) {
    const { last, next: after } = group;
    const isSkipped = last < next.record;
    await notePlace(after, isSkipped ? "skipped" : "sent");
    if (isSkipped) continue;
    yield { ...group, first: Math.max(group.first, next.record) };
    next = await ledger.nextSendable(run.id, last + 1);
    if (next === undefined || isFarAhead(next.position, last)) return next;
  }
  return undefined;
}
