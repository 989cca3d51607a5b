import type { Job } from "../../../src/job/job.ts";
import { checkedRecords } from "../../../src/migrate.ts";
import { Failure } from "../../../src/model/failure.ts";
import type { Compare } from "./compare-lines.ts";

const { signal } = new AbortController();

/**
 * Compares the payloads, keys and problems with the results of the same rows as NDJSON. Records with reading problems
 * are not compared, because these problems depend on the format. Returns the number of compared records, and closes the
 * other job.
 */
export async function compareNdjson(job: Job, other: Job | undefined, compare: Compare): Promise<number> {
  if (other === undefined) return 0;
  try {
    const [one, two] = [await recordLines(job), await recordLines(other)];
    if (one === undefined || two === undefined || one.length !== two.length) return 0;
    const same = one.flatMap((line, at) => (line === undefined || two[at] === undefined ? [] : [at]));
    compare(
      "CSV / NDJSON",
      same.map((at) => one[at] ?? ""),
      same.map((at) => two[at] ?? ""),
    );
    return same.length;
  } finally {
    await other.input.close();
  }
}

/** Returns one line per record; undefined for a record with a reading problem. */
async function recordLines(job: Job): Promise<readonly (string | undefined)[] | undefined> {
  const lines: (string | undefined)[] = [];
  try {
    for await (const batch of checkedRecords(job, { signal, shownValues: undefined })) {
      for (const { number, orphan, key, payload, parameters, problems } of batch) {
        const isRead = !problems.some(({ code }) => code.startsWith("source_"));
        const found = problems.map(({ place, ...problem }) => [{ ...problem, key }, columnOf(place)]);
        lines.push(isRead && !orphan ? JSON.stringify([number, payload, parameters, found]) : undefined);
      }
    }
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
  return lines;
}

function columnOf(place: object | undefined): string | undefined {
  if (place === undefined) return undefined;
  if ("column" in place) return String(place.column);
  const pointer = "pointer" in place ? String(place.pointer).slice(1) : "";
  return pointer === "" ? undefined : pointer;
}
