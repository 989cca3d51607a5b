import { addToGroup } from "../../model/groups.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { type Job, withJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { attrPattern, formatAttr, NON_FIELD_ERRORS } from "../../json/attr.ts";
import { contentHash } from "../../ledger/records/record-hashes.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import { checkedRecords } from "../../migrate.ts";
import type { MappedRecord } from "../../model/record.ts";
import { canonicalKey } from "../../text/canonical-key.ts";

export interface MappingCheck {
  readonly records: number;
  readonly valid: number;
  /** Whether the input has more records than were checked. */
  readonly more: boolean;
  /** The most frequent causes of invalid records, most frequent first. */
  readonly causes: readonly CheckCause[];
}

interface CheckCause {
  readonly code: string;
  /** The attr, with `*` instead of each list index. */
  readonly attr: string;
  readonly records: number;
}

/**
 * Maximum number of records to check. This number is enough to evaluate a mapping. `migrate validate` checks the whole
 * input.
 */
const MAX_RECORDS = 10_000;
const MAX_CAUSES = 8;

/**
 * Validates the first `MAX_RECORDS` records. Opens no connection.
 * @param onRecord receives each of these records, in order
 */
export async function checkMapping(
  settings: JobSettings,
  dependencies: Dependencies,
  onRecord?: (record: MappedRecord, job: Job) => void,
): Promise<MappingCheck> {
  const causes = new Map<string, CheckCause>();
  const byKey = new Map<string, KeyedRecord[]>();
  let [records, valid] = [0, 0];
  return withJob({ ...settings, limit: MAX_RECORDS + 1 }, dependencies, async (job) => {
    const toSentForm = compileSentForm(job.operation);
    for await (const batch of checkedRecords(job, { signal: dependencies.drain })) {
      for (const record of batch.slice(0, MAX_RECORDS - records)) {
        const errors = record.problems.filter(({ severity }) => severity === "error");
        const isValid = errors.length === 0;
        if (isValid) valid += 1;
        const kinds = new Map(errors.map(({ code, attr }) => [`${code} ${attrPattern(attr)}`, { code, attr }]));
        for (const { code, attr } of kinds.values()) addRecords(causes, code, attr, 1);
        addKey(byKey, { ...record, ...toSentForm(record) }, isValid);
        onRecord?.(record, job);
      }
      records += batch.length;
    }
    const { keyAttr } = job.mapping;
    // Of the records with one key, only the first is sent. If their contents differ, none of them is sent.
    const repeated = [...byKey.values()].flatMap((same) =>
      same.every(({ content }) => content === same[0]?.content) ? same.slice(1) : same,
    );
    const attr = keyAttr === undefined ? NON_FIELD_ERRORS : formatAttr(keyAttr);
    if (repeated.length > 0) addRecords(causes, "duplicate_key", attr, repeated.length);
    return {
      records: Math.min(records, MAX_RECORDS),
      valid: valid - repeated.filter(({ isValid }) => isValid).length,
      more: records > MAX_RECORDS,
      causes: [...causes.values()].toSorted((one, other) => other.records - one.records).slice(0, MAX_CAUSES),
    };
  });
}

function addRecords(causes: Map<string, CheckCause>, code: string, attr: string, records: number): void {
  const pattern = attrPattern(attr);
  const key = `${code} ${pattern}`;
  causes.set(key, { code, attr: pattern, records: (causes.get(key)?.records ?? 0) + records });
}

interface KeyedRecord {
  readonly content: string;
  readonly isValid: boolean;
}

function addKey(byKey: Map<string, KeyedRecord[]>, record: MappedRecord, isValid: boolean): void {
  const { key, payload, parameters } = record;
  if (key === undefined) return;
  const content = Buffer.from(contentHash(payload, parameters)).toString("base64");
  addToGroup(byKey, canonicalKey(key), { content, isValid });
}
