import { createHash } from "node:crypto";
import { createReadStream, type Stats, statSync } from "node:fs";
import { Failure } from "../../../model/failure.ts";
import {
  type CorrectionChange,
  type LinesEnd,
  type ListedCorrection,
  readAppendedChanges,
} from "../../../read/corrections/corrections-file.ts";
import { fingerprintFile } from "../../../read/input/source-files.ts";
import { type Correction, identityOf } from "../../../read/corrections/correction.ts";
import type { SessionStore } from "../session/session-store.ts";
import { stampOf } from "../session/watch-files.ts";

/** Returns the corrections in force for the rows with this key, in file order. */
export function correctionsOfKey(store: SessionStore, source: string, key: string): readonly ListedCorrection[] {
  return store
    .all("select body from correction where source = ? and key = ? order by seq", source, key)
    .map(({ body }): ListedCorrection => JSON.parse(String(body)));
}

/** Returns the correction with this identity, if it is in force. */
export function correctionInForce(store: SessionStore, identity: string): Correction | undefined {
  const found = store.one("select body from correction where identity = ?", identity);
  return found && JSON.parse(String(found["body"]));
}

/** Applies lines of the corrections file to the stored corrections. */
export function storeChanges(store: SessionStore, changes: Iterable<CorrectionChange>, seq: () => number): void {
  for (const { change, correction } of changes) {
    const { source, key, column } = correction;
    const identity = identityOf(correction);
    if (change === "unset") store.run("delete from correction where identity = ?", identity);
    else {
      const values = [identity, source, key, column, seq(), JSON.stringify(correction)];
      store.run("insert or replace into correction values (?,?,?,?,?,?)", ...values);
    }
  }
}

/** Follows a corrections file to which other programs may append. */
export interface CorrectionLog {
  /**
   * Yields the lines that were appended since the last call, in batches. A batch counts as read once the caller asks
   * for the next batch.
   * @param size the position at which to stop; the default is the current size of the file
   * @throws Failure `source_changed` if the file has changed in any way except by appending
   */
  readonly readNew: (size?: number) => AsyncIterable<readonly CorrectionChange[]>;
  /** Skips the lines up to `size`, because this process has appended them itself. */
  readonly skipTo: (size: number) => Promise<void>;
  /** Returns the end of the last line that was read. */
  readonly position: () => LinesEnd;
}

/** @param file path of a file that may not exist yet */
export function followCorrections(file: string): CorrectionLog {
  let position: LinesEnd = { end: 0 };
  const prefix = followPrefix(file);
  return {
    position: () => position,
    async *readNew(given) {
      const found = statSync(file, { throwIfNoEntry: false });
      const size = given ?? found?.size ?? 0;
      if (size < position.end || !(await prefix.isSame(found)))
        throw new Failure("source_changed", `another program changed or removed lines of ${file}`, {
          hint: "check again to use the current corrections",
        });
      for await (const { changes, ...end } of readAppendedChanges(file, { from: position.end, to: size })) {
        yield changes;
        position = end;
      }
      await prefix.extend(position.end, found);
    },
    skipTo: async (end) => {
      position = { end };
      await prefix.extend(end, statSync(file, { throwIfNoEntry: false }));
    },
  };
}

/** Tracks the start of a file, which must not change. */
function followPrefix(file: string): {
  /** Whether the start of the file is unchanged. Reads the file only if it has changed since the last `extend`. */
  readonly isSame: (now: Stats | undefined) => Promise<boolean>;
  readonly extend: (end: number, now: Stats | undefined) => Promise<void>;
} {
  const hash = createHash("sha256");
  let [length, stamp] = [0, ""];
  return {
    isSame: async (now) => {
      if (length === 0 || (now !== undefined && stampOf(now) === stamp)) return true;
      return now !== undefined && (await fingerprintFile(file, length)).sha256 === hash.copy().digest("hex");
    },
    extend: async (end, now) => {
      if (end > length)
        for await (const bytes of createReadStream(file, { start: length, end: end - 1 })) hash.update(bytes);
      length = end;
      stamp = stampOf(now);
    },
  };
}
