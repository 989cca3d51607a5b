import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { parseDocument } from "../../contract/document/yaml-document.ts";
import { isShippedOverlay, pathsFrom } from "../../job/contract-files.ts";
import { isAddress } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import type { Config, StoreConfig, TargetConfig, WrittenConfig } from "./config-schema.ts";
import { parseConfig } from "./config-schema.ts";

const CONFIG_NAME = "migrate.yaml";

/**
 * Reads the configuration file: the one named, or the nearest `migrate.yaml` in the folder or above it.
 * An empty configuration when there is none. Relative paths, given and returned, are relative to the folder.
 * @throws Failure `config`, with file and line, for anything in it that is not understood.
 */
export async function readConfig(named: string | undefined, folder: string): Promise<Config> {
  const file = named ?? findUpwards(folder);
  if (file === undefined) return {};
  const { text } = await readTextFile(pathsFrom(folder)(file));
  const document = parseDocument({ file, text }, "config");
  return { ...resolvePaths(parseConfig(document), path.dirname(file)), file };
}

function findUpwards(folder: string, from: string = folder): string | undefined {
  const candidate = path.join(folder, CONFIG_NAME);
  if (existsSync(candidate)) return path.relative(from, candidate);
  const parent = path.dirname(folder);
  return parent === folder ? undefined : findUpwards(parent, from);
}

function resolvePaths(config: WrittenConfig, folder: string): Config {
  const at = (file: string): string =>
    isShippedOverlay(file) || path.isAbsolute(file) ? file : path.join(folder, file);
  const contract = typeof config.contract === "string" ? [config.contract] : config.contract;
  return {
    ...config,
    contract: contract?.map(at),
    ...(config.mapping && { mapping: at(config.mapping) }),
    ...(config.references && {
      references: Object.fromEntries(Object.entries(config.references).map(([name, file]) => [name, at(file)])),
    }),
    ...(config.out && { out: at(config.out) }),
    ...(config.ledger && { ledger: isAddress(config.ledger) ? config.ledger : at(config.ledger) }),
    ...(config.store && { store: resolveStore(config.store, at) }),
    ...(config.targets && {
      targets: Object.fromEntries(
        Object.entries(config.targets).map(([name, target]) => [name, resolveTarget(target, at)]),
      ),
    }),
  };
}

function resolveTarget(target: TargetConfig, at: (file: string) => string): TargetConfig {
  const { auth } = target;
  return {
    ...target,
    ...(target.ca && { ca: at(target.ca) }),
    ...(auth && {
      auth: {
        ...auth,
        ...(auth.apiKeyFile && { apiKeyFile: at(auth.apiKeyFile) }),
        ...(auth.tokenFile && { tokenFile: at(auth.tokenFile) }),
      },
    }),
  };
}

function resolveStore(
  { location, ca, credentialsFile, ...store }: StoreConfig,
  at: (file: string) => string,
): StoreConfig {
  return {
    ...store,
    ...(location && { location: location.includes("://") ? location : at(location) }),
    ...(ca && { ca: at(ca) }),
    ...(credentialsFile && { credentialsFile: at(credentialsFile) }),
  };
}

const WRITABLE_BY_OTHERS = 0o002;

/**
 * Asks, before anything is sent, that nobody else can have changed where it goes: the configuration file names the
 * platform, and the files that hold credentials. Commands that send nothing do not mind.
 * @throws Failure `config`
 */
export async function refuseWritableByOthers(configFile: string | undefined): Promise<void> {
  if (configFile === undefined || process.platform === "win32") return;
  const { mode } = await stat(configFile);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new Failure("config", `anybody may change the configuration file ${configFile}, which says where to send`, {
    hint: `let nobody else write to it: \`chmod o-w ${configFile}\``,
  });
}
