import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { checkMapping } from "../../commands/init/check-mapping.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { makeFolder } from "../../files/make-folder.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { copyName } from "../../job/settings/setup-paths.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import { formatPlace } from "../../model/place.ts";
import type { MappedRecord } from "../../model/record.ts";
import { describeProblem } from "../../report/problems/problem-text.ts";
import { shapeOf } from "../../text/shape.ts";
import type { CheckData, PayloadData } from "./mapping-data.ts";
import { mappingPath } from "./mapping-file.ts";
import { type Draft, withoutMessages } from "./mapping-draft.ts";

const SHOWN_PAYLOADS = 3;

/**
 * Maps and validates the first records of a draft.
 * @throws Failure if the contract, the mapping or a source cannot be read
 */
export async function checkDraft({ job, text, showValues }: Draft, dependencies: Dependencies): Promise<CheckData> {
  const { temporaryFolder } = dependencies;
  makeFolder(temporaryFolder);
  const copy = path.join(temporaryFolder, `mapping-${randomBytes(6).toString("hex")}.yaml`);
  await writeFile(copy, text, { mode: 0o600, flag: "wx" });
  const settings = { ...job, copies: { ...job.copies, [copyName(job.folder, mappingPath(job))]: copy } };
  try {
    const payloads: PayloadData[] = [];
    const checked = await checkMapping(settings, withoutMessages(dependencies), (record, { operation }) => {
      if (payloads.length < SHOWN_PAYLOADS) payloads.push(payloadData(record, operation, showValues));
    });
    return { ...checked, payloads };
  } finally {
    await rm(copy, { force: true });
  }
}

function payloadData(record: MappedRecord, operation: Operation, showValues: boolean): PayloadData {
  const { number, row, problems } = record;
  const { payload } = compileSentForm(operation)(record);
  return {
    record: number,
    place: formatPlace({ file: row.table.file, line: row.line }),
    payload: showValues ? payload : shapesOf(payload),
    problems: problems.map((problem) => ({ attr: problem.attr, text: describeProblem(problem) })),
  };
}

/** Replaces each string, number, boolean and null in a value with its shape. */
function shapesOf(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(shapesOf);
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapesOf(inner)]));
  return shapeOf(value);
}
