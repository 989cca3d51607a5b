import fc from "fast-check";
import { describe, expect, it } from "vitest";
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

/** 2023-03-15 23:59:59.997, the last moment of a day in SQL Server. */
const END_OF_DAY = 45000.99999996528;

it("numbers are rounded as in a spreadsheet program, half away from zero, with a warning", async () => {
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

/** Rounds with exact arithmetic. A number with more than 15 digits, including trailing zeros, is shown unchanged. */
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

type FormatCase = readonly [code: string, number: number, text: string];

describe.each<readonly [string, readonly FormatCase[]]>([
  [
    "negative durations have the hours and minutes of the positive duration, and one minus sign",
    [
      ["[h]:mm", -0.1, "-2:24"],
      ["[h]:mm", -1.25, "-30:00"],
      ["[h]:mm:ss", -1.25, "-30:00:00"],
      ["[mm]:ss", -1.25, "-1800:00"],
      ["[h]:mm;-[h]:mm", -0.5, "-12:00"],
      ["[h]:mm;[Red]-[h]:mm", -0.5, "-12:00"],
      ["[h]:mm;[Red][h]:mm", -0.5, "-12:00"],
      ["[h]:mm;([h]:mm)", -1.25, "(30:00)"],
      ["[>=1][h]:mm;[m]", -0.5, "-720"],
    ],
  ],
  [
    "a time in the last half second of a day stays on that day, unless the format rounds seconds",
    [
      ["dd/mm/yyyy", END_OF_DAY, "2023-03-15"],
      ["yyyy", END_OF_DAY, "2023-03-15"],
      ["hh:mm", END_OF_DAY, "23:59:59"],
      ["dd/mm/yyyy hh:mm", END_OF_DAY, "2023-03-15T23:59:59"],
      ["yyyy-mm-dd hh:mm:ss.000", END_OF_DAY, "2023-03-15T23:59:59"],
      ["dd/mm/yyyy hh:mm:ss", END_OF_DAY, "2023-03-16T00:00:00"],
      ["dd/mm/yyyy hh:mm", 45000.333333, "2023-03-15T08:00:00"],
      ["dd/mm/yyyy", 45000.9999999999, "2023-03-16"],
      ["hh:mm", -0.000001, "-0.000001"],
    ],
  ],
  [
    "a section without digits does not change how the other sections show numbers",
    [
      ['[=0]"-";00000', 12, "00012"],
      ['[=0]"";0000000000', 12, "0000000012"],
      ['[=0]"-";#,##0.00', 1234.567, "1,234.57"],
      ['[=1]"yes";[=0]"no";0', 1, "yes"],
      ['"Yes";"Yes";"No"', -1, "Yes"],
      ['[=0]"-";0.00E+00', 1234.567, "1234.567"],
      ['"n/a"', 12, "12"],
    ],
  ],
  [
    "a fraction is the nearest one that the format can show, or has all digits",
    [
      ["?/?", 2.01, "2/1"],
      ["?/?", 7.03, "7/1"],
      ["??/??", 7.03, "471/67"],
      ["# ?/?", 0.1, "1/9"],
      ["# ?/?", -2.1, "-2 1/9"],
      ["# ?/4", 2.3, "2 1/4"],
      ["# ?/4", 1.99, "2"],
      ["# ??/??", 1.99, "1.99"],
      ['# ?/?;-# ?/?;"-"', 0.01, "0"],
      ["# ?/4", -0.06, "0"],
    ],
  ],
])("%s:", (_, cases) => {
  it.each(cases)("the format %s and the number %s are read as %s", async (code, number, text) => {
    const sheet = `${textRow(1, ["A"])}<row r="2"><c s="1"><v>${number}</v></c></row>`;
    const { records } = await read(source(await rawWorkbook({ sheets: { S: sheet }, formats: [code] })));
    expect(records.map(({ row }) => cells(row))).toEqual([[text]]);
  });
});
