import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type MappingJob, readMappingFile, saveMapping, writeSetup } from "../../../src/web/mapping/mapping-file.ts";
import { createMappingService } from "../../../src/web/mapping/mapping-service.ts";
import { initDependencies } from "../../commands/init/init-scene.ts";
import { projectFile } from "../../e2e/cli.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

function jobIn(folder: string, more: Partial<MappingJob> = {}): MappingJob {
  const contract = [projectFile("fixtures/contract/contract.yaml")];
  return { folder, contract, sources: [], namedSources: {}, mapping: "mapping.yaml", supplier: "S-1", ...more };
}

test("overwrites only the text that was read, and keeps the mode of the file", async () => {
  const folder = temporaryFolder({ "mapping.yaml": "payload: {}\n" });
  const job = jobIn(folder);
  const { content } = await readMappingFile(job);
  const base = content?.hash;
  const first = await saveMapping(job, { text: "payload: { a: A }\n", base });
  expect(first).toMatchObject({ kind: "saved" });
  expect(await saveMapping(job, { text: "payload: { b: B }\n", base })).toMatchObject({ kind: "changed" });
  expect(readFileSync(path.join(folder, "mapping.yaml"), "utf8")).toBe("payload: { a: A }\n");
  expect(statSync(path.join(folder, "mapping.yaml")).mode & 0o777).toBe(0o600);
});

test("a symbolic link stays, and the file to which it points is replaced", async () => {
  const shared = temporaryFolder({ "mapping.yaml": "payload: {}\n" });
  const folder = temporaryFolder();
  const link = path.join(folder, "mapping.yaml");
  symlinkSync(path.join(shared, "mapping.yaml"), link);
  const { content } = await readMappingFile(jobIn(folder));
  await saveMapping(jobIn(folder), { text: "payload: { a: A }\n", base: content?.hash });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(path.join(shared, "mapping.yaml"), "utf8")).toBe("payload: { a: A }\n");
});

test("refuses to replace a read-only mapping (it used to be replaced)", async () => {
  const folder = temporaryFolder({ "mapping.yaml": "payload: {}\n" });
  chmodSync(path.join(folder, "mapping.yaml"), 0o444);
  const { content } = await readMappingFile(jobIn(folder));
  const saving = saveMapping(jobIn(folder), { text: "payload: { a: A }\n", base: content?.hash });
  await expect(saving).rejects.toMatchObject({
    code: "storage",
    message: expect.stringMatching(/mapping.yaml is read-only$/),
  });
  expect(readFileSync(path.join(folder, "mapping.yaml"), "utf8")).toBe("payload: {}\n");
  expect(readdirSync(folder)).toEqual(["mapping.yaml"]);
});

test("performs exactly one of two simultaneous saves", async () => {
  const folder = temporaryFolder();
  const job = jobIn(folder);
  const texts = ["payload: { a: A }\n", "payload: { b: B }\n"];
  const saved = await Promise.all(texts.map((text) => saveMapping(job, { text, base: undefined })));
  expect(saved.map(({ kind }) => kind)).toEqual(["saved", "changed"]);
  expect(readFileSync(path.join(folder, "mapping.yaml"), "utf8")).toBe(texts[0]);
});

test("does not overwrite a file that was created or deleted in the meantime", async () => {
  const folder = temporaryFolder({ "mapping.yaml": "payload: {}\n" });
  expect(await saveMapping(jobIn(folder), { text: "x", base: undefined })).toMatchObject({ kind: "changed" });
  const other = jobIn(temporaryFolder());
  expect(await saveMapping(other, { text: "x", base: "0".repeat(64) })).toMatchObject({ kind: "changed" });
});

test("names a file that it cannot write, and leaves no temporary file", async () => {
  const folder = temporaryFolder({ "mapping.yaml": "payload: {}\n" });
  const missing = jobIn(folder, { mapping: "missing/mapping.yaml" });
  await expect(saveMapping(missing, { text: "x", base: undefined })).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining("missing/mapping.yaml cannot be written"),
  });
  await saveMapping(jobIn(folder), { text: "x", base: "0".repeat(64) });
  expect(readdirSync(folder)).toEqual(["mapping.yaml"]);
});

test("writes the configuration of a new folder, and adds only the missing settings to an existing configuration", async () => {
  const operation = await createMappingService().operation(
    { job: jobIn(temporaryFolder()), text: "operation: import-account\npayload: {}\n" },
    initDependencies(temporaryFolder()),
  );
  const setup = { operation, configSchema: {} };
  const empty = temporaryFolder();
  const written = await writeSetup(jobIn(empty), setup);
  expect(written.map((file) => path.basename(file))).toEqual([
    "migrate.yaml",
    "mapping.schema.json",
    "migrate.schema.json",
  ]);
  const folder = temporaryFolder({ "migrate.yaml": "# ours\nsupplier: OWN   # agreed\ntarget: test\n" });
  await writeSetup(jobIn(folder, { configFile: "migrate.yaml", encoding: "windows-1252" }), setup);
  const config = readFileSync(path.join(folder, "migrate.yaml"), "utf8");
  expect(config).toMatch(
    /^# ours\nsupplier: OWN {3}# agreed\ntarget: test\ncontract: \S+contract.yaml\nmapping: mapping.yaml\nencoding: windows-1252\n$/,
  );
  writeFileSync(path.join(folder, "mapping.schema.json"), "kept");
  await writeSetup(jobIn(folder, { configFile: "migrate.yaml" }), setup);
  expect(readFileSync(path.join(folder, "migrate.yaml"), "utf8")).toBe(config);
});
