import type { Dependencies } from "../../job/dependencies.ts";
import { type Job, withJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { withStandardInput } from "../../job/standard-input.ts";
import { parseAttr } from "../../json/attr.ts";
import { parsePointer } from "../../json/json-pointer.ts";
import { type JsonObject, valueAt } from "../../json/json-value.ts";
import type { Origin } from "../../map/mapping.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import { checkedFoundRecords, checkedRecords } from "../../migrate.ts";
import { Failure } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";
import type { MappedRecord, Row } from "../../model/record.ts";
import { noSuchKeys } from "../../pipeline/plan/missing-keys.ts";
import { canonicalKey } from "../../text/canonical-key.ts";

/** A payload as a push would send it, with the origin of each value. */
export interface PreviewedRecord {
  readonly record: number;
  readonly key?: string;
  readonly source: Place;
  readonly payload: JsonObject;
  readonly origins: readonly Origin[];
  readonly problems: readonly Problem[];
}

/**
 * Returns the first payloads of the input (`--limit`, default 1) with the origins of their values. Opens no socket.
 * @throws Failure `source_empty` if the input has no records, or none with the keys of `--only`
 */
export async function preview(job: JobSettings, dependencies: Dependencies): Promise<readonly PreviewedRecord[]> {
  const settings = await withStandardInput(job, dependencies.temporaryFolder, dependencies);
  const records = await recordsWithOrigins({ ...settings, limit: settings.limit ?? 1 }, dependencies);
  if (records.length === 0) {
    const what = settings.only === undefined ? "the input has no records" : noSuchKeys(settings.only);
    throw new Failure("source_empty", what, { hint: "check the files, --only and --limit" });
  }
  return records.map(({ number, key, row, payload, problems, origins }) => ({
    record: number,
    source: { file: row.table.file, line: row.line },
    payload,
    origins,
    problems,
    ...(key !== undefined && { key }),
  }));
}

export type TracedRecord = MappedRecord & { readonly origins: readonly Origin[] };

/**
 * Maps the records that the settings select, as a push would, with the origin of each value.
 * @param numbers the numbers of the records to return, if known; the default is all
 */
export async function recordsWithOrigins(
  settings: JobSettings,
  dependencies: Dependencies,
  numbers?: ReadonlySet<number>,
): Promise<readonly TracedRecord[]> {
  return withJob(settings, dependencies, async (job) => {
    if (numbers !== undefined) {
      const isWanted = (_row: Row, number: number): boolean => numbers.has(number);
      return traced(checkedFoundRecords(job, { isWanted, limit: numbers.size }), job);
    }
    const found = await recordsByKey(job);
    return found ?? traced(checkedRecords(job, { signal: dependencies.drain }), job);
  });
}

/**
 * Finds the records of `--only` by key, without joining or checking other records. Returns undefined if `--only` is not
 * set, if it finds fewer records than requested, or if it could miss records. It could miss records if a source other
 * than the root declares a key, or if a function computes the key.
 */
async function recordsByKey(job: Job): Promise<readonly TracedRecord[] | undefined> {
  const { only, limit = Number.POSITIVE_INFINITY } = job.settings;
  // A key that a function computes (`prepare`) is unknown while rows are read.
  if (only === undefined || job.input.hasKeysBelow || job.mapping.prepare !== undefined) return undefined;
  const keys = new Set(only.map(canonicalKey));
  const expected = Math.min(keys.size, limit);
  const isWanted = (row: Row): boolean => keys.has(canonicalKey(job.mapping.map(row).key ?? ""));
  const found = await traced(checkedFoundRecords(job, { isWanted, limit: expected }), job);
  return found.length === expected ? found : undefined;
}

async function traced(batches: AsyncIterable<readonly MappedRecord[]>, job: Job): Promise<readonly TracedRecord[]> {
  const toSentForm = compileSentForm(job.operation);
  const found: TracedRecord[] = [];
  for await (const batch of batches) {
    for (const record of batch) {
      const sent = { ...record, ...toSentForm(record) };
      const origins = record.readable ? job.mapping.origins(record.row) : [];
      found.push({ ...sent, origins: origins.map((origin) => asSent(origin, sent)) });
    }
  }
  return withCorrections(found, job);
}

/** Marks the values that come from corrected cells. */
function withCorrections(records: readonly TracedRecord[], { input: { corrections } }: Job): readonly TracedRecord[] {
  if (corrections === undefined) return records;
  const cells = new Set(
    [...corrections()].flatMap(({ state, place, correction: { column } }) =>
      state === "applied" && place !== undefined ? [cellName(place, column)] : [],
    ),
  );
  return records.map((record) => ({
    ...record,
    origins: record.origins.map((origin) => {
      const { place } = origin;
      const column = place && (place.column ?? parsePointer(place.pointer ?? "").join("."));
      const isCorrected = place !== undefined && cells.has(cellName(place, column ?? ""));
      return isCorrected ? { ...origin, isCorrected } : origin;
    }),
  }));
}

function cellName({ file, line }: Place, column: string): string {
  return JSON.stringify([file, line, column]);
}

function asSent(origin: Origin, { payload, steps, parameters = {} }: MappedRecord): Origin {
  const path = parseAttr(origin.attr);
  const [value = origin.value] = [payload, ...(steps?.values() ?? []), { parameters }].flatMap(
    (fields) => valueAt(fields, path) ?? [],
  );
  return { ...origin, value };
}
