import type { Sendable, UploadEnd, UploadOptions, UploadParts } from "./sendable.ts";
import { createSupplierGates, type SupplierGates } from "./supplier-gates.ts";
import { upload } from "./upload.ts";

/**
 * Uploads what is to be sent; where the run waits for closed import suppliers, again and again, until they have taken
 * their records, the time is over, or something else ends the run. What was taken in one round is gone from the next.
 * @param records opens what is still to be sent, in input order
 */
export async function uploadInRounds(
  records: () => AsyncIterable<readonly Sendable[]>,
  parts: UploadParts,
  options: UploadOptions,
): Promise<UploadEnd> {
  const { clock, onProgress } = parts;
  const { waitForSupplier, drain } = options;
  const gates = createSupplierGates({ waits: waitForSupplier !== undefined, clock, onChange: onProgress });
  const until = clock.monotonic() + (waitForSupplier?.forMs ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const end = await upload(records(), { ...parts, gates }, options);
    if (!goesOn(end, gates)) return end;
    const waitMs = gates.failure() === undefined ? 0 : gates.untilProbe();
    if (clock.monotonic() + waitMs > until) return end;
    await clock.sleep(waitMs, drain);
    if (drain.aborted) return { reason: "drained", counts: end.counts, unsaved: end.unsaved };
  }
}

/** Records were left for an import supplier alone, and the run waits for it. */
function goesOn({ reason, failure }: UploadEnd, gates: SupplierGates): boolean {
  const left = gates.takePassedOver();
  if (!gates.waits || !left || reason === "drained") return false;
  return reason === "done" || failure?.message === gates.failure()?.message;
}
