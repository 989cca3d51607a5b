import type { JsonObject } from "../json/json-value.ts";
import type { Origin } from "../map/mapping.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";
import { openJob } from "../job/job.ts";
import type { JobSettings } from "../job/job.ts";
import type { Dependencies } from "../job/dependencies.ts";
import { withStandardInput } from "../job/standard-input.ts";
import { checkedRecords } from "../migrate.ts";

export interface PreviewOptions {
  readonly job: JobSettings;
}

/** One payload as it would be sent, and where each of its values comes from. */
export interface PreviewedRecord {
  readonly record: number;
  readonly key?: string;
  readonly source: Place;
  readonly payload: JsonObject;
  readonly origins: readonly Origin[];
  readonly problems: readonly Problem[];
}

/** The first payloads of the input (`--limit`, default 1), with origins. Opens no socket. */
export async function preview(
  options: PreviewOptions,
  dependencies: Dependencies,
): Promise<readonly PreviewedRecord[]> {
  const settings = await withStandardInput(options.job, dependencies.temporaryFolder, dependencies);
  const job = await openJob({ ...settings, limit: settings.limit ?? 1 }, dependencies);
  try {
    const shown: PreviewedRecord[] = [];
    for await (const batch of checkedRecords(job, { signal: dependencies.drain })) {
      for (const record of batch) {
        shown.push({
          record: record.number,
          source: { file: record.row.table.file, line: record.row.line },
          payload: record.payload,
          origins: record.readable ? job.mapping.origins(record.row) : [],
          problems: record.problems,
          ...(record.key !== undefined && { key: record.key }),
        });
      }
    }
    return shown;
  } finally {
    await job.input.close();
  }
}
