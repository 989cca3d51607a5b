/** Compares strings by their UTF-16 code units. Returns -1, 0 or 1. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
