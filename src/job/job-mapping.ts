import path from "node:path";
import type { Operation } from "../contract/operations/operation.ts";
import type { MappingValues } from "../map/compile-context.ts";
import { compileMapping } from "../map/compile-mapping.ts";
import { type MappingDocument, readMapping } from "../map/document/mapping-document.ts";
import type { MappingFunctions } from "../map/leaf/function-calls.ts";
import type { Mapping } from "../map/mapping.ts";
import { passThrough } from "../map/pass-through.ts";
import { interruptibleSoon } from "../model/interruptible.ts";
import { readLookup } from "../read/lists/lookup-table.ts";
import { readTextFile } from "../read/text/text-file.ts";
import { pathsFrom } from "./contract-files.ts";
import type { Notifier } from "./dependencies.ts";
import { functionFiles, loadFunctions } from "./functions/load-functions.ts";
import type { JobSettings } from "./settings/job-settings.ts";
import { type NamingPlace, withNamingPlace } from "./settings/naming-place.ts";
import { setupPaths } from "./settings/setup-paths.ts";

export interface MappingFile {
  readonly kind: "lookup" | "functions";
  readonly path: string;
}

/** The settings that determine how a mapping is compiled. */
type MappingSettings = Pick<JobSettings, "folder" | "mapping"> &
  Partial<Pick<JobSettings, "supplier" | "rejects" | "functionTimeout" | "copies">>;

interface MappingEnvironment {
  /** Stops the functions of the mapping. */
  readonly signal?: AbortSignal | undefined;
  /** Shows a notice about a lookup table. */
  readonly notice?: Notifier["notice"] | undefined;
}

/** Returns undefined if the settings name no mapping. */
export async function readJobMapping(settings: JobSettings): Promise<MappingDocument | undefined> {
  if (settings.mapping === undefined) return undefined;
  const file = pathsFrom(settings.folder)(settings.mapping);
  return readMapping(await readTextFile(file, setupPaths(settings)(file)));
}

/** Returns a function that finds the place where a mapping names a file. Messages about the file show this place. */
export function namingPlaceIn(document: MappingDocument | undefined, settings: MappingSettings): NamingPlace {
  const resolve = resolverOf(settings);
  return (file) => document?.findText((text) => resolve(text) === file);
}

/** Compiles a mapping for an operation. Without a mapping, the sources already contain payloads. */
export async function mappingOf(
  document: MappingDocument | undefined,
  operation: Operation,
  settings: JobSettings,
  environment: MappingEnvironment = {},
): Promise<Mapping> {
  if (document === undefined) return passThrough(operation);
  return withNamingPlace(namingPlaceIn(document, settings), () => compile(document, operation, settings, environment));
}

async function compile(
  document: MappingDocument,
  operation: Operation,
  settings: JobSettings,
  environment: MappingEnvironment,
): Promise<Mapping> {
  const values = await mappingValuesOf(document, settings, environment);
  try {
    return await interruptibleSoon(() => compileMapping(document, operation, values));
  } catch (error) {
    await values.functions.close();
    throw error;
  }
}

/**
 * Loads the lookup tables and the functions of a mapping. The caller must close the functions.
 * @throws the failures of `readLookup` and `loadFunctions`
 */
export async function mappingValuesOf(
  document: MappingDocument,
  settings: MappingSettings,
  { signal, notice }: MappingEnvironment = {},
): Promise<MappingValues> {
  const lookups = await lookupsOf(document, settings, notice);
  const functions = await functionsOf(document, settings, signal);
  const { supplier } = settings;
  return {
    ...(supplier !== undefined && { supplier }),
    lookups,
    functions,
    isReimport: settings.rejects !== undefined,
  };
}

/**
 * Returns the lookup tables that are in files, by path as written in the mapping.
 * @throws the failures of `readLookup`
 */
export async function lookupsOf(
  document: MappingDocument,
  settings: MappingSettings,
  notice?: Notifier["notice"],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const [resolve, pathOf] = [resolverOf(settings), setupPaths(settings)];
  const tables = document.lookupFiles.map(
    async (file) => [file, await readLookup(resolve(file), { from: pathOf(resolve(file)), notice })] as const,
  );
  return new Map(await Promise.all(tables));
}

/**
 * Loads the functions of a mapping. The caller must close the result.
 * @throws the failures of `loadFunctions`
 */
export function functionsOf(
  document: MappingDocument,
  settings: MappingSettings,
  signal: AbortSignal | undefined,
): Promise<MappingFunctions> {
  const [resolve, pathOf] = [resolverOf(settings), setupPaths(settings)];
  return loadFunctions(document, (file) => pathOf(resolve(file)), { timeoutSeconds: settings.functionTimeout, signal });
}

/** Returns the lookup files of a mapping and the files that define its functions. */
export async function filesOfMapping(
  document: MappingDocument,
  settings: JobSettings,
): Promise<readonly MappingFile[]> {
  const resolve = resolverOf(settings);
  const functions = await functionFiles(document, resolve, setupPaths(settings));
  return [
    ...document.lookupFiles.map((file) => ({ kind: "lookup", path: resolve(file) }) as const),
    ...functions.map((file) => ({ kind: "functions", path: file }) as const),
  ];
}

/** Returns a function that resolves the paths in a mapping. These paths are relative to the folder of the mapping. */
export function resolverOf(settings: MappingSettings): (file: string) => string {
  const folder = path.dirname(pathsFrom(settings.folder)(settings.mapping ?? "."));
  return (file) => (path.isAbsolute(file) || file === "-" ? file : path.join(folder, file));
}
