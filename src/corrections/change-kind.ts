import { iconv } from "../read/text/iconv.ts";
import { dateForms } from "../text/day-notations.ts";

/** `before`: the previous value, if it could be reconstructed. */
export interface CellChange {
  readonly kind: ChangeKind;
  readonly before?: string;
}

/** Descriptions of changes to cells, as phrases that follow a comma, by the cause of the change. */
export const CHANGE_WORDS = {
  zeros: "a spreadsheet drops leading zeros",
  plus: "a spreadsheet drops a leading plus sign",
  spaces: "only spaces differ",
  case: "only the case differs: spreadsheets write TRUE and FALSE",
  decimals: "a spreadsheet reformats numbers",
  date: "a spreadsheet reformats dates",
  time: "a spreadsheet reformats times",
  scientific: "a spreadsheet shortens long numbers; their digits are lost",
  digits: "a spreadsheet keeps only 15 digits of a number; the remaining digits are lost",
  quotes: "curly quotation marks or dashes instead of plain ones",
  encoding: "read or saved in the wrong encoding",
  line_ends: "only the line endings inside the cell differ",
  formula: "an error in a spreadsheet formula",
  emptied: "now empty",
  filled: "was empty",
  other: "a different value",
} as const;

export type ChangeKind = keyof typeof CHANGE_WORDS;

export function isChangeKind(kind: unknown): kind is ChangeKind {
  return typeof kind === "string" && Object.hasOwn(CHANGE_WORDS, kind);
}

export type IsPreviousValue = (candidate: string) => boolean;

/** Previous values that a program could have changed into `value`, and the kind of change. */
interface Guess {
  readonly kind: ChangeKind;
  readonly candidates: (value: string) => readonly string[];
}

/**
 * Returns a function that explains changed cells. Only a fingerprint of the previous value is known, so the function
 * tries to reverse each kind of change that programs make. It tries the kind of the last change first.
 */
export function createChangeExplainer(): (value: string, wasEmpty: boolean, wasBefore: IsPreviousValue) => CellChange {
  let last: Guess | undefined;
  return (value, wasEmpty, wasBefore) => {
    if (wasEmpty) return { kind: "filled", before: "" };
    if (value === "") return { kind: "emptied" };
    for (const guess of last === undefined ? GUESSES : [last, ...GUESSES]) {
      const before = guess.candidates(value).find((candidate) => candidate !== value && wasBefore(candidate));
      if (before === undefined) continue;
      last = guess;
      return { kind: guess.kind, before };
    }
    return { kind: kindByFormat(value) };
  };
}

/** Whether a change of this kind usually comes from a program and is rarely intended by the user. */
export function isSpreadsheetChange(kind: ChangeKind): boolean {
  return kind !== "other" && kind !== "emptied" && kind !== "filled";
}

