import type { Operation } from "../../../src/contract/operations/operation.ts";
import { type InputRecord, isCsvRow, type JsonTable } from "../../../src/model/record.ts";
import { groupsOfRows } from "../../../src/pipeline/send/payload-group.ts";
import type { WorkOptions } from "../../../src/pipeline/shared/work-on-run.ts";
import { payloadOf, type SimulatedRecord } from "../simulated-record.ts";

interface Input {
  readonly records: readonly SimulatedRecord[];
  readonly corrected: ReadonlySet<string>;
  readonly operation: Operation;
}

const TABLE: JsonTable = { kind: "json", file: "a.json" };
const BATCH = 10;

/** Returns the records as a worker reads them: each row is a payload. Later corrections have no effect. */
export function sendingOf({ records, corrected, operation }: Input): Pick<WorkOptions, "job" | "readPayloads"> {
  const rows = records.map((one): InputRecord => {
    const row = { table: TABLE, line: one.record, pointer: "", value: payloadOf(one, corrected) };
    return { number: one.record, source: "a", orphan: false, row, problems: [] };
  });
  async function* batches(): AsyncGenerator<readonly InputRecord[]> {
    for (let at = 0; at < rows.length; at += BATCH) yield rows.slice(at, at + BATCH);
  }
  return {
    job: {
      operation,
      mapping: {
        map: (row) => ({ payload: isCsvRow(row) ? {} : row.value, problems: [] }),
        locate: () => undefined,
        isConstant: () => true,
      },
    },
    readPayloads: () => groupsOfRows(batches()),
  };
}
