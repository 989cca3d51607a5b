import { hash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { setupTexts, writeInitFiles } from "../../commands/init/init.ts";
import { relativePath } from "../../commands/init/write/mapping-text.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { unlessMissing } from "../../files/error-code.ts";
import { fileToEdit, openDraft, rewriteFile, syncFolder } from "../../files/replace-file.ts";
import { remedyOf } from "../../files/write-error.ts";
import { isShippedOverlay, pathsFrom } from "../../job/contract-files.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import type { JsonObject } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import { createMutex } from "../../time/mutex.ts";
import { editYaml } from "./yaml/edit-yaml.ts";

/** Settings with the path of a mapping. The mapping may not exist yet. */
export type MappingJob = JobSettings & { readonly mapping: string };

/** Returns the path of the mapping as shown in messages. */
export function mappingPath({ folder, mapping }: MappingJob): string {
  return pathsFrom(folder)(mapping);
}

/**
 * Returns a path as the mapping names it, relative to the folder of the mapping.
 * @param file relative to the folder of the project
 */
export function pathInMapping(job: MappingJob, file: string): string {
  return relativePath(pathsFrom(job.folder)(file), path.dirname(mappingPath(job)));
}

export interface MappingFile {
  /** The path as shown in messages. */
  readonly file: string;
  /** Absent if the file does not exist. */
  readonly content?: { readonly text: string; readonly hash: string };
}

/** @throws Failure `config` if the file exists but cannot be read */
export async function readMappingFile(job: MappingJob): Promise<MappingFile> {
  const file = mappingPath(job);
  if (unlessMissing(() => statSync(file)) === undefined) return { file };
  const { text } = await readTextFile(file);
  return { file, content: { text, hash: hash("sha256", text) } };
}

export interface MappingSave {
  readonly text: string;
  /** The hash of the file from which the text was derived; undefined if there was no file. */
  readonly base: string | undefined;
}

/** `changed`: the file has changed since the text was derived from it, and nothing was written. */
export type SavedMapping =
  | { readonly kind: "saved"; readonly hash: string; readonly written: readonly string[] }
  | { readonly kind: "changed"; readonly file: string };

const inOrder = createMutex();

/**
 * Replaces the entire mapping file, unless the file has changed since the text was derived from it. Saves run one after
 * another.
 * @throws Failure `storage` if the file cannot be written
 */
export function saveMapping(job: MappingJob, save: MappingSave): Promise<SavedMapping> {
  return inOrder(() => replaceMapping(job, save));
}

/**
 * Writes the replacement to the disk before comparing the file, so that other programs have almost no time to change
 * the file after the comparison.
 */
async function replaceMapping(job: MappingJob, { text, base }: MappingSave): Promise<SavedMapping> {
  const { target: file, mode } = await fileToEdit(mappingPath(job));
  const draft = await openDraft(file, randomBytes(6).toString("hex"), mode).catch((error: unknown) =>
    refuseUnwritable(file, error),
  );
  try {
    await draft.append(text);
    await draft.close(true);
    if ((await readMappingFile(job)).content?.hash !== base) {
      await draft.discard();
      return { kind: "changed", file };
    }
    await draft.rename();
    await syncFolder(path.dirname(file));
  } catch (error) {
    await draft.discard();
    return refuseUnwritable(file, error);
  }
  return { kind: "saved", hash: hash("sha256", text), written: [file] };
}

function refuseUnwritable(file: string, cause: unknown): never {
  if (cause instanceof Failure) throw cause;
  throw new Failure("storage", `${file} cannot be written`, { hint: remedyOf(cause, file), cause });
}

export interface SetupFiles {
  readonly operation: Operation;
  readonly configSchema: JsonObject;
}

/**
 * Prepares the folder for all commands after the first mapping is saved. Writes `migrate.yaml` and the schemas, or adds
 * missing settings to an existing configuration. Returns the paths of the written files.
 */
export async function writeSetup(job: MappingJob, { operation, configSchema }: SetupFiles): Promise<readonly string[]> {
  const { folder, configFile } = job;
  const out = configFile === undefined ? folder : path.dirname(pathsFrom(folder)(configFile));
  const { written } = await writeInitFiles(out, setupTexts(job, { out, operation, configSchema }));
  if (configFile === undefined) return written;
  const file = pathsFrom(folder)(configFile);
  const { text } = await readTextFile(file);
  const made = withSettings(file, text, job, out);
  if (made !== text) await rewriteFile(file, made).catch((error: unknown) => refuseUnwritable(file, error));
  return made === text ? written : [...written, file];
}

function withSettings(file: string, text: string, job: MappingJob, out: string): string {
  const relative = (name: string): string => relativePath(pathsFrom(job.folder)(name), out);
  const [contract, ...overlays] = job.contract.map((name) => (isShippedOverlay(name) ? name : relative(name)));
  const wanted = {
    contract: overlays.length === 0 ? contract : [contract ?? "", ...overlays],
    mapping: relative(job.mapping),
    supplier: job.supplier,
    encoding: job.encoding,
  };
  let made = text;
  for (const [name, value] of Object.entries(wanted)) {
    if (value === undefined || new RegExp(`^["']?${name}["']?\\s*:`, "m").test(text)) continue;
    made = editYaml(file, made, { path: [name], value });
  }
  return made;
}
