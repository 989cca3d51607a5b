import type { Ledger } from "../../ledger/ledger.ts";
import type { InputPosition } from "../../model/record.ts";

/** Notes now and then where a run's input can be read from, while it is read. */
export interface NotedPlaces {
  /** @param behind the place behind what was read, to be sent or only to be passed over, where there is one */
  readonly readUpTo: (behind: InputPosition | undefined, what: "sent" | "passed over") => Promise<void>;
}

/** @param begun the place at which the reading began; none: the beginning of the input */
export function createNotedPlaces(
  { ledger, run }: { readonly ledger: Pick<Ledger, "notePosition">; readonly run: string },
  begun: InputPosition | undefined,
): NotedPlaces {
  let noted: Pick<InputPosition, "record" | "byte"> = begun ?? { record: 1, byte: 0 };
  return {
    async readUpTo(behind, what) {
      if (behind === undefined || !isWorthNoting(behind, noted, what)) return;
      await ledger.notePosition(run, behind);
      noted = behind;
    },
  };
}

/** Reading so much again takes some 30 ms, and noting it waits for the disk once. */
const NOTED_BYTES = 4_000_000;
/** Sending so many waits for the disk some forty times. */
const NOTED_SENT = 2_500;

/** The bytes of another file begin at 0 again. */
function isWorthNoting(
  behind: InputPosition,
  noted: Pick<InputPosition, "record" | "byte">,
  what: "sent" | "passed over",
): boolean {
  const isFarBehind = Math.abs(behind.byte - noted.byte) >= NOTED_BYTES;
  return isFarBehind || (what === "sent" && behind.record - noted.record >= NOTED_SENT);
}

/** Opening a file anew, and finding the place, costs as much as reading some thousand records. */
const FAR = 10_000;

/** Whether it is better to read on from the place than from the record behind the one that was read last. */
export function isFar(place: InputPosition | undefined, read: number): place is InputPosition {
  return place !== undefined && place.record - read > FAR;
}
