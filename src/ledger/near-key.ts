/**
 * A key without what people and spreadsheets change by accident: case, spaces, leading zeros, and characters that
 * only look different (Unicode NFKC). Two keys are near when these are the same. Undefined where nothing changes.
 */
export function nearKey(key: string): string | undefined {
  if (PLAIN_KEY.test(key)) return undefined;
  const near = key
    .normalize("NFKC")
    .toUpperCase()
    .replace(/\s+/gu, "")
    .replace(/^0+(?=.)/u, "");
  return near === key ? undefined : near;
}

/** Most keys: capitals and digits. Capitals, because a key in capitals then needs no second text. */
const PLAIN_KEY = /^[A-Z1-9][A-Z0-9._/-]*$/;
