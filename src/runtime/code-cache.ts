import { lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { buildName, codeCacheFolder } from "./installation.ts";

/**
 * Lets Node.js (22.1 and newer) keep the compiled code of the program's own files in the user's cache folder, and take it
 * from there the next time. Where the folder cannot be made, or others could write to it, nothing is kept, and nothing
 * said.
 */
export function keepCompiledCode(): void {
  const enable: unknown = Reflect.get(module, "enableCompileCache");
  const build = buildName();
  if (typeof enable !== "function" || build === undefined) return;
  const builds = codeCacheFolder({ env: process.env, platform: process.platform, home: homedir() });
  const folder = path.join(builds, build.replaceAll(/[^\w.]+/g, "-"));
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) makeRoom(builds, folder);
    if (isOursAlone(folder)) Reflect.apply(enable, module, [folder]);
  } catch {
    // A cache that cannot be made is a cache that is not there.
  }
}

/** Some megabytes each. */
const MAX_BUILDS = 4;

/** Readable by its owner alone, with the two folders around it; what lies above those has to exist. */
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

/** Follows no link: what lies in the folder is run. */
function isOursAlone(folder: string): boolean {
  const found = lstatSync(folder);
  const isOwn = process.getuid === undefined || found.uid === process.getuid();
  return found.isDirectory() && isOwn && (found.mode & WRITABLE_BY_OTHERS) === 0;
}
