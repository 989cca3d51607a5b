import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { errorCode } from "../../files/error-code.ts";
import { holdFileLock } from "../../files/file-lock.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { remedyOf } from "../../files/write-error.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../../json/json-value.ts";
import { parseJson } from "../../json/parse-json.ts";
import { Failure } from "../../model/failure.ts";
import { SUPPLIER_STATUSES } from "../../model/supplier-status.ts";
import type { ImportedAccount, StateSnapshot } from "./sandbox-state.ts";

interface StateFile {
  readonly stored: StateSnapshot | undefined;
  /** Schedules a write after a change. Changes within a short delay share one write. */
  readonly touch: () => void;
  /**
   * Writes the state a last time, and releases the file.
   * @throws Failure `storage`
   */
  readonly close: () => Promise<void>;
  /** Releases the file without writing. */
  readonly release: () => void;
}

const WRITE_DELAY_MS = 200;

const UNSTORED: StateFile = {
  stored: undefined,
  touch: () => undefined,
  close: () => Promise.resolve(),
  release: () => undefined,
};

/**
 * Opens the data file. Only one sandbox may use it at a time.
 * @param path if absent, nothing is stored
 * @param snapshot returns the state to write; called before every write
 * @throws Failure `storage` if the file is in use, cannot be used or is not a data file of the sandbox
 */
export async function openStateFile(path: string | undefined, snapshot: () => StateSnapshot): Promise<StateFile> {
  if (path === undefined) return UNSTORED;
  let unlock: (() => void) | undefined = lockStateFile(path);
  const release = (): void => {
    unlock?.();
    unlock = undefined;
  };
  const stored = await readSnapshot(path).catch((error: unknown) => {
    release();
    throw error;
  });
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.catch(() => undefined).then(() => writeSnapshot(path, snapshot()));
    return writing;
  };
  const touch = (): void => {
    timer ??= setTimeout(() => void write().catch(() => touch()), WRITE_DELAY_MS);
  };
  const close = async (): Promise<void> => {
    if (unlock === undefined) return;
    await write();
    release();
  };
  return { stored, touch, close, release };
}

/** @throws Failure `storage` if another sandbox, in this process or another, uses the file */
function lockStateFile(path: string): () => void {
  try {
    makeFolder(dirname(path));
  } catch (cause) {
    throw unwritableData(path, cause);
  }
  const unlock = holdFileLock(resolve(path));
  if (unlock !== undefined) return unlock;
  throw new Failure("storage", `${path}: another sandbox uses this data file`, {
    hint: "stop the other sandbox, or choose another file with --data (in a program: `data`)",
  });
}

async function readSnapshot(path: string): Promise<StateSnapshot | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw new Failure("storage", `${path}: the sandbox cannot read its data file`, {
      hint: "check the permissions of the file, or choose another file with --data",
      cause: error,
    });
  }
  const snapshot = snapshotFrom(text);
  if (snapshot !== undefined) return snapshot;
  throw new Failure("storage", `${path} is not a sandbox data file`, {
    hint: "choose another file with --data, or remove this file to start with an empty platform",
  });
}

function snapshotFrom(text: string): StateSnapshot | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const { suppliers, accounts } = value;
  if (!isJsonObject(suppliers) || !isJsonArray(accounts)) return undefined;
  const statuses = Object.entries(suppliers).map(([code, status]) => {
    const known = SUPPLIER_STATUSES.find((one) => one === status);
    return known === undefined ? undefined : ([code, known] as const);
  });
  const imported = accounts.map((account) => (isJsonObject(account) ? accountFrom(account) : undefined));
  if (!statuses.every((one) => one !== undefined) || !imported.every((one) => one !== undefined)) return undefined;
  return { suppliers: Object.fromEntries(statuses), accounts: imported };
}

function accountFrom({ number, supplier, key, importedAt, payload, notes }: JsonObject): ImportedAccount | undefined {
  if (typeof number !== "string" || typeof supplier !== "string" || typeof key !== "string") return undefined;
  if (typeof importedAt !== "string" || !isJsonObject(payload)) return undefined;
  if (!isJsonArray(notes)) return undefined;
  const hashes = notes.filter((hash) => typeof hash === "string");
  return { number, supplier, key, importedAt, payload, notes: hashes };
}

async function writeSnapshot(path: string, snapshot: StateSnapshot): Promise<void> {
  try {
    makeFolder(dirname(path));
    await replaceFile(path, JSON.stringify(snapshot));
  } catch (cause) {
    throw unwritableData(path, cause);
  }
}

function unwritableData(path: string, cause: unknown): Failure {
  return new Failure("storage", `${path}: the sandbox cannot write its data file`, {
    hint: `${remedyOf(cause, path)}, or choose another file with --data`,
    cause,
  });
}
