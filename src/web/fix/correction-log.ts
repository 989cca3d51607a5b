import { statSync } from "node:fs";
import { Failure } from "../../model/failure.ts";
import {
  type CorrectionChange,
  identityOf,
  type ListedCorrection,
  readAppendedChanges,
} from "../../read/corrections/corrections-file.ts";
import type { Correction } from "../../read/corrections/correction.ts";
import type { SessionStore } from "./session-store.ts";

/** The corrections in force for the rows with a key, in file order. */
export function correctionsOfKey(store: SessionStore, source: string, key: string): readonly ListedCorrection[] {
  return store
    .all("select body from correction where source = ? and key = ? order by seq", source, key)
    .map(({ body }): ListedCorrection => JSON.parse(String(body)));
}

/** The correction with an identity, if it is in force. */
export function correctionInForce(store: SessionStore, identity: string): Correction | undefined {
  const found = store.one("select body from correction where identity = ?", identity);
  return found === undefined ? undefined : JSON.parse(String(found["body"]));
}

/** Applies lines of the file to the corrections in force. */
export function storeChanges(store: SessionStore, changes: Iterable<CorrectionChange>, seq: () => number): void {
  for (const { change, correction } of changes) {
    const { source, key, column } = correction;
    if (change === "unset") store.run("delete from correction where identity = ?", identityOf(correction));
    else
      store.run(
        "insert or replace into correction values (?,?,?,?,?,?)",
        identityOf(correction),
        source,
        key,
        column,
        seq(),
        JSON.stringify(correction),
      );
  }
}

/** Follows a corrections file to which other programs may append. */
export interface CorrectionLog {
  /**
   * The lines that were appended since the last call, in batches. They count as read when the last batch was handled.
   * @param size the size of the file, if it is known
   * @throws Failure `source_changed` if the file was changed in another way
   */
  readonly readNew: (size?: number) => AsyncIterable<readonly CorrectionChange[]>;
  /** Notes that this process has appended its own lines. */
  readonly skipTo: (size: number) => void;
}

/** @param file it may not exist yet */
export function followCorrections(file: string): CorrectionLog {
  let read = 0;
  let inode: number | undefined;
  return {
    async *readNew(given) {
      const found = statSync(file, { throwIfNoEntry: false });
      const size = given ?? found?.size ?? 0;
      if (size < read || (read > 0 && inode !== found?.ino))
        throw new Failure("source_changed", `${file} was replaced by another program`, {
          hint: "check again: the rows are then read with the current corrections",
        });
      inode = found?.ino;
      yield* readAppendedChanges(file, { from: read, to: size });
      read = size;
    },
    skipTo: (size) => {
      read = size;
      inode = statSync(file, { throwIfNoEntry: false })?.ino;
    },
  };
}
