import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Failure } from "../model/failure.ts";
import { getOrAdd } from "../model/groups.ts";
import { makeFolder } from "./make-folder.ts";
import { DatabaseSync, type Statement } from "./sqlite.ts";
import { remedyOf } from "./write-error.ts";

/** A private database on disk. It need not be durable, because its data can be computed again. */
export interface TemporaryDatabase {
  readonly database: InstanceType<typeof DatabaseSync>;
  readonly file: string;
  /**
   * Returns the statement for a query or a change. Prepares each statement only once, and keeps a reference to it:
   * Node.js 20 crashes with a segmentation fault if a statement is garbage-collected before its iterator has ended.
   */
  readonly prepared: (sql: string) => Statement;
  /** Closes the database and removes its file. */
  readonly close: () => void;
}

interface TemporaryData {
  /** The start of the file name. */
  readonly prefix: string;
  /** A description of the data, for messages. */
  readonly data: string;
  /** Hint of the failure; default: free disk space or choose another folder. */
  readonly hint?: string;
}

/**
 * Creates a database (0600) in `folder` (created if missing, 0700).
 * @throws Failure `storage`
 */
export function createTemporaryDatabase(folder: string, data: TemporaryData): TemporaryDatabase {
  const file = path.join(folder, `${data.prefix}-${randomUUID()}.db`);
  try {
    makeFolder(folder);
    writeFileSync(file, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw cannotStore(file, data, error);
  }
  const database = new DatabaseSync(file);
  const statements = new Map<string, Statement>();
  return {
    database,
    file,
    prepared: (sql) => getOrAdd(statements, sql, () => database.prepare(sql)),
    close: () => {
      database.close();
      rmSync(file, { force: true });
    },
  };
}

export function cannotStore(file: string, { data, hint }: TemporaryData, cause: unknown): Failure {
  return new Failure("storage", `${file}: cannot store ${data}`, {
    hint: hint ?? `${remedyOf(cause, path.dirname(file))}, or choose another folder for temporary files (TMPDIR)`,
    cause,
  });
}
