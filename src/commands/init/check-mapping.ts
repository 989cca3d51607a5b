import type { Dependencies } from "../../job/dependencies.ts";
import { type Job, openJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { attrPattern, formatAttr, NON_FIELD_ERRORS } from "../../json/attr.ts";
import { canonicalJson } from "../../json/json-value.ts";
import { contentHash } from "../../ledger/records/record-hashes.ts";
import { checkedRecords } from "../../migrate.ts";
import { hasErrors } from "../../model/problem.ts";
import type { MappedRecord } from "../../model/record.ts";

/** The result of validating records with a mapping. */
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
  const job = await openJob({ ...settings, limit: MAX_RECORDS + 1 }, dependencies);
  const causes = createCauses();
  const keys = createKeys();
  let [records, valid] = [0, 0];
  try {
    for await (const batch of checkedRecords(job, { signal: dependencies.drain })) {
      for (const record of batch.slice(0, MAX_RECORDS - records)) {
        const isValid = !hasErrors(record.problems);
        if (isValid) valid += 1;
        const errors = record.problems.filter(({ severity }) => severity === "error");
        causes.add(errors);
        keys.add(record, isValid);
        onRecord?.(record, job);
      }
      records += batch.length;
    }
  } finally {
    await job.input.close();
  }
  const { keyAttr } = job.mapping;
  const repeated = keys.repeated();
  const attr = keyAttr === undefined ? NON_FIELD_ERRORS : formatAttr(keyAttr);
  for (let count = 0; count < repeated.records; count += 1) causes.add([{ code: "duplicate_key", attr }]);
  return {
    records: Math.min(records, MAX_RECORDS),
    valid: valid - repeated.valid,
    more: records > MAX_RECORDS,
    causes: causes.most(),
  };
}

interface Causes {
  /** Counts the errors in one record. */
  readonly add: (errors: readonly Pick<CheckCause, "code" | "attr">[]) => void;
  readonly most: () => readonly CheckCause[];
}

function createCauses(): Causes {
  const causes = new Map<string, CheckCause>();
  return {
    add(errors) {
      const kinds = new Map(errors.map(({ code, attr }) => [`${code} ${attrPattern(attr)}`, { code, attr }]));
      for (const [key, { code, attr }] of kinds) {
        const records = (causes.get(key)?.records ?? 0) + 1;
        causes.set(key, { code, attr: attrPattern(attr), records });
      }
    },
    most: () => [...causes.values()].toSorted((one, other) => other.records - one.records).slice(0, MAX_CAUSES),
  };
}

interface Keys {
  readonly add: (record: MappedRecord, isValid: boolean) => void;
  /**
   * Returns the number of records that would not be sent because of their key, and the number of these records that
   * would otherwise be valid.
   */
  readonly repeated: () => { readonly records: number; readonly valid: number };
}

/**
 * Creates a counter of records with the same key. If several records have the same key and content, only the first
 * record is sent. If their contents differ, no record with this key is sent.
 */
function createKeys(): Keys {
  const known = new Map<
    string,
    { content: string; differs: boolean; firstIsValid: boolean; records: number; valid: number }
  >();
  return {
    add({ key, payload, parameters }, isValid) {
      if (key === undefined) return;
      const identity = canonicalJson([key, parameters ?? null]);
      const content = Buffer.from(contentHash(payload, parameters)).toString("base64");
      const valid = isValid ? 1 : 0;
      const before = known.get(identity);
      if (before === undefined) {
        known.set(identity, { content, differs: false, firstIsValid: isValid, records: 1, valid });
        return;
      }
      before.differs ||= before.content !== content;
      before.records += 1;
      before.valid += valid;
    },
    repeated() {
      let [records, valid] = [0, 0];
      for (const each of known.values()) {
        if (each.records === 1) continue;
        records += each.records - (each.differs ? 0 : 1);
        valid += each.valid - (each.differs || !each.firstIsValid ? 0 : 1);
      }
      return { records, valid };
    },
  };
}
