import { writeFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { openPromise } from "yauzl";
import { zipped } from "../read/workbook/raw-workbook.ts";

/** Replaces the first match of a pattern in the XML of a sheet. `sheet` is the number of the sheet, starting at 1. */
export async function replaceInSheet(
  file: string,
  sheet: number,
  [from, to]: readonly [RegExp, string],
): Promise<void> {
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false });
  const parts: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    parts[entry.fileName] = (await buffer(await zip.openReadStreamPromise(entry))).toString();
  }
  zip.close();
  const name = `xl/worksheets/sheet${sheet}.xml`;
  const text = parts[name] ?? "";
  if (!from.test(text)) throw new Error(`sheet ${sheet} does not contain ${from.source}`);
  writeFileSync(file, await zipped({ ...parts, [name]: text.replace(from, to) }));
}
