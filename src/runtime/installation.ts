import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { ContractCache } from "../job/contract-cache.ts";

/** The settings that determine the location of a user's cache and state folders. */
interface CacheSettings {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly home: string;
}

/**
 * Returns the cache of compiled contracts. It is in the user's cache folder, as defined by the XDG Base Directory
 * Specification or, on macOS and Windows, by convention. Returns undefined for a program that was not built, because
 * its versions cannot be distinguished.
 */
export function contractCache(settings: CacheSettings): ContractCache | undefined {
  const version = buildName();
  return version === undefined ? undefined : { folder: contractCacheFolder(settings), version };
}

export function contractCacheFolder(settings: CacheSettings): string {
  return path.join(userCacheFolder(settings), "energy-migrate", "contracts");
}

/** Returns the folder of the Node.js compile cache for the program's own files. */
export function codeCacheFolder(settings: CacheSettings): string {
  return path.join(userCacheFolder(settings), "energy-migrate", "code");
}

/** Returns the folder for data that must outlive the cache: evidence of sent records. */
export function userStateFolder({ env, platform, home }: CacheSettings): string {
  const { XDG_STATE_HOME: xdg = "", LOCALAPPDATA: local = "" } = env;
  if (path.isAbsolute(xdg)) return path.join(xdg, "migrate");
  if (platform === "darwin") return path.join(home, "Library/Application Support/migrate");
  if (platform === "win32" && path.isAbsolute(local)) return path.join(local, "migrate", "State");
  return path.join(home, ".local/state/migrate");
}

function userCacheFolder({ env, platform, home }: CacheSettings): string {
  const { XDG_CACHE_HOME: xdg = "", LOCALAPPDATA: local = "" } = env;
  if (path.isAbsolute(xdg)) return xdg;
  if (platform === "darwin") return path.join(home, "Library/Caches");
  return platform === "win32" && path.isAbsolute(local) ? local : path.join(home, ".cache");
}

/** Identifies the version and the build of this program; undefined if the program was not built. */
export function buildName(): string | undefined {
  return import.meta.filename.endsWith(".js") ? `${packageVersion()} ${buildStamp()}`.trim() : undefined;
}

/** Returns the hash that the build computed over its files; empty for a released package, which has no such hash. */
function buildStamp(): string {
  const file = path.join(import.meta.dirname, "../.built");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

export function packageVersion(): string {
  return manifest().version;
}

/** Returns the versions of Node.js on which the package runs, such as `^20.19.0 || >=22.12.0`. */
export function requiredNode(): string {
  return manifest().engines.node;
}

/** Returns the folder of the documentation, which is part of the package. */
export function documentationFolder(): string {
  return path.join(path.dirname(manifestFile()), "docs");
}

function manifestFile(): string {
  return createRequire(import.meta.url).resolve("../../package.json");
}

function manifest(): { readonly version: string; readonly engines: { readonly node: string } } {
  return createRequire(import.meta.url)(manifestFile());
}
