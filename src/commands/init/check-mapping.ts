import type { Dependencies } from "../../job/dependencies.ts";
import { type JobSettings, openJob } from "../../job/job.ts";
import { attrPattern } from "../../json/attr.ts";
import { checkedRecords } from "../../migrate.ts";
import { hasErrors } from "../../model/problem.ts";

/** Validation result of a mapping. */
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
  /** The attr, with list indexes as `*`. */
  readonly attr: string;
  readonly records: number;
}

/** Number of records that is sufficient to assess a mapping. `migrate validate` checks the whole input. */
const MAX_RECORDS = 10_000;
const MAX_CAUSES = 8;

/** Validates the first records. Opens no connection. */
export async function checkMapping(settings: JobSettings, dependencies: Dependencies): Promise<MappingCheck> {
  const job = await openJob({ ...settings, limit: MAX_RECORDS + 1 }, dependencies);
  const causes = new Map<string, CheckCause>();
  let [records, valid] = [0, 0];
  try {
    for await (const batch of checkedRecords(job, { signal: dependencies.drain })) {
      for (const { problems } of batch.slice(0, MAX_RECORDS - records)) {
        if (!hasErrors(problems)) valid += 1;
        const errors = problems.filter(({ severity }) => severity === "error");
        const kinds = new Map(
          errors.map(({ code, attr }) => [
            `${code} ${attr}`.replace(attr, attrPattern(attr)),
            { code, attr: attrPattern(attr) },
          ]),
        );
        for (const [key, cause] of kinds) causes.set(key, { ...cause, records: (causes.get(key)?.records ?? 0) + 1 });
      }
      records += batch.length;
    }
  } finally {
    await job.input.close();
  }
  const mostFrequent = [...causes.values()].toSorted((one, other) => other.records - one.records).slice(0, MAX_CAUSES);
  return { records: Math.min(records, MAX_RECORDS), valid, more: records > MAX_RECORDS, causes: mostFrequent };
}
