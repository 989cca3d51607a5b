import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import module from "node:module";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { projectFile } from "../e2e/cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Node.js 20 has no compile cache. */
const keepsCode = typeof Reflect.get(module, "enableCompileCache") === "function";

function help(cacheHome: string): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const { NODE_DISABLE_COMPILE_CACHE: _, ...others } = process.env;
  const env = { ...others, XDG_CACHE_HOME: cacheHome };
  return spawnSync(process.execPath, [projectFile("bin/migrate.js"), "--help"], { env, encoding: "utf8" });
}

function buildsIn(cacheHome: string): readonly string[] {
  const folder = path.join(cacheHome, "energy-migrate/code");
  return existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

describe("compiled code", () => {
  it("is cached in a private folder if Node.js supports it, and does not change the output of a command", () => {
    const cacheHome = temporaryFolder();
    const [first, second] = [help(cacheHome), help(cacheHome)];
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(second.stdout).toBe(first.stdout);
    const builds = buildsIn(cacheHome);
    expect(builds).toHaveLength(keepsCode ? 1 : 0);
    for (const build of builds) {
      expect(statSync(build).mode & 0o777).toBe(0o700);
      expect(readdirSync(build)).not.toEqual([]);
    }
  });

  it("is cached for at most four builds", () => {
    const cacheHome = temporaryFolder();
    for (let build = 0; build < 6; build += 1) {
      mkdirSync(path.join(cacheHome, "energy-migrate/code", `0.0.${build}`), { recursive: true });
    }
    expect(help(cacheHome).status).toBe(0);
    expect(buildsIn(cacheHome)).toHaveLength(keepsCode ? 4 : 6);
  });

  it.runIf(keepsCode)("is not loaded from a folder that other users can write to", () => {
    const cacheHome = temporaryFolder();
    help(cacheHome);
    expect(buildsIn(cacheHome)).toHaveLength(1);
    for (const build of buildsIn(cacheHome)) {
      for (const name of readdirSync(build)) chmodSync(path.join(build, name), 0o500);
      chmodSync(build, 0o777);
      const before = statSync(build).mtimeMs;
      expect(help(cacheHome)).toMatchObject({ status: 0, stderr: "" });
      expect(statSync(build).mtimeMs).toBe(before);
    }
  });

  it("is not cached if the folder cannot be created, and this causes no failure", () => {
    const cacheHome = path.join(temporaryFolder(), "file");
    writeFileSync(cacheHome, "");
    expect(help(cacheHome)).toMatchObject({ status: 0, stderr: "" });
  });
});
