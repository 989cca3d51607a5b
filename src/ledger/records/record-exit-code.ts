import type { Status, Summary } from "../../model/outcome.ts";

/** Returns the exit code of a run with these records: the code with the highest priority (README, "Exit codes"). */
export function exitCodeOf(counts: Summary["counts"]): number {
  const any = (...statuses: readonly Status[]): boolean => statuses.some((status) => (counts[status] ?? 0) > 0);
  if (any("ambiguous")) return 5;
  if (any("pending", "blocked")) return 3;
  return any("invalid", "rejected", "duplicate", "existing", "stale") ? 1 : 0;
}
