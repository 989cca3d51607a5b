import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { errorCode } from "../../files/error-code.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { Failure } from "../../model/failure.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import type { NumberRange } from "./owner-shares.ts";

/**
 * The latest export of a run's packages. This information is stored next to the ledger, even if the packages are in
 * another folder.
 */
export interface ExportedPackages {
  readonly version: 1;
  readonly run: string;
  /** ISO 8601 UTC. */
  readonly exportedAt: string;
  readonly packages: readonly ExportedPackage[];
}

export interface ExportedPackage {
  readonly owner: string;
  /** Absolute path. */
  readonly folder: string;
  /** The numbers of the package's records within the run. */
  readonly records: readonly NumberRange[];
}

const exportSchema: z.ZodType<ExportedPackages> = z.object({
  version: z.literal(1),
  run: z.string(),
  exportedAt: z.string(),
  packages: z.array(
    z.object({
      owner: z.string(),
      folder: z.string(),
      records: z.array(z.tuple([z.number(), z.number()])),
    }),
  ),
});

const EXPORT_FILE = "owners.json";

/**
 * Reads the latest export of a run's packages. Returns undefined if there was no export on this machine.
 * @throws Failure `storage` if the file cannot be read
 */
export async function readExport(store: LedgerStore, run: string): Promise<ExportedPackages | undefined> {
  const file = exportFile(store, run);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
    throw unreadable(file, error);
  });
  if (text === undefined) return undefined;
  try {
    return exportSchema.parse(JSON.parse(text));
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** @throws Failure `storage` if the file cannot be written */
export async function writeExport(store: LedgerStore, exported: ExportedPackages): Promise<void> {
  const file = exportFile(store, exported.run);
  try {
    makeFolder(path.dirname(file));
    await replaceFile(file, `${printableJson(exported)}\n`);
  } catch (error) {
    throw new Failure("storage", `${file}: cannot record the exported packages`, {
      hint: "the packages are complete; run the same command again, so that `migrate status --by owner` counts them",
      cause: error,
    });
  }
}

function exportFile({ folder }: LedgerStore, run: string): string {
  return path.join(folder, "runs", run, EXPORT_FILE);
}

function unreadable(file: string, cause: unknown): Failure {
  return new Failure("storage", `${file}: the list of exported packages cannot be read`, {
    hint: "remove this file, and run `migrate report --by-owner` again",
    cause,
  });
}
