import type * as fsModule from "node:fs/promises";
import path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { replaceFile } from "../../src/files/replace-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const done: string[] = [];

vi.mock("node:fs/promises", async (original) => {
  const fs = await original<typeof fsModule>();
  return {
    ...fs,
    async open(...given: Parameters<typeof fs.open>) {
      const handle = await fs.open(...given);
      const sync = handle.sync.bind(handle);
      handle.sync = async () => {
        done.push(`sync ${path.basename(String(given[0]))}`);
        await sync();
      };
      return handle;
    },
    async rename(from: string, to: string) {
      done.push(`rename ${path.basename(to)}`);
      await fs.rename(from, to);
    },
  };
});

beforeEach(() => void done.splice(0));

test("a file is on disk before it is renamed, and the new name is on disk before the replacement ends", async () => {
  const folder = temporaryFolder();
  await replaceFile(path.join(folder, "report.json"), "{}", { tag: "new" });
  expect(done).toEqual(["sync .report.json.new.tmp", "rename report.json", `sync ${path.basename(folder)}`]);
});

test("a file that can be recreated is not synced to disk", async () => {
  await replaceFile(path.join(temporaryFolder(), "cache.json"), "{}", { durable: false });
  expect(done).toEqual(["rename cache.json"]);
});
