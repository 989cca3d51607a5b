import type { InputPosition } from "../../model/record.ts";

/**
 * Periodically saves the position from which the input of a run can be read again. Call this when records have been
 * sent or skipped.
 * @param after the position after these records; undefined if unknown
 */
type NotePlace = (after: InputPosition | undefined, what: "sent" | "skipped") => Promise<void>;

/**
 * @param note saves a position
 * @param begun the position at which reading began; default: the start of the input
 */
export function createPlaceNoter(
  note: (position: InputPosition) => Promise<void>,
  begun: InputPosition | undefined,
): NotePlace {
  let { record, byte } = begun ?? { record: 1, byte: 0 };
  return async (after, what) => {
    if (after === undefined) return;
    // The absolute distance, because byte positions start again at 0 in each file.
    const isFar = Math.abs(after.byte - byte) >= NOTED_BYTES;
    if (!isFar && (what === "skipped" || after.record - record < NOTED_SENT)) return;
    await note(after);
    ({ record, byte } = after);
  };
}

/**
 * Number of bytes after which a position is saved. Reading this many bytes again takes about 30 ms, and saving a
 * position costs one disk sync.
 */
const NOTED_BYTES = 4_000_000;
/**
 * Number of sent records after which a position is saved. Sending them costs about forty disk syncs, so one more sync
 * is negligible.
 */
const NOTED_SENT = 2_500;

/**
 * Minimum number of records to skip by seeking. Opening a file again and seeking costs as much as reading several
 * thousand records.
 */
const SEEK_DISTANCE = 10_000;

/** Whether to seek to the position instead of continuing after record `read`, the last record that was read. */
export function isFarAhead(place: InputPosition | undefined, read: number): place is InputPosition {
  return place !== undefined && place.record - read > SEEK_DISTANCE;
}
