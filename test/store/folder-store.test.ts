import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { storeOptions } from "./scene.ts";
import { describeStore } from "./store-behaviour.ts";
import { temporaryFolder } from "../temporary-folder.ts";

function write(folder: string, keys: readonly string[]): void {
  for (const key of keys) {
    mkdirSync(path.dirname(path.join(folder, key)), { recursive: true });
    writeFileSync(path.join(folder, key), "document");
  }
}

describe("a folder", () => {
  describeStore(async () => ({
    withDocuments: (keys) => {
      const folder = temporaryFolder();
      write(folder, keys);
      return openStore(storeOptions({ location: folder }));
    },
  }));

  test("gives no access to documents of other folders through links or keys", async () => {
    const outside = temporaryFolder();
    write(outside, ["secret.pdf", "beside/a.pdf"]);
    const folder = path.join(outside, "store");
    write(folder, ["real/a.pdf"]);
    symlinkSync(path.join(outside, "secret.pdf"), path.join(folder, "file.pdf"));
    symlinkSync(path.join(outside, "beside"), path.join(folder, "folder"));
    symlinkSync("../../secret.pdf", path.join(folder, "real/up.pdf"));
    symlinkSync("loop.pdf", path.join(folder, "loop.pdf"));
    symlinkSync("real/a.pdf", path.join(folder, "within.pdf"));
    const { has } = await openStore(storeOptions({ location: folder }));
    const keys = ["file.pdf", "folder/a.pdf", "real/up.pdf", "loop.pdf", "../secret.pdf", "within.pdf"];
    expect(await Promise.all(keys.map(has))).toEqual([false, false, false, false, false, true]);
  });

  test("may itself be a link", async () => {
    const outside = temporaryFolder();
    write(path.join(outside, "real"), ["a.pdf"]);
    symlinkSync("real", path.join(outside, "store"));
    const { has } = await openStore(storeOptions({ location: path.join(outside, "store") }));
    expect(await has("a.pdf")).toBe(true);
  });

  test.each(["nowhere", "file.txt"])("must be an existing folder, so %s is refused", async (name) => {
    const folder = temporaryFolder();
    write(folder, ["file.txt"]);
    const refused = openStore(storeOptions({ location: path.join(folder, name) }));
    await expect(refused).rejects.toMatchObject({ code: "config", message: expect.stringContaining(name) });
  });

  test.skipIf(process.getuid?.() === 0)("reports that access was refused instead of a missing document", async () => {
    const folder = temporaryFolder();
    write(folder, ["closed/a.pdf"]);
    const { has } = await openStore(storeOptions({ location: folder }));
    chmodSync(path.join(folder, "closed"), 0o000);
    await expect(has("closed/a.pdf")).rejects.toMatchObject({ code: "store_refused" });
    chmodSync(path.join(folder, "closed"), 0o700);
  });

  test("reports a document as missing if its name is too long", async () => {
    const { has } = await openStore(storeOptions({ location: temporaryFolder() }));
    expect(await has("x".repeat(500))).toBe(false);
  });
});
