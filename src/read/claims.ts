/** Which rows of a child source some parent has claimed: one bit a row. */
export interface Claims {
  readonly add: (id: number) => void;
  readonly has: (id: number) => boolean;
  /** How many rows are claimed. */
  readonly size: () => number;
}

export function newClaims(rows: number): Claims {
  const bits = new Uint8Array(Math.ceil(rows / 8));
  let size = 0;
  const has = (id: number): boolean => (((bits[id >> 3] ?? 0) >> (id & 7)) & 1) === 1;
  return {
    has,
    size: () => size,
    add: (id) => {
      if (has(id)) return;
      bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7));
      size += 1;
    },
  };
}
