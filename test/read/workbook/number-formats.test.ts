import fc from "fast-check";
import { expect, it } from "vitest";
import { cells, read, source } from "../reading.ts";
import { rawWorkbook, textRow } from "./raw-workbook.ts";

/** A number `digits * 10 ** exponent` with at most 15 digits, in a cell with a format. */
interface FormattedNumber {
  readonly isNegative: boolean;
  readonly digits: bigint;
  readonly exponent: number;
  readonly format: NumberFormatCase;
}

/** `places`: the decimal places that are shown; `shift`: the power of ten that multiplies the number. */
interface NumberFormatCase {
  readonly code: string;
  readonly places: number;
  readonly shift: number;
  readonly suffix?: string;
  /** The decimal places of negative numbers, which the format shows in parentheses. */
  readonly negativePlaces?: number;
}

const FORMATS: readonly NumberFormatCase[] = [
  { code: "0", places: 0, shift: 0 },
  { code: "0.00", places: 2, shift: 0 },
  { code: "0.000", places: 3, shift: 0 },
  { code: "0.000000", places: 6, shift: 0 },
  { code: "0%", places: 0, shift: 2, suffix: "%" },
  { code: "0.0%", places: 1, shift: 2, suffix: "%" },
  { code: "0,", places: 0, shift: -3 },
  { code: "0.00,,", places: 2, shift: -6 },
  { code: "0.00;(0.0)", places: 2, shift: 0, negativePlaces: 1 },
  { code: "0;(0.000)", places: 0, shift: 0, negativePlaces: 3 },
];

it("numbers are rounded like in a spreadsheet program, half away from zero, with a warning", async () => {
  const digits = fc.oneof(fc.stringMatching(/^[1-9]\d{0,14}$/), fc.stringMatching(/^[1-9]\d{0,13}5$/));
  const number = fc.record({
    isNegative: fc.boolean(),
    digits: digits.map(BigInt),
    exponent: fc.integer({ min: -12, max: 0 }),
    format: fc.constantFrom(...FORMATS),
  });
  const numbers = fc.array(number, { minLength: 60, maxLength: 60, size: "max" });
  await fc.assert(
    fc.asyncProperty(numbers, async (cases) => {
      expect(await readNumbers(cases)).toEqual(cases.map(shownExactly));
    }),
    { numRuns: 20 },
  );
});

/** Returns the text of each number in a workbook, and whether there is a warning that it is rounded. */
async function readNumbers(cases: readonly FormattedNumber[]): Promise<readonly unknown[]> {
  const rows = cases.map(
    (one, index) => `<row r="${index + 2}"><c s="${FORMATS.indexOf(one.format) + 1}"><v>${stored(one)}</v></c></row>`,
  );
  const sheet = textRow(1, ["A"]) + rows.join("");
  const path = await rawWorkbook({ sheets: { S: sheet }, formats: FORMATS.map(({ code }) => code) });
  const { records } = await read(source(path));
  return records.map(({ row, problems }) => ({
    shown: cells(row)[0],
    isRounded: problems.some(({ code }) => code === "source_rounded_number"),
  }));
}

function stored({ isNegative, digits, exponent }: FormattedNumber): string {
  return String(Number(`${isNegative ? "-" : ""}${digits}e${exponent}`));
}

/** Rounds with exact arithmetic. A number with more than 15 digits, including trailing zeros, is shown as it is. */
function shownExactly({ isNegative, digits, exponent, format }: FormattedNumber): unknown {
  const { places, shift, suffix = "", negativePlaces } = format;
  const inParentheses = isNegative && negativePlaces !== undefined;
  const decimals = inParentheses ? negativePlaces : places;
  const power = exponent + shift + decimals;
  const unit = 10n ** BigInt(Math.max(0, -power));
  const scaled = digits * 10n ** BigInt(Math.max(0, power));
  const minus = isNegative ? "-" : "";
  if (scaled / unit >= 10n ** 15n) return { shown: minus + plain(digits, -exponent), isRounded: false };
  const rounded = (scaled + unit / 2n) / unit;
  const text = withPoint(rounded, decimals) + suffix;
  const isRounded = scaled % unit !== 0n;
  return { shown: inParentheses ? `(${text})` : (rounded === 0n ? "" : minus) + text, isRounded };
}

function withPoint(digits: bigint, places: number): string {
  const text = String(digits).padStart(places + 1, "0");
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
}

function plain(digits: bigint, places: number): string {
  return places === 0 ? String(digits) : withPoint(digits, places).replace(/\.?0+$/, "");
}
