/** Two paths with different results. */
export interface Difference {
  /** The compared paths and their operation. */
  readonly between: string;
  readonly one: string;
  readonly other: string;
}

export type Compare = (between: string, one: readonly string[], other: readonly string[]) => void;

function firstDifference(one: readonly string[], other: readonly string[]): Omit<Difference, "between"> | undefined {
  const length = Math.max(one.length, other.length);
  for (let at = 0; at < length; at += 1)
    if (one[at] !== other[at]) return { one: one[at] ?? "(nothing)", other: other[at] ?? "(nothing)" };
  return undefined;
}

/** Returns a `compare` function that collects differences in `found`. */
export function collectDifferences(): { readonly compare: Compare; readonly found: readonly Difference[] } {
  const found: Difference[] = [];
  return {
    found,
    compare(between, one, other) {
      const difference = firstDifference(one, other);
      if (difference !== undefined) found.push({ between, ...difference });
    },
  };
}
