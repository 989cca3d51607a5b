import type { Problem } from "../model/problem.ts";
import type { MappedRecord } from "../model/record.ts";

/**
 * An invalid record as one that the platform is to judge (`push --send-invalid`): its errors become warnings. Not so for
 * what could do harm: a record that was not read whole, or has no business key to be known again by, or a document path
 * that leads where it should not. Keys that repeat are settled later, over all records, and never sent.
 */
export function leftToPlatform(record: MappedRecord): MappedRecord {
  if (!record.readable || record.orphan || record.key === undefined || record.problems.some(isHarmful)) return record;
  return { ...record, problems: record.problems.map((problem) => ({ ...problem, severity: "warning" })) };
}

function isHarmful({ code, severity }: Problem): boolean {
  return severity === "error" && (code.startsWith("source_") || HARMFUL.has(code));
}

const HARMFUL: ReadonlySet<string> = new Set(["unsafe_document_path", "duplicate_key"]);
