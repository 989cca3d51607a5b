/** Something that nobody foresaw. */
export const BUG = 70;

/** Worst first; 2 and 7 end a run before it has results. */
const WORST_FIRST = [BUG, 7, 2, 6, 5, 4, 3, 1, 0] as const;

/** The exit code that stands for all of these: the worst of them. */
export function worstExitCode(codes: readonly number[]): number {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? 0;
}
