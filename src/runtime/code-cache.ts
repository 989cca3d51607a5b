import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { buildName, codeCacheFolder } from "./installation.ts";

/**
 * Enables the compile cache of Node.js (22.1 and later) for the program's own files, in the user's cache folder. If the
 * folder cannot be created, or if other users can write to it, the cache stays disabled, and no message is shown.
 */
export function cacheCompiledCode(): void {
  const enable: unknown = Reflect.get(module, "enableCompileCache");
  const build = buildName();
  if (typeof enable !== "function" || build === undefined) return;
  const builds = codeCacheFolder({ env: process.env, platform: process.platform, home: homedir() });
  const folder = path.join(builds, build.replaceAll(/[^\w.]+/g, "-"));
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) makeRoom(builds, folder);
    if (isPrivate(folder)) Reflect.apply(enable, module, [folder]);
  } catch {
    // A missing cache is not an error.
  }
}

/** Maximum number of builds whose caches are kept. The cache of one build takes a few megabytes. */
const MAX_BUILDS = 4;

/**
 * Creates the folder and its three nearest ancestors if they are missing, accessible only to their owner. The folder
 * above these four must exist. Removes the caches of all but the latest builds.
 */
function makeRoom(builds: string, folder: string): void {
  const own = path.dirname(builds);
  for (const one of [path.dirname(own), own, builds, folder]) {
    if (statSync(one, { throwIfNoEntry: false }) === undefined) mkdirSync(one, { mode: 0o700 });
  }
  const all = readdirSync(builds).map((name) => path.join(builds, name));
  const aged = all.map((build) => ({ build, made: statSync(build).mtimeMs }));
  for (const { build } of aged.toSorted((one, other) => other.made - one.made).slice(MAX_BUILDS)) {
    rmSync(build, { recursive: true, force: true });
  }
}

const WRITABLE_BY_OTHERS = 0o022;

/** Whether no other user can write to the folder. Does not follow links, because code in the folder is executed. */
function isPrivate(folder: string): boolean {
  const found = lstatSync(folder);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  return found.isDirectory() && isOwn && (found.mode & WRITABLE_BY_OTHERS) === 0;
}
