import fc from "fast-check";
import { expect, test } from "vitest";
import {
  findKeyCorruption,
  type KeyCorruption,
  type KeyCorruptionKind,
  otherMatches,
  visibleKeyCorruption,
} from "../../src/text/key-corruption.ts";
import { isPlainKey, keptDigits, normalKey, storedNormalKey } from "../../src/text/near-key.ts";

/** Pairs of keys, the change that a spreadsheet makes, and which key is the changed form (`either`: unknown). */
const CORRUPT: readonly (readonly [
  known: string,
  key: string,
  kind: KeyCorruptionKind,
  changed?: KeyCorruption["changed"],
])[] = [
  ["00000001", "1", "zeros", "key"],
  ["1", "00000001", "zeros", "known"],
  ["00000001", "00000001.0", "decimals", "key"],
  ["00123.50", "00123.5", "fraction", "key"],
  ["00123.50", "123.5", "zeros", "key"],
  ["1234567890123456789", "1234567890123450000", "digits", "key"],
  ["1234567890123450000", "1234567890123456789", "digits", "known"],
  ["0001234567890123456789", "1234567890123450000", "digits", "key"],
  ["1234567890123456789", "1234567890123460000", "digits", "key"],
  ["1234567890123460000", "1234567890123456789", "digits", "known"],
  ["999999999999999999", "1000000000000000000", "digits", "key"],
  ["140384123456", "140,384,123,456", "thousands", "key"],
  ["140384000000", "1.40384E+11", "scientific", "key"],
  ["0000000001", "'0000000001", "apostrophe", "key"],
  ["0000000001", '="0000000001"', "formula", "key"],
  ["EXT-00123", "EXT00123", "dash", "either"],
  ["EXT00123", "EXT\u2013001-23", "dash", "either"],
  ["00-123", "123", "zeros", "key"],
  ["+441234", "441234", "plus", "key"],
  ["ext 1", "EXT 1", "case", "either"],
  ["EXT1", "EXT\u00A01", "spaces", "either"],
  ["EXT1", "EXT\u200B1", "spaces", "either"],
  ["2010-01-11", "11/01/2010", "date", "either"],
  ["2010-01-11", "01/11/2010", "date", "either"],
  ["2010-01-11", "11-Jan-10", "date", "either"],
  ["1-11", "Jan-11", "date", "either"],
  ["1-11", "11-Jan", "date", "either"],
  ["2011-01", "Jan-11", "date", "either"],
  ["JAN11", "11-Jan", "date", "either"],
];

test.each(CORRUPT.map(([known, key, kind, changed]) => ({ known, key, kind, changed })))(
  "finds that $known and $key may be the same key",
  ({ known, key, kind, changed }) => {
    expect(findKeyCorruption(known, key)).toEqual({ kind, changed });
    const matches = new Set([normalKey(key), ...otherMatches(key)]);
    expect([normalKey(known), keptDigits(normalKey(known))].some((each) => matches.has(each))).toBe(true);
  },
);

test.each([
  ["12-3", "1-23"],
  ["2010-01-11", "2010-11-01"],
  ["11/01/2010", "01/11/2010"],
  ["1/11/2010", "11/1/2010"],
  ["1-11", "11-1"],
  ["EXT-00123", "EXT-00124"],
  ["A-1", "A-10"],
  ["1234567890123456789", "1234567890123456788"],
  ["1234567890123456789", "123456789012345000"],
  ["1234567890123454999", "1234567890123460000"],
  ["12345678901234599", "12345678901234600"],
])("considers %s and %s different keys", (known, key) => {
  expect(findKeyCorruption(known, key)).toBeUndefined();
  expect(findKeyCorruption(key, known)).toBeUndefined();
});

test("distinct ordinary keys are never considered corrupted forms of each other", () => {
  const number = fc.integer({ min: 1, max: 10 ** 12 });
  const padded = number.map((value) => String(value).padStart(12, "0"));
  const kinds = [
    number.map(String),
    padded,
    padded.map((text) => `EXT-${text.slice(4)}`),
    padded.map((text) => `+44${text}`),
    fc.uuid(),
    fc.uuid().map((text) => text.toUpperCase()),
    fc
      .date({ noInvalidDate: true, min: new Date("1900-01-01"), max: new Date("2099-12-31") })
      .map((day) => day.toISOString().slice(0, 10)),
    fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 })).map((parts) => parts.join("-")),
    fc.stringMatching(/^[A-Z]{2}[0-9]{6}[A-Z]$/),
  ];
  const pair = fc.oneof(...kinds.map((kind) => fc.tuple(kind, kind)));
  fc.assert(
    fc.property(pair, ([one, other]) => {
      fc.pre(one !== other);
      expect(findKeyCorruption(one, other)).toBeUndefined();
      expect(visibleKeyCorruption(one)).toBeUndefined();
    }),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(number, (value) => {
      expect(findKeyCorruption(String(value), String(value + 1))).toBeUndefined();
    }),
  );
});

test("if no normal form is stored for a key, its normal form is the key without dashes", () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[-+'=A-Za-z0-9 ._/,E"]{0,12}$/),
    fc.stringMatching(/^[A-Z0-9-]{1,9}$/),
  );
  fc.assert(
    fc.property(text, (key) => {
      expect(storedNormalKey(key) ?? key.replaceAll("-", "")).toBe(normalKey(key));
      const bytes = new TextEncoder().encode(key);
      expect(isPlainKey(bytes, 0, bytes.length) && normalKey(key) !== key.replaceAll("-", "")).toBe(false);
    }),
    { numRuns: 3000 },
  );
});

test("the kind of corruption is the same whichever of the two keys is known", () => {
  const digits = fc.stringMatching(/^[0-9]{1,12}$/);
  const corruptions = [
    (key: string) => key.replace(/^0+(?=.)/, ""),
    (key: string) => `'${key}`,
    (key: string) => `="${key}"`,
    (key: string) => `${key}.0`,
    (key: string) => `+${key}`,
    (key: string) => `${key.slice(0, 1)}-${key.slice(1)}`,
  ];
  fc.assert(
    fc.property(digits, fc.constantFrom(...corruptions), (key, corruption) => {
      const changed = corruption(key);
      fc.pre(changed !== key);
      const found = findKeyCorruption(key, changed);
      expect(found).toBeDefined();
      expect(findKeyCorruption(changed, key)?.kind).toBe(found?.kind);
    }),
  );
});

test.each([
  ["1.40384E+11", "scientific"],
  ["1,40384e+11", "scientific"],
  ["1E+11", "scientific"],
  ["'0001", "apostrophe"],
  ['="0001"', "formula"],
  ["#REF!", "formula"],
  ["1E5", undefined],
  ["EXT-1", undefined],
  ["+44", undefined],
])("recognises the corruption of the key %s without another key: %s", (key, kind) => {
  expect(visibleKeyCorruption(key)).toBe(kind);
});
