import type { PlannedItem } from "../../ledger.ts";

/**
 * Planned items as they are sent to another thread: copying them as objects would take longer than writing them.
 * Those that have no more than a key, a fast content hash and a place are columns; the others go as they are.
 */
export interface PackedItems {
  /** Of each plain item its position, record, line, file (in `files`), key length (-1: none), content (NaN: none). */
  readonly numbers: Float64Array;
  /** The plain items' keys, one behind the other. */
  readonly keys: string;
  readonly files: readonly string[];
  readonly others: readonly (readonly [position: number, item: PlannedItem])[];
}

const COLUMNS = 6;

export function packItems(items: readonly PlannedItem[]): PackedItems {
  const numbers = new Float64Array(items.length * COLUMNS);
  const files: string[] = [];
  const others: [number, PlannedItem][] = [];
  let keys = "";
  let at = 0;
  for (const [position, item] of items.entries()) {
    if (!isPlain(item)) {
      others.push([position, item]);
      continue;
    }
    if (files.at(-1) !== item.file) files.push(item.file);
    keys += item.key ?? "";
    const content = typeof item.content === "number" ? item.content : Number.NaN;
    numbers.set([position, item.record, item.line, files.length - 1, item.key?.length ?? -1, content], at);
    at += COLUMNS;
  }
  return { numbers: numbers.subarray(0, at), keys, files, others };
}

function isPlain(item: PlannedItem): boolean {
  const { status, problems, identity, content } = item;
  return status === "valid" && problems.length === 0 && identity === undefined && typeof content !== "object";
}

export function unpackItems({ numbers, keys, files, others }: PackedItems): readonly PlannedItem[] {
  const items: PlannedItem[] = [];
  for (const [position, item] of others) items[position] = item;
  const column = (at: number): number => numbers[at] ?? 0;
  let keyAt = 0;
  for (let at = 0; at < numbers.length; at += COLUMNS) {
    const keyEnd = keyAt + column(at + 4);
    const content = column(at + 5);
    items[column(at)] = {
      record: column(at + 1),
      key: keyEnd < keyAt ? undefined : keys.slice(keyAt, keyEnd),
      identity: undefined,
      content: Number.isNaN(content) ? undefined : content,
      file: files[column(at + 3)] ?? "",
      line: column(at + 2),
      status: "valid",
      problems: [],
    };
    keyAt = Math.max(keyAt, keyEnd);
  }
  return items;
}
