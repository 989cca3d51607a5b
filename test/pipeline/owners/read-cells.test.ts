import { join } from "node:path";
import { expect, test } from "vitest";
import { cellsOfJob } from "../../../src/pipeline/owners/read-cells.ts";
import { type Input, openInput } from "../../../src/read/input/open-input.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const RECORDS = 1200;

async function inputOf(): Promise<{ readonly file: string; readonly input: Input }> {
  const rows = Array.from({ length: RECORDS }, (_, index) => `K${index + 1},${index % 2 === 0 ? "N" : "S"}`);
  const folder = temporaryFolder({ "a.csv": `REF,REGION\n${rows.join("\n")}\n` });
  const file = join(folder, "a.csv");
  const options = { tempFolder: folder, onNotice: () => undefined };
  return { file, input: await openInput({ name: "records", files: [file], children: [] }, options) };
}

const drain = new AbortController().signal;

test("reads the cells of some records in one pass", async () => {
  const { file, input } = await inputOf();
  let passes = 0;
  const records: Input["records"] = (options) => {
    passes += 1;
    return input.records(options);
  };
  const cells = cellsOfJob({ input: { ...input, records } }, { drain });
  for (const record of [1, 2, 700, 701, RECORDS]) {
    const found = await cells.read({ run: "R", record, source: { file, line: record + 1 } });
    expect(found?.("REGION")).toEqual([record % 2 === 1 ? "N" : "S"]);
  }
  await cells.close();
  expect(passes).toBe(1);
});

test.each([
  ["another line", 5, 7],
  ["no row", RECORDS + 1, RECORDS + 2],
])("refuses a record that now has %s in the input", async (_, record, line) => {
  const { file, input } = await inputOf();
  const cells = cellsOfJob({ input }, { drain });
  const reading = cells.read({ run: "R", record, source: { file, line } });
  await expect(reading).rejects.toMatchObject({ code: "source_changed" });
  await cells.close();
});

test("fails as incomplete if the user stops the command", async () => {
  const { file, input } = await inputOf();
  const stop = new AbortController();
  const cells = cellsOfJob({ input }, { drain: stop.signal });
  await cells.read({ run: "R", record: 1, source: { file, line: 2 } });
  stop.abort();
  const reading = cells.read({ run: "R", record: RECORDS, source: { file, line: RECORDS + 1 } });
  await expect(reading).rejects.toMatchObject({ code: "incomplete", exitCode: 3 });
  await cells.close();
});
