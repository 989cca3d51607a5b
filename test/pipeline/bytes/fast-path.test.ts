import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { campaignSize } from "../../campaign.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { openFolder } from "./open-folder.ts";
import { CHECK, expectSamePlans, onRowPath, planned, SENT, withoutFastPath } from "./planned-chunks.ts";
import { COLUMNS, CONTRACT, file, GOOD, MAPPING, mapping as anyMapping } from "./odd-records.ts";

function folderOf(content: string, mapping = MAPPING): string {
  return temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": mapping, "things.csv": content });
}

test("plans the same records from bytes as the row path", async () => {
  const folder = folderOf("");
  await fc.assert(
    fc.asyncProperty(file, async (content) => {
      writeFileSync(path.join(folder, "things.csv"), content);
      await expectSamePlans(folder);
    }),
    { numRuns: campaignSize({ part: 25, whole: 40 }) },
  );
});

test("plans from bytes the same records as the row path, for random mapping entries", async () => {
  const folder = folderOf("");
  await fc.assert(
    fc.asyncProperty(anyMapping, file, async (text, content) => {
      writeFileSync(path.join(folder, "mapping.yaml"), text);
      writeFileSync(path.join(folder, "things.csv"), content);
      await expectSamePlans(folder);
    }),
    { numRuns: campaignSize({ part: 15, whole: 40 }) },
  );
});

test("does not need the row path for well-formed rows, even with quotes, other alphabets and empty cells", async () => {
  const rows = [
    GOOD,
    GOOD.with(0, "0a b").with(1, "Zoë"),
    GOOD.with(12, '"12, ""High"" St"').with(0, "A3"),
    GOOD.with(0, "A4").with(12, '"High St, top floor"'),
    GOOD.with(0, "A5").with(4, "").with(5, "").with(6, ""),
    GOOD.with(0, "A6").with(3, "x"),
    GOOD.with(0, "A7").with(3, ""),
    GOOD.with(0, " A8 ").with(1, "toolong"),
    GOOD.with(0, "A9").with(12, "").with(13, ""),
  ];
  const job = await openFolder(folderOf([COLUMNS, ...rows].map((cells) => cells.join(",")).join("\n")));
  onTestFinished(() => job.input.close());
  // The row path handles doubled quotes; the other record has an error.
  expect(await onRowPath(job)).toEqual([3, 8]);
  expect(await onRowPath(job, SENT)).toEqual([3, 8]);
});

test.each([
  ["a key that every record has", MAPPING.replace("ref: REF", "ref: { value: A }")],
  ["a key without its leading zeros", MAPPING.replace("ref: REF", "ref: { from: REF, replace: [['0', '']] }")],
  ["a key that is one of two cells", MAPPING.replace("ref: REF", "ref: { from: [REF, CODE] }")],
  ["a nested key", `key: place.street\n${MAPPING}`],
])("plans the same records on the fast path with %s", async (_, mapping) => {
  const rows = [GOOD, GOOD.with(0, "007"), GOOD.with(0, ""), GOOD.with(0, "Zoë").with(12, " "), GOOD.with(12, "Ä 1")];
  const job = await openFolder(folderOf([COLUMNS, ...rows].map((cells) => cells.join(",")).join("\n"), mapping));
  onTestFinished(() => job.input.close());
  expect((await onRowPath(job))?.length).toBeLessThan(4);
  for (const settings of [CHECK, SENT])
    expect(await planned(job, settings)).toEqual(await planned(withoutFastPath(job), settings));
});

test("leaves a business key with an invisible character to the row path", async () => {
  const rows = [GOOD.with(0, "Zoë"), GOOD.with(0, "A\u200b1"), GOOD.with(0, "A\u00a01")];
  const folder = folderOf([COLUMNS, ...rows, []].map((cells) => cells.join(",")).join("\n"));
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  for (const settings of [CHECK, SENT]) expect(await onRowPath(job, settings)).toEqual([2, 3]);
  await expectSamePlans(folder);
});

test("rebuilds the payload of a record that contains a time which must be sent in another form", async () => {
  const given = ["2024-01-01T00:00:00Z", "2024-01-01T02:00:00+02:00"];
  const rows = given.map((seen, index) => GOOD.with(0, `A${index}`).with(COLUMNS.indexOf("SEEN"), seen));
  const job = await openFolder(folderOf([COLUMNS, ...rows, []].map((cells) => cells.join(",")).join("\n")));
  onTestFinished(() => job.input.close());
  expect(await onRowPath(job)).toEqual([]);
  expect(await onRowPath(job, SENT)).toEqual([2]);
  const sent = expect.stringContaining('"seen":"2024-01-01T00:00:00Z"');
  expect(await planned(job, SENT)).toMatchObject([
    {
      payloads: [
        [0, sent],
        [1, sent],
      ],
    },
  ]);
});
