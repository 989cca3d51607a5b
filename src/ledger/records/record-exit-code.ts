import type { Status, Summary } from "../../model/outcome.ts";

/** How a run with these records ends. README, "Exit codes": the worst wins. */
export function exitCodeOf(counts: Summary["counts"]): number {
  const any = (...statuses: readonly Status[]): boolean => statuses.some((status) => (counts[status] ?? 0) > 0);
  if (any("ambiguous")) return 5;
  if (any("pending", "blocked")) return 3;
  return any("invalid", "rejected", "duplicate") ? 1 : 0;
}
