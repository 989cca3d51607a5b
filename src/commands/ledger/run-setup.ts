import { readdir } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../files/error-code.ts";
import { isShippedOverlay } from "../../job/contract-files.ts";
import type { Notifier } from "../../job/dependencies.ts";
import { type FileKind, isData } from "../../job/settings/recorded-files.ts";
import { settingsOf } from "../../job/settings/recorded-settings.ts";
import { copyName } from "../../job/settings/setup-paths.ts";
import { relativeName, writeStored } from "../../job/settings/stored-setup.ts";
import type { Run } from "../../ledger/records/run.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { FileProof } from "../../model/proof.ts";
import { readRunLedger, requireRun, type RunSelection } from "../../pipeline/run/run-ledger.ts";

export interface RunSetup {
  readonly run: Run;
  readonly files: readonly ListedFile[];
}

interface ListedFile extends FileProof {
  readonly kind: FileKind;
  /** Whether the ledger contains the file's content as the run read it. */
  readonly isStored: boolean;
}

export async function runSetup({ ledger: locator, run: id }: RunSelection, notifier: Notifier): Promise<RunSetup> {
  return readRunLedger(await openLedgerStore(locator, notifier), async (ledger) => {
    const run = await requireRun(ledger, id);
    const { job, files: recorded } = settingsOf(run);
    const { folder } = job;
    const files: ListedFile[] = [];
    for (const { kind, file, bytes, sha256 } of recorded) {
      const isStored = !isData(kind) && (await ledger.setupFile(sha256)) !== undefined;
      const isInside = file.startsWith(path.join(folder, path.sep));
      files.push({ kind, file: isInside ? path.relative(folder, file) : file, bytes, sha256, isStored });
    }
    return { run, files };
  });
}

export interface WrittenSetup {
  readonly run: string;
  /** Paths of the files, in the order of the run. */
  readonly written: readonly string[];
}

/**
 * Writes the stored files of a run to a folder and keeps their folder structure. Writes bundled overlays to `overlays`.
 * @throws Failure `usage` if the folder is not empty; `run_unknown` if no file of the run is stored; `storage` if a
 * file cannot be written
 */
export async function writeRunSetup(
  { ledger: locator, run: id, out }: RunSelection & { readonly out: string },
  notifier: Notifier,
): Promise<WrittenSetup> {
  return readRunLedger(await openLedgerStore(locator, notifier), async (ledger) => {
    const run = await requireRun(ledger, id);
    const { job, files } = settingsOf(run);
    const names = files.flatMap(({ kind, file, sha256 }) =>
      isData(kind) ? [] : [{ name: copyName(job.folder, file), sha256 }],
    );
    const folder = commonFolder(names.flatMap(({ name }) => (isShippedOverlay(name) ? [] : [name])));
    await requireEmptyFolder(out);
    const written: string[] = [];
    for (const { name, sha256 } of names) {
      const content = await ledger.setupFile(sha256);
      if (content === undefined) continue;
      const target = path.join(out, relativeName(name, folder));
      await writeStored(target, content, "choose another folder with --out");
      written.push(target);
    }
    if (written.length > 0) return { run: run.id, written };
    throw new Failure("run_unknown", `the ledger contains no stored files for run ${run.id}`);
  });
}

function commonFolder(names: readonly string[]): string {
  const [first = "", ...others] = names.map((name) => path.dirname(name));
  let folder = first;
  while (others.some((other) => other !== folder && !other.startsWith(path.join(folder, path.sep))))
    folder = path.dirname(folder);
  return folder;
}

const NEW_FOLDER = "choose a new folder with --out";

async function requireEmptyFolder(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return [];
    throw new Failure("usage", `${folder} cannot be read as a folder`, { hint: NEW_FOLDER, cause: error });
  });
  if (entries.length > 0) throw new Failure("usage", `the folder ${folder} is not empty`, { hint: NEW_FOLDER });
}
