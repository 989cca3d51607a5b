import { type JobDependencies, type JobSettings, openJob } from "../../job/job.ts";
import type { Row } from "../../model/record.ts";
import type { PresentRows } from "./edit-cells.ts";
import type { SessionRows, StoredRow } from "./session-rows.ts";

/** Reads the rows with the keys of stored rows from the files as they are now, without corrections. */
export async function readPresentRows(
  settings: JobSettings,
  stored: readonly StoredRow[],
  {
    rows,
    dependencies,
  }: { readonly rows: SessionRows; readonly dependencies: Required<Pick<JobDependencies, "drain">> & JobDependencies },
): Promise<PresentRows> {
  const wanted = new Map(stored.map(({ source, key }) => [nameOf(source, key ?? ""), new Array<Row>()]));
  const job = await openJob({ ...settings, corrections: undefined }, { ...dependencies, notice: () => undefined });
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
