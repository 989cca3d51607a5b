import { addToGroup, getOrAdd } from "../../model/groups.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";
import type { LocalProblem, RecordStart } from "../../model/problem.ts";
import type { Row } from "../../model/record.ts";
import { counted, verbOfShare } from "../../text/count.ts";
import { shapeOf } from "../../text/shape.ts";
import { type OpenedChild, type OpenedSource, rowsOf } from "../input/opened-source.ts";
import { type ReadRow, sourceProblem } from "../row/read-row.ts";
import { keyOf, keyPlace } from "../row/row-key.ts";
import { numbered } from "./child-store.ts";

/** By normalised key: up to `MAX_NEAR_PARENTS` parents. The orphan may belong to any of them. */
type NearMisses = ReadonlyMap<string, readonly FoundParent[]>;

const MAX_NEAR_PARENTS = 100;

/**
 * Number of distinct orphan keys after which no more keys are collected. The join itself is then probably wrong, and
 * similar keys do not explain the orphans.
 */
const MAX_ORPHAN_KEYS = 10_000;

/**
 * Finds the parents whose keys differ from the keys of `orphans` at most in case, spaces, invisible characters, Unicode
 * form or leading zeros. Reads the parents again.
 * @param above the sources above the parent, up to the root source
 */
export async function nearestParents(
  orphans: AsyncIterable<readonly ReadRow[]>,
  child: OpenedChild,
  [parent, ...above]: Ancestors,
): Promise<NearMisses> {
  const wanted = await looseKeys(orphans, child.on);
  const near = new Map<string, FoundParent[]>();
  const waiting: Waiting = new Map();
  if (wanted.size === 0) return near;
  const add = (row: Row, record: number): void => {
    const loose = looseKey(row, child.parentKey);
    if (loose === undefined || !wanted.has(loose)) return;
    const found = getOrAdd(near, loose, (): FoundParent[] => []);
    if (found.length === MAX_NEAR_PARENTS) return;
    const key = keyOf(row, child.parentKey);
    found.push({ key, place: keyPlace(row, child.parentKey), records: recordsOf(row, record, parent, waiting) });
  };
  for await (const rows of numbered(rowsOf(parent))) for (const { id, read } of rows) add(read.row, id + 1);
  if (isChild(parent)) await addRecords(waiting, parent, above);
  return near;
}

/** Returns the record of a root row. For the row of a child source, returns a list that `addRecords` fills. */
function recordsOf(row: Row, record: number, source: OpenedSource, waiting: Waiting): readonly RecordStart[] {
  if (!isChild(source)) return [startOf(row, record)];
  const records: RecordStart[] = [];
  addTo(waiting, keyOf(row, source.on), records);
  return records;
}

/** The sources above a child source, from its parent to the root source. */
export type Ancestors = readonly [parent: OpenedSource, ...above: readonly OpenedSource[]];

interface FoundParent {
  /** The key as in the file, not normalised. */
  readonly key: string | undefined;
  readonly place: Place;
  readonly records: readonly RecordStart[];
}

/** Maps the key of a row in a source above to the lists that receive the records of that row. */
type Waiting = Map<string, RecordStart[][]>;

/**
 * Finds the records to which the waiting rows of `below` belong, and adds them to the lists. Reads the sources above
 * `below`, up to the root source.
 */
async function addRecords(
  waiting: Waiting,
  below: OpenedChild,
  [source, ...above]: readonly OpenedSource[],
): Promise<void> {
  if (source === undefined || waiting.size === 0) return;
  const next: Waiting = new Map();
  for await (const rows of numbered(rowsOf(source))) {
    for (const { id, read } of rows) {
      for (const records of waiting.get(keyOf(read.row, below.parentKey) ?? "") ?? []) {
        if (isChild(source)) addTo(next, keyOf(read.row, source.on), records);
        else if (records.length < MAX_NEAR_PARENTS) records.push(startOf(read.row, id + 1));
      }
    }
  }
  if (isChild(source)) await addRecords(next, source, above);
}

function addTo(waiting: Waiting, key: string | undefined, records: RecordStart[]): void {
  if (key !== undefined) addToGroup(waiting, key, records);
}

function startOf({ table, line }: Row, record: number): RecordStart {
  return { file: table.file, line, record };
}

function isChild(source: OpenedSource): source is OpenedChild {
  return "parentKey" in source;
}

/** Returns the problems for an orphan; empty if it has no key, because a missing key is reported separately. */
export function orphanProblems(
  row: Row,
  { on }: OpenedChild,
  { parent, near }: { readonly parent: string; readonly near: NearMisses },
): readonly LocalProblem[] {
  const loose = looseKey(row, on);
  if (loose === undefined) return [];
  const key = keyOf(row, on);
  const found = near.get(loose) ?? [];
  const omitted = found.find((one) => one.key === key)?.place;
  const [nearest, ...others] = omitted === undefined ? found.map(({ place, records }) => ({ ...place, records })) : [];
  const alsoNear = others.length === 0 ? undefined : others;
  const details = definedMembers({ omitted, near: nearest, alsoNear });
  return [sourceProblem(keyPlace(row, on), { code: "source_orphan_row", parent, ...details })];
}

/**
 * Returns the failure for a join without any match. The run must end, because the join itself is wrong, and every
 * parent would be sent without its child rows.
 */
export async function noMatch(child: OpenedChild, parent: OpenedSource, count: number): Promise<Failure> {
  const [own, other] = await Promise.all([firstKey(child, child.on), firstKey(parent, child.parentKey)]);
  const matching = `0 of ${counted(count, "row")} ${verbOfShare(0, count, ["matches", "match"])}`;
  const message = `${child.name}: ${matching} ${parent.name}.${child.parentKey}`;
  const shown = own === undefined || other === undefined ? "" : `: ${shapesText(own, other)}`;
  const hint = `check that ${child.on} is the column to join on (\`on\` of this source in the mapping)${shown}`;
  return new Failure("source_no_match", message, { hint, ...(own && { place: own.place }) });
}

interface KeySample {
  readonly place: Place;
  /** The file and the line of the key. */
  readonly line: string;
  readonly shape: string;
}

function shapesText(own: KeySample, other: KeySample): string {
  return own.shape === other.shape
    ? `the keys in ${own.line} and ${other.line} both look like ${own.shape}, but no keys match`
    : `${own.line} has a key like ${own.shape}, but ${other.line} has a key like ${other.shape}`;
}

async function firstKey(source: OpenedSource, column: string): Promise<KeySample | undefined> {
  for await (const rows of rowsOf(source)) {
    for (const { row } of rows) {
      const key = keyOf(row, column);
      if (key === undefined) continue;
      const place = keyPlace(row, column);
      return { place, line: `${place.file}:${place.line}`, shape: shapeOf(key) };
    }
  }
  return undefined;
}

async function looseKeys(batches: AsyncIterable<readonly ReadRow[]>, on: string): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>();
  for await (const rows of batches) {
    for (const { row } of rows) {
      const loose = looseKey(row, on);
      if (loose !== undefined) wanted.add(loose);
    }
    if (wanted.size >= MAX_ORPHAN_KEYS) break;
  }
  return wanted;
}

function looseKey(row: Row, name: string): string | undefined {
  const key = keyOf(row, name);
  return key
    ?.normalize("NFC")
    .toLowerCase()
    .replace(/[\s\p{Cf}]/gu, "")
    .replace(/^0+(?=.)/, "");
}
