import { lstatSync } from "node:fs";
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { AttrPath } from "../../json/attr.ts";
import type { Place } from "../../model/place.ts";
import type { SourceDocument } from "../../contract/document/yaml-document.ts";
import { isShippedOverlay, pathsFrom } from "../../job/contract-files.ts";
import type { NamingPlace } from "../../job/settings/naming-place.ts";
import { isAddress } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import type { Config } from "./config-schema.ts";

const CONFIG_NAME = "migrate.yaml";

/**
 * Reads the configuration file: the named file, or the nearest `migrate.yaml` in the folder or its parents. Returns an
 * empty configuration if there is no file. Relative paths are relative to the folder, both in the arguments and in the
 * result.
 * @throws Failure `config`, with file and line, for invalid content
 */
export async function readConfig(named: string | undefined, folder: string): Promise<Config> {
  return (await readLocatedConfig(named, folder)).config;
}

/** A configuration, and the document with the position of each setting. The document is absent if there is no file. */
export interface LocatedConfig {
  readonly config: Config;
  readonly document?: SourceDocument;
}

/** Reads the configuration as `readConfig` does, and also returns its document. */
export async function readLocatedConfig(named: string | undefined, folder: string): Promise<LocatedConfig> {
  const file = named ?? findUpwards(folder);
  if (file === undefined) return { config: {} };
  const { text } = await readTextFile(pathsFrom(folder)(file));
  // Imported here because many commands run without a configuration file.
  const { parseDocument } = await import("../../contract/document/yaml-document.ts");
  const { parseConfig } = await import("./config-schema.ts");
  const document = parseDocument({ file, text }, "config");
  const resolve = pathFrom(path.dirname(file));
  const placeOf: NamingPlace = (tried) => document.findText((written) => resolve(written) === path.normalize(tried));
  const placeAt = (at: AttrPath): Place => ({ file, line: document.lineOf(at) });
  return { config: { ...parseConfig(document, resolve), file, placeOf, placeAt }, document };
}

function findUpwards(folder: string, from: string = folder): string | undefined {
  const candidate = path.join(folder, CONFIG_NAME);
  if (isPresent(candidate)) return path.relative(from, candidate);
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findUpwards(parent, from);
}

/** Also returns true for a link without a target, so that reading fails instead of using a file in a parent folder. */
function isPresent(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch {
    return false;
  }
}

function pathFrom(folder: string): (file: string) => string {
  return (file) => {
    if (isShippedOverlay(file) || isAddress(file) || path.isAbsolute(file)) return file;
    return file.startsWith("~/") ? path.join(homedir(), file.slice(2)) : path.join(folder, file);
  };
}

const WRITABLE_BY_OTHERS = 0o002;

/**
 * Refuses a configuration file that any user can change, because it names the platform and the files with credentials.
 * Call it before the first request.
 * @throws Failure `config`
 */
export async function refuseWritableByOthers(configFile: string | undefined): Promise<void> {
  if (configFile === undefined || process.platform === "win32") return;
  const { mode } = await stat(configFile);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new Failure(
    "config",
    `any user can change the configuration file ${configFile}, which selects the platform that receives the records`,
    {
      hint: `remove write access for other users: \`chmod o-w ${configFile}\``,
    },
  );
}
