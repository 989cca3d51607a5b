import fc from "fast-check";
import { expect, test } from "vitest";
import { isCsvRow } from "../../../src/model/record.ts";
import { rowsIn } from "../../../src/pipeline/bytes/chunk-pieces.ts";
import { campaignSize } from "../../campaign.ts";
import { textRow } from "../../read/workbook/raw-workbook.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { COLUMNS, CONTRACT, GOOD, MAPPING } from "./odd-records.ts";
import { sheet, writeSheet } from "./odd-sheets.ts";
import { openFolder } from "./open-folder.ts";
import { expectSamePlans, onRowPath } from "./planned-chunks.ts";

async function folderOf(sheetData: string): Promise<string> {
  const mapping = MAPPING.replace("things.csv", "things.xlsx");
  const folder = temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": mapping });
  await writeSheet(folder, sheetData);
  return folder;
}

/** Returns the rows of a folder's only source: read in sequence, and created from its chunks. */
async function rowsOf(folder: string): Promise<readonly [inSequence: unknown[], ofChunks: unknown[]]> {
  const { input } = await openFolder(folder);
  const [inSequence, ofChunks]: [unknown[], unknown[]] = [[], []];
  try {
    for await (const records of input.records())
      for (const { row: read, problems } of records)
        inSequence.push([read.line, isCsvRow(read) && read.cells, problems]);
    if (input.chunked === undefined) throw new Error("the input does not come in chunks");
    for await (const chunk of input.chunked.chunks())
      for (const batch of rowsIn(chunk, input.chunked))
        for (const { row: read, problems } of batch) ofChunks.push([read.line, isCsvRow(read) && read.cells, problems]);
  } finally {
    await input.close();
  }
  return [inSequence, ofChunks];
}

test("plans from bytes the same records of a workbook as the row path, and creates the same rows", async () => {
  const folder = await folderOf(textRow(1, COLUMNS));
  await fc.assert(
    fc.asyncProperty(sheet, async (content) => {
      await writeSheet(folder, content);
      await expectSamePlans(folder);
      const [inSequence, ofChunks] = await rowsOf(folder);
      expect(ofChunks).toEqual(inSequence);
    }),
    { numRuns: campaignSize({ part: 25, whole: 40 }) },
  );
});

test("needs the row path only for workbook rows with a problem or an unpaired surrogate", async () => {
  const rows = [
    GOOD,
    GOOD.with(0, "A2").with(12, "12, High St"),
    GOOD.with(0, "A3").with(12, "two\nlines"),
    GOOD.with(0, "A4").with(1, "_xD83D_x"),
    GOOD.with(0, "A5").with(13, "").with(5, ""),
    [...GOOD.with(0, "A6"), "more"],
    GOOD.with(0, "A7").with(1, "Zoë"),
  ];
  const folder = await folderOf([COLUMNS, ...rows].map((cells, index) => textRow(index + 1, cells)).join(""));
  const job = await openFolder(folder);
  expect(await onRowPath(job)).toEqual([3, 5]);
  await job.input.close();
});

test("does not lose the only row of a workbook if its only cell is a formula without a value", async () => {
  const folder = await folderOf(`${textRow(1, ["REF"])}<row r="2"><c><f>A1</f><v/></c></row>`);
  const [inSequence, ofChunks] = await rowsOf(folder);
  expect(inSequence).toHaveLength(1);
  expect(ofChunks).toEqual(inSequence);
});
