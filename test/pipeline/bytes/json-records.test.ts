import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { campaignSize } from "../../campaign.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { goodRecord, JSON_MAPPING, jsonFile, jsonMapping, ndjsonFile } from "./odd-json.ts";
import { CONTRACT } from "./odd-records.ts";
import { openFolder } from "./open-folder.ts";
import { expectSamePlans, onRowPath, plannedTexts, SENT } from "./planned-chunks.ts";

function folderOf(files: Readonly<Record<string, string>>): string {
  return temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": JSON_MAPPING, ...files });
}

test.each([
  ["things.ndjson", ndjsonFile],
  ["things.json", jsonFile],
])("plans from bytes the same records of %s as the row path", async (name, file) => {
  const folder = folderOf({});
  await fc.assert(
    fc.asyncProperty(jsonMapping, file, async (mapping, content) => {
      writeFileSync(path.join(folder, "mapping.yaml"), mapping);
      writeFileSync(path.join(folder, name), content);
      await expectSamePlans(folder);
      rmSync(path.join(folder, name));
    }),
    { numRuns: campaignSize({ part: 25, whole: 40 }) },
  );
});

test("leaves records to the row path if the names in an object are data", async () => {
  const records = Array.from({ length: 120 }, (_, record) => {
    const names = Array.from({ length: 100 }, (_name, index) => `"${record}-${index}":1`);
    return goodRecord({ REF: `"B${record}"`, EXTRA: `{${names.join(",")}}` });
  });
  const folder = folderOf({ "things.ndjson": `${[...records, goodRecord({})].join("\n")}\n` });
  await expectSamePlans(folder);
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  const others = await onRowPath(job);
  expect(others?.length).toBeGreaterThan(15);
  expect(others?.length).toBeLessThan(30);
  expect(others).not.toContain(120);
});

test("finds an item of a list whose index in the mapping starts with a zero", async () => {
  const records = [goodRecord({}), goodRecord({ MAILS: '[{"TO":"a@b.example"},{"TO":"none"}]' })];
  const folder = folderOf({ "things.ndjson": `${records.join("\n")}\n` });
  writeFileSync(path.join(folder, "mapping.yaml"), JSON_MAPPING.replace("MAILS.1.TO", "MAILS.01.TO"));
  await expectSamePlans(folder);
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  expect(await onRowPath(job)).toEqual([0, 1]);
});

test("leaves a business key with an escaped invisible character to the row path", async () => {
  const records = [goodRecord({}), goodRecord({ REF: String.raw`"A\u200b1"` })];
  const folder = folderOf({ "things.ndjson": `${records.join("\n")}\n` });
  await expectSamePlans(folder);
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  expect(await onRowPath(job)).toEqual([1]);
});

test("reads a number below 0.000001 without an exponent", async () => {
  const small = goodRecord({ RATE: "0.00000010", PLACE: '{"STREET":-0.0000002,"TOWN":"Bath"}' });
  const folder = folderOf({ "things.ndjson": `${small}\n` });
  await expectSamePlans(folder);
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  expect(await onRowPath(job)).toEqual([]);
  const [[, text = ""] = []] = await plannedTexts(job);
  expect(JSON.parse(text)).toMatchObject({ rate: "0.0000001", place: { street: "-0.0000002" } });
});

test.each([
  ["an unpaired surrogate", { NAME: '"A\\ud83d"' }],
  ["an escaped control character", { NAME: '"\\u000bAnn"' }],
  ["an escaped NUL", { NAME: '"A\\u0000"' }],
  ["an invalid escape", { NAME: '"A\\x"' }],
  ["a number that loses digits", { EXTRA: "1234567890.12345678" }],
  ["a member that is also a path", { "PLACE.TOWN": '"York"' }],
  ["a repeated name in an object that the mapping does not read", { EXTRA: '{"x":1,"x":1}' }],
  ["the name of a JavaScript property", { constructor: '"x"' }],
])("leaves a record with %s to the row path", async (_, changes) => {
  const job = await openFolder(folderOf({ "things.ndjson": `${goodRecord({})}\n${goodRecord(changes)}\n` }));
  onTestFinished(() => job.input.close());
  expect(await onRowPath(job)).toEqual([1]);
});

test.each(["things.ndjson", "things.json"])(
  "does not need the row path for well-formed records of %s",
  async (name) => {
    const records = [
      goodRecord({}),
      goodRecord({ REF: "7", COUNT: "3", ACTIVE: "1" }),
      goodRecord({ REF: '"\\u0041\\/1"', NAME: '"Zo\\u00eb"' }),
      goodRecord({ REF: "7.50", BALANCE: "12.50" }),
      goodRecord({ REF: '"A6"', KIND: "null", RATE: "null", PLACE: '{"STREET":"1 High St"}' }),
      goodRecord({ REF: '"A2"', EXTRA: '[{"x":[1.50]},{"x":"\\n"}]' }),
      goodRecord({ REF: '"A3"', PLACE: '{"STREET":["1 High St"]}' }),
      goodRecord({ REF: '"A4"', COUNT: "1e2" }),
      goodRecord({ REF: '"A5"', NAME: '"too long"' }),
    ];
    const content = name.endsWith("ndjson") ? records.map((text) => `${text}\n`).join("") : `[${records.join(", ")}]`;
    const job = await openFolder(folderOf({ [name]: content }));
    onTestFinished(() => job.input.close());
    // These records have a list as the value of a column, a number with an exponent, and an error.
    expect(await onRowPath(job)).toEqual([6, 7, 8]);
    expect(await onRowPath(job, SENT)).toEqual([6, 7, 8]);
  },
);
