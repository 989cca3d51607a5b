import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { Failure } from "../../src/model/failure.ts";
import { findFiles, MAX_GLOB_ENTRIES } from "../../src/read/input/source-files.ts";
import { temporaryFolder } from "../temporary-folder.ts";

it.skipIf(process.platform !== "linux")(
  "excludes a file whose name is not UTF-8 from a glob, with a notice",
  async () => {
    const folder = temporaryFolder({ "a.csv": "a\n1\n", "b.csv": "a\n2\n" });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff]), Buffer.from(".csv")]), "a\n3\n");
    const notices: string[] = [];
    const found = await findFiles([`${folder}/*.csv`], { notify: (file, text) => notices.push(`${file} ${text}`) });
    expect(found.map((file) => path.basename(file.path))).toEqual(["a.csv", "b.csv"]);
    expect(notices).toEqual([expect.stringContaining("its name is not UTF-8")]);
  },
);

it("stops at a glob that covers more files and folders than the limit", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "many"));
  for (let at = 0; at < 2100; at += 1) writeFileSync(path.join(folder, "many", `${at}.csv`), "");
  const failure = await findFiles([`${folder}/**/*.csv`], { notify: () => undefined, maxEntries: 2000 }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Failure);
  expect(String(failure)).toContain("covers more than 2,000 files and folders");
  expect(await findFiles([`${folder}/**/*.csv`], { notify: () => undefined })).toHaveLength(2100);
  expect(MAX_GLOB_ENTRIES).toBe(200_000);
});

it("stops expanding a glob when the signal is aborted", async () => {
  const folder = temporaryFolder({ "a.csv": "a\n1\n" });
  const reading = { notify: () => undefined, signal: AbortSignal.abort() };
  await expect(findFiles([`${folder}/**/*.csv`], reading)).rejects.toMatchObject({ code: "incomplete" });
});
