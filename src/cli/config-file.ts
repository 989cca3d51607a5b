import { existsSync } from "node:fs";
import path from "node:path";
import { parseDocument } from "../contract/document.ts";
import { readTextFile } from "../read/text-file.ts";
import { pathsFrom } from "../run/paths-from.ts";
import { isShippedOverlay } from "../run/shipped-overlay.ts";
import { type Config, type Store, type Target, understood, type WrittenConfig } from "./config-schema.ts";

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
  return { ...resolvePaths(understood(document), path.dirname(file)), file };
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
    ...(config.ledger && { ledger: config.ledger.includes("://") ? config.ledger : at(config.ledger) }),
    ...(config.store && { store: resolveStore(config.store, at) }),
    ...(config.targets && {
      targets: Object.fromEntries(
        Object.entries(config.targets).map(([name, target]) => [name, resolveTarget(target, at)]),
      ),
    }),
  };
}

function resolveTarget(target: Target, at: (file: string) => string): Target {
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

function resolveStore({ location, ca, credentialsFile, ...store }: Store, at: (file: string) => string): Store {
  return {
    ...store,
    ...(location && { location: location.includes("://") ? location : at(location) }),
    ...(ca && { ca: at(ca) }),
    ...(credentialsFile && { credentialsFile: at(credentialsFile) }),
  };
}