/** Returns the kind of a change that cannot be undone but can still be recognised; `other` for any other change. */
function kindByFormat(value: string): ChangeKind {
  if (/^[-+]?\d(?:[.,]\d+)?E\+?\d+$/i.test(value)) return "scientific";
  if (/^\d{15}0+$/.test(value)) return "digits";
  if (/^#(?:REF!|NAME\?|VALUE!|DIV\/0!|N\/A|NUM!|NULL!)$/.test(value) || /^Err:\d{3}$/.test(value)) return "formula";
  return value.includes("\uFFFD") ? "encoding" : "other";
}

const MAX_ZEROS = 20;

const GUESSES: readonly Guess[] = [
  { kind: "zeros", candidates: withZeros },
  {
    kind: "plus",
    candidates: (value) => (/^\d/.test(value) ? [`+${value}`, ...withZeros(value).map((text) => `+${text}`)] : []),
  },
  { kind: "spaces", candidates: spaced },
  { kind: "case", candidates: (value) => [value.toLowerCase(), value.toUpperCase(), capitalised(value)] },
  { kind: "decimals", candidates: decimals },
  { kind: "date", candidates: dateForms },
  { kind: "time", candidates: (value) => (/^\d{1,2}:\d\d/.test(value) ? times(value) : []) },
  { kind: "scientific", candidates: withoutExponent },
  { kind: "quotes", candidates: plainMarks },
  { kind: "encoding", candidates: otherEncodings },
  {
    kind: "line_ends",
    candidates: (value) =>
      /[\r\n]/.test(value)
        ? [value.replace(/\r?\n/g, "\r\n"), value.replace(/\r\n?/g, "\n"), value.replace(/\r?\n/g, "\r")]
        : [],
  },
];

function withZeros(value: string): readonly string[] {
  const [, sign = "", digits] = /^(-?)(\d+(?:[.,]\d+)?)$/.exec(value) ?? [];
  if (digits === undefined) return [];
  return Array.from({ length: MAX_ZEROS }, (_, index) => sign + "0".repeat(index + 1) + digits);
}

function spaced(value: string): readonly string[] {
  const pads = [" ", "  ", "\u00A0", "\t"];
  return [
    value.trim(),
    value.trimEnd(),
    value.trimStart(),
    value.replace(/\s+/gu, " "),
    value.replace(/\s+/gu, "\u00A0"),
    ...pads.flatMap((pad) => [value + pad, pad + value, pad + value + pad]),
  ];
}

function capitalised(value: string): string {
  return value.slice(0, 1).toUpperCase() + value.slice(1).toLowerCase();
}

/** Returns possible previous values of a decimal: `1.50` may be saved as `1.5` or `1,5`, and `1,234.5` as `1234.5`. */
function decimals(value: string): readonly string[] {
  if (!/^[-+]?[\d.,]+%?$/.test(value)) return [];
  const point = value.replace(",", ".");
  const written = [value, point, value.replace(".", ",")];
  const grouped = point.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ","));
  const zeros = ["", "0", "00", "000", "0000"].flatMap((tail) => {
    const fraction = value.includes(".") || value.includes(",") ? tail : tail && `.${tail}`;
    return [...written, grouped].flatMap((text) => [text + fraction, text.replace(/^(-?)0(?=[.,])/, "$1") + fraction]);
  });
  return [
    ...zeros,
    ...zeros.map((text) => text.replace(".", ",")),
    ...withZeros(value).flatMap((text) => [`${text}.0`, `${text}.00`]),
    value.replace(/[.,]0+$/, ""),
    value.replace(/0+$/, ""),
  ];
}

function times(value: string): readonly string[] {
  const short = value.replace(/:00$/, "");
  return [short, `${value}:00`, short.replace(/^0/, ""), value.replace(/^0/, ""), `0${value}`, `0${short}`];
}

/**
 * Returns possible previous values of a number that was saved with an exponent. Digits that are missing from the
 * exponent form become zeros.
 */
function withoutExponent(value: string): readonly string[] {
  const [, whole, decimal = "", exponent] = /^(\d)(?:[.,](\d+))?E\+?(\d{1,2})$/i.exec(value) ?? [];
  if (whole === undefined) return [];
  const zeros = Number(exponent) - decimal.length;
  const digits = zeros < 0 ? "" : whole + decimal + "0".repeat(zeros);
  return digits === "" ? [] : [digits, ...withZeros(digits)];
}

function plainMarks(value: string): readonly string[] {
  const plain = value
    .replace(/[\u2018\u2019\u201A\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u2033]/g, '"')
    .replace(/\u2026/g, "...");
  return [
    plain.replace(/[\u2013\u2014]/g, "-"),
    plain.replace(/[\u2013\u2014]/g, "--"),
    value.replaceAll("'", "\u2019"),
    `'${value}`,
    value.replace(/^'/, ""),
  ];
}

/**
 * Returns possible previous values after a change of encoding: `O’Brien` read as windows-1252 is `Oâ€™Brien`.
 * Characters that windows-1252 does not contain cannot be restored, because they are saved as question marks.
 */
function otherEncodings(value: string): readonly string[] {
  if (/^\p{ASCII}*$/u.test(value)) return [];
  const undone = ["windows-1252", "iso-8859-1"].map((name) => iconv().encode(value, name).toString("utf8"));
  const done = ["windows-1252", "iso-8859-1"].map((name) => iconv().decode(Buffer.from(value, "utf8"), name));
  return [...undone, ...done, value.normalize("NFC"), value.normalize("NFD")];
}
