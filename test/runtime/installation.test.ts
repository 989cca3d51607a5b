import { expect, it } from "vitest";
import { contractCacheFolder } from "../../src/runtime/installation.ts";

it.each([
  ["linux", { XDG_CACHE_HOME: "/caches" }, "/caches/energy-migrate/contracts"],
  ["linux", { XDG_CACHE_HOME: "not/absolute" }, "/home/ada/.cache/energy-migrate/contracts"],
  ["linux", { XDG_CACHE_HOME: "" }, "/home/ada/.cache/energy-migrate/contracts"],
  ["linux", {}, "/home/ada/.cache/energy-migrate/contracts"],
  ["darwin", {}, "/home/ada/Library/Caches/energy-migrate/contracts"],
  ["darwin", { XDG_CACHE_HOME: "/caches" }, "/caches/energy-migrate/contracts"],
  ["win32", { LOCALAPPDATA: "/local" }, "/local/energy-migrate/contracts"],
] as const)("on %s with %j, contracts are cached in %s", (platform, env, folder) => {
  expect(contractCacheFolder({ env, platform, home: "/home/ada" })).toBe(folder);
});
