/** Two ways that should come to the same and do not. */
export interface Difference {
  /** The ways, and what they were asked. */
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

/** Compares, and takes down what differs. */
export function differenceList(): { readonly compare: Compare; readonly found: readonly Difference[] } {
  const found: Difference[] = [];
  return {
    found,
    compare(between, one, other) {
      const difference = firstDifference(one, other);
      if (difference !== undefined) found.push({ between, ...difference });
    },
  };
}
