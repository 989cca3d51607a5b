import type { Dependencies } from "../job/dependencies.ts";
import { type JobSettings, openJob } from "../job/job.ts";
import { withStandardInput } from "../job/standard-input.ts";
import { parseAttr } from "../json/attr.ts";
import { type JsonObject, valueAt } from "../json/json-value.ts";
import type { Origin } from "../map/mapping.ts";
import { compileSentForm } from "../map/sent-form.ts";
import { checkedRecords } from "../migrate.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";
import type { MappedRecord } from "../model/record.ts";

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
  { job }: PreviewOptions,
  dependencies: Dependencies,
): Promise<readonly PreviewedRecord[]> {
  const settings = await withStandardInput(job, dependencies.temporaryFolder, dependencies);
  const records = await recordsWithOrigins({ ...settings, limit: settings.limit ?? 1 }, dependencies);
  return records.map(({ number, key, row, payload, problems, origins }) => ({
    record: number,
    source: { file: row.table.file, line: row.line },
    payload,
    origins,
    problems,
    ...(key !== undefined && { key }),
  }));
}

/** The records that the settings select, as they would be sent, each with where the values of its payload come from. */
export async function recordsWithOrigins(
  settings: JobSettings,
  dependencies: Dependencies,
): Promise<readonly (MappedRecord & { readonly origins: readonly Origin[] })[]> {
  const job = await openJob(settings, dependencies);
  const toSentForm = compileSentForm(job.operation);
  try {
    const found: (MappedRecord & { readonly origins: readonly Origin[] })[] = [];
    for await (const batch of checkedRecords(job, { signal: dependencies.drain })) {
      for (const record of batch) {
        const sent = toSentForm(record);
        const origins = record.readable ? job.mapping.origins(record.row) : [];
        found.push({ ...record, ...sent, origins: origins.map((origin) => asSent(origin, sent)) });
      }
    }
    return found;
  } finally {
    await job.input.close();
  }
}

function asSent(
  origin: Origin,
  { payload, steps, parameters = {} }: Pick<MappedRecord, "payload" | "steps" | "parameters">,
): Origin {
  const path = parseAttr(origin.attr);
  const [value = origin.value] = [payload, ...(steps?.values() ?? []), { parameters }].flatMap(
    (fields) => valueAt(fields, path) ?? [],
  );
  return { ...origin, value };
}
