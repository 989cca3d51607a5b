import { openJob } from "../../../job/job.ts";
import type { JobSettings } from "../../../job/settings/job-settings.ts";
import type { Row } from "../../../model/record.ts";
import type { CurrentRows } from "../edits/plan-cells.ts";
import type { FixDependencies } from "./build-session.ts";
import type { SessionRows, StoredRow } from "./session-rows.ts";

/** Reads from the current files the rows that have the same keys as the stored rows. Applies no corrections. */
export async function readCurrentRows(
  settings: JobSettings,
  stored: readonly StoredRow[],
  rows: SessionRows,
  dependencies: FixDependencies,
): Promise<CurrentRows> {
  const wanted = new Map(stored.map(({ source, key }) => [nameOf(source, key ?? ""), new Array<Row>()]));
  const job = await openJob({ ...settings, corrections: undefined }, dependencies);
  try {
    for await (const { source, rows: batch } of job.input.rowsByFile(dependencies.drain)) {
      const index = rows.sourceIndex(source);
      for (const row of batch) {
        const key = rows.keyOfRow(row, index);
        if (key !== undefined) wanted.get(nameOf(index, key))?.push(row);
      }
    }
  } finally {
    await job.input.close();
  }
  return (source, key) => wanted.get(nameOf(source, key)) ?? [];
}

function nameOf(source: number, key: string): string {
  return `${source} ${key}`;
}
