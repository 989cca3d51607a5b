import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readManifest } from "../../src/corrections/read-manifest.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const FOREIGN = { code: "config", message: expect.stringContaining("another user may have changed this file") };

test("a manifest that is a link is refused", async () => {
  const folder = temporaryFolder();
  const other = path.join(temporaryFolder(), "other.json");
  writeFileSync(other, "{}", { mode: 0o600 });
  symlinkSync(other, path.join(folder, "rejects.json"));
  await expect(readManifest(folder)).rejects.toMatchObject({ ...FOREIGN, hint: expect.stringContaining("the link") });
});

test("a manifest in a folder to which all users can write is refused", async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "rejects.json"), "{}", { mode: 0o600 });
  await expect(readManifest(folder)).rejects.not.toMatchObject(FOREIGN);
  chmodSync(folder, 0o777);
  await expect(readManifest(folder)).rejects.toMatchObject({ ...FOREIGN, hint: expect.stringContaining("every user") });
});
