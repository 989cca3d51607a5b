import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { findKeyCorruption } from "../../text/key-corruption.ts";
import { normalKey } from "../../text/near-key.ts";
import { FLAG, type ItemColumns, keyOf } from "./item-columns.ts";
import { batchesOf, type KeyFinding, type PackedPlan, type Spot } from "./packed-plan.ts";
import { createSorter, type Sorter } from "./spool/sorter.ts";
import { createSpooledList, type SpooledList } from "./spool/spooled-list.ts";

/**
 * Finds keys that occur more than once in the plan, and keys that are nearly equal. If all records with a key have the
 * same content, the first record stays and the others are duplicates. If their contents differ, it is unknown which
 * record is correct. Among nearly equal keys, each key refers to the previous one, and the first refers to the second.
 *
 * The marks of the keys select candidate records. The candidates are then sorted (on disk if there are many), and their
 * keys are compared.
 */
export async function* findRepeatedKeys(plan: PackedPlan): AsyncGenerator<KeyFinding> {
  const entries = await entriesOfRepeatedMarks(plan);
  if (entries === undefined) return;
  const groups = createSpooledList<KeyGroup>(plan.pieces);
  for await (const group of withPauses(groupsOf(entries.sorted()))) groups.add(group);
  yield* withPauses(findingsOf(entries.sorted(), groups));
}

/** A record whose key has a mark that occurs, or may occur, more than once. */
interface KeyEntry extends Spot {
  readonly mark: number;
  readonly key: string;
  /** The content hash as a number; null if the record has no content. */
  readonly content: number | null;
  readonly isInvalid: boolean;
}

async function entriesOfRepeatedMarks(plan: PackedPlan): Promise<Sorter<KeyEntry> | undefined> {
  const isRepeated = await plan.marks.findRepeated();
  if (isRepeated === undefined) return undefined;
  const entries = createSorter<KeyEntry>(compareEntries, { pieces: plan.pieces, atOnce: plan.maxSortedInMemory });
  for await (const { columns, files } of batchesOf(plan)) {
    for (let index = 0; index < columns.count; index += 1) {
      if (isRepeated(columns.marks[index] ?? Number.NaN)) entries.add(entryOf(plan, columns, files, index));
    }
  }
  return entries;
}

function entryOf({ excluded }: PackedPlan, columns: ItemColumns, files: readonly number[], index: number): KeyEntry {
  const record = columns.records[index] ?? 0;
  const content = columns.contents[index] ?? Number.NaN;
  return {
    mark: columns.marks[index] ?? 0,
    key: keyOf(columns, index) ?? "",
    record,
    file: files[columns.fileNumbers[index] ?? 0] ?? 0,
    line: columns.lines[index] ?? 0,
    content: Number.isNaN(content) ? null : content,
    isInvalid: ((columns.flags[index] ?? 0) & FLAG.invalid) !== 0 || excluded.has(record),
  };
}

/** Orders entries so that nearly equal keys are adjacent, and records with equal keys are in input order. */
function compareEntries(one: KeyEntry, other: KeyEntry): number {
  if (one.mark !== other.mark) return one.mark - other.mark;
  if (one.key === other.key) return one.record - other.record;
  const [match, otherMatch] = [normalKey(one.key), normalKey(other.key)];
  if (match !== otherMatch) return match < otherMatch ? -1 : 1;
  return one.key < other.key ? -1 : 1;
}

/** The records with one key. */
interface KeyGroup {
  readonly first: KeyEntry;
  occurs: number;
  differs: boolean;
  near?: Spot;
}

/** Yields one group per key, in the order of the entries. Holds only groups with nearly equal keys in memory. */
function* groupsOf(entries: Iterator<KeyEntry>): Generator<KeyGroup> {
  let near: KeyGroup[] = [];
  for (let next = entries.next(); next.done !== true; next = entries.next()) {
    const entry = next.value;
    const group = near.at(-1);
    if (group?.first.key === entry.key) {
      group.occurs += 1;
      group.differs ||= entry.content === null || entry.content !== group.first.content;
      continue;
    }
    const first = group?.first;
    if (first !== undefined && (first.mark !== entry.mark || normalKey(first.key) !== normalKey(entry.key))) {
      yield* linked(near);
      near = [];
    }
    near.push({ first: entry, occurs: 1, differs: entry.content === null });
  }
  yield* linked(near);
}

/**
 * Links each key to the previous key in the input, and the first key to the second key, if the linked keys are nearly
 * equal.
 */
function linked(groups: readonly KeyGroup[]): readonly KeyGroup[] {
  if (groups.length < 2) return groups;
  const inOrder = groups.toSorted((one, other) => one.first.record - other.first.record);
  for (const [index, group] of inOrder.entries()) {
    const other = inOrder[index === 0 ? 1 : index - 1];
    if (other !== undefined && findKeyCorruption(other.first.key, group.first.key)) group.near = spotOf(other.first);
  }
  return groups;
}

function spotOf({ record, file, line }: Spot): Spot {
  return { record, file, line };
}

/** @param groups groups of the entries' keys, in the same order */
function* findingsOf(entries: Iterator<KeyEntry>, groups: SpooledList<KeyGroup>): Generator<KeyFinding> {
  let next = entries.next();
  for (const group of groups) {
    let earlier: KeyEntry | undefined;
    for (let left = group.occurs; left > 0 && next.done !== true; left -= 1) {
      const entry = next.value;
      next = entries.next();
      const later = left === 1 || next.done === true ? undefined : next.value;
      const finding = findingOf(entry, group, { earlier, later });
      if (finding !== undefined) yield finding;
      earlier = entry;
    }
  }
}

interface Neighbours {
  readonly earlier: KeyEntry | undefined;
  readonly later: KeyEntry | undefined;
}

function findingOf(entry: KeyEntry, group: KeyGroup, neighbours: Neighbours): KeyFinding | undefined {
  const { near } = group;
  const same = group.occurs === 1 ? undefined : sameAs(entry, group, neighbours);
  if (same === undefined && near === undefined) return undefined;
  return {
    record: entry.record,
    wasInvalid: entry.isInvalid,
    sameContent: !group.differs,
    ...(same !== undefined && { same: spotOf(same) }),
    ...(near !== undefined && { near }),
  };
}

function sameAs(
  { record }: KeyEntry,
  { first, differs }: KeyGroup,
  { earlier, later }: Neighbours,
): KeyEntry | undefined {
  if (!differs) return record === first.record ? undefined : first;
  if (earlier === undefined || (later !== undefined && later.record - record < record - earlier.record)) return later;
  return earlier;
}

const ITEMS_AT_ONCE = 10_000;

/** Passes the items on, and yields to the event loop after every `ITEMS_AT_ONCE` items. */
async function* withPauses<T>(items: Iterable<T>): AsyncGenerator<T> {
  let count = 0;
  for (const item of items) {
    count += 1;
    if (count % ITEMS_AT_ONCE === 0) await yieldToEventLoop();
    yield item;
  }
}
