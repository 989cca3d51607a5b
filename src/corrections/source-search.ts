import { cellTextOf, valueAt } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import type { Row } from "../model/record.ts";
import { keyOf } from "../read/row/row-key.ts";
import { isList } from "./match-rows.ts";
import type { ReturnedChange } from "./returned-changes.ts";
import { addToGroup, getOrAdd } from "../model/groups.ts";

/**
 * Returns the changed rows in rejects that may correspond to this row in the sources: rows with the same key, and rows
 * with a changed key whose exported content is the content of this row.
 * @param keyName the column or path that identifies the row in corrections, if there is one
 */
export type SourceSearch = (row: Row, keyName: string | undefined) => readonly ReturnedChange[];

/** @param folders the changed rows of one source, by folder */
export function createSourceSearch(folders: readonly (readonly ReturnedChange[])[]): SourceSearch {
  const all = folders.flat();
  const indexes = new Map<string | undefined, SearchIndex>();
  return (row, keyName) => {
    if (all.length === 0) return [];
    const index = getOrAdd(indexes, keyName, () => createIndex(folders, keyName));
    const key = keyName === undefined ? undefined : keyOf(row, keyName);
    const sameKey = key === undefined ? [] : (index.byKey.get(key) ?? []);
    const sameContent = index.byContent.flatMap(({ fingerprintOf, changes }) => changes.get(fingerprintOf(row)) ?? []);
    return sameContent.length === 0 ? sameKey : [...new Set([...sameKey, ...sameContent])];
  };
}

type Changes = ReadonlyMap<string, readonly ReturnedChange[]>;

interface SearchIndex {
  readonly byKey: Changes;
  /** Rows with a changed key, by fingerprint, for each folder that has such rows. */
  readonly byContent: readonly {
    readonly fingerprintOf: ReturnedChange["fingerprintOf"];
    readonly changes: Changes;
  }[];
}

function createIndex(folders: readonly (readonly ReturnedChange[])[], keyName: string | undefined): SearchIndex {
  const keyIn = (change: ReturnedChange): ReturnedKey =>
    keyName === undefined ? { key: undefined, isKept: false } : returnedKey(change, keyName);
  const byKey = grouped(folders.flat(), (change) => keyIn(change).key);
  const byContent = folders.flatMap((changes) => {
    const moved = changes.filter((change) => !keyIn(change).isKept);
    const [first] = moved;
    if (first === undefined) return [];
    return [{ fingerprintOf: first.fingerprintOf, changes: grouped(moved, ({ exported }) => exported.fingerprint) }];
  });
  return { byKey, byContent };
}

function grouped(all: readonly ReturnedChange[], nameOf: (change: ReturnedChange) => string | undefined): Changes {
  const groups = new Map<string, ReturnedChange[]>();
  for (const change of all) {
    const name = nameOf(change);
    if (name !== undefined) addToGroup(groups, name, change);
  }
  return groups;
}

interface ReturnedKey {
  readonly key: string | undefined;
  /** False if the key may have changed. */
  readonly isKept: boolean;
}

/** Returns the key of a changed row, if rows are identified by the column or path `keyName`. */
function returnedKey({ columns, fields, row: { values } }: ReturnedChange, keyName: string): ReturnedKey {
  if (isList(values)) {
    const index = columns.indexOf(keyName);
    return { key: values[index] ?? undefined, isKept: !fields.includes(index) };
  }
  const [member = "", ...path] = keyName.split(".");
  const value = valueAt(parseJson(values[member] ?? ""), path);
  const key = typeof value === "string" || typeof value === "number" ? cellTextOf(value) : undefined;
  return { key, isKept: !fields.includes(member) };
}
