import { type AttrPath, NON_FIELD_ERRORS, parseAttr } from "../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberAt } from "../json/json-value.ts";
import type { PlatformProblem } from "../model/problem.ts";
import { limitProblems } from "../model/problem-limit.ts";
import { shapeOf } from "../text/shape.ts";
import type { RecordToSend } from "./upload-types.ts";
import { dateForms } from "../text/day-notations.ts";
import { type DecodedText, placedReadingsOf, readingsOf, rewritten } from "../text/escapes.ts";

/** The parts of a record that the problems in a reply concern. */
type ReportedRecord = Pick<RecordToSend, "payload" | "locate" | "steps" | "parameters" | "supplier">;

/**
 * Adds the source cell and the shape of the value to each platform problem. Platform messages often quote values of the
 * record, even of other fields. These values are replaced by their shapes in the detail, in the code, and in an attr
 * that the payload does not have.
 * @param codes the choices in the contract, which are not confidential
 */
export function locateProblems(
  problems: readonly PlatformProblem[],
  { payload, locate, steps, parameters = {}, supplier }: ReportedRecord,
  codes?: ReadonlySet<string>,
): readonly PlatformProblem[] {
  if (problems.length === 0) return problems;
  const isCode = (value: string): boolean => value === supplier || codes?.has(value) === true;
  const mask = createValueMask([payload, ...(steps?.values() ?? []), parameters], isCode);
  return limitProblems(problems).map((problem) => {
    const path = parseAttr(problem.attr).filter((segment) => segment !== NON_FIELD_ERRORS);
    const { node, reached } = descend(payload, path);
    const place = locate(path);
    return {
      ...problem,
      attr: reached ? problem.attr : mask(problem.attr),
      code: mask(problem.code),
      detail: mask(problem.detail, typeof node === "string" || typeof node === "number" ? String(node) : undefined),
      ...(place === undefined ? {} : { place }),
      ...(reached && path.length > 0 ? { shape: shapeOf(node) } : {}),
    };
  });
}

/** Returns the value at the path or, if there is none, at its longest existing prefix. */
function descend(payload: JsonObject, path: AttrPath): { readonly node: JsonValue; readonly reached: boolean } {
  let node: JsonValue = payload;
  for (const segment of path) {
    const next = memberAt(node, segment);
    if (next === undefined) return { node, reached: false };
    node = next;
  }
  return { node, reached: true };
}

/**
 * Replaces the values of a record in a text by their shapes. `own` is the value that the text is about: it is also
 * replaced if it looks like a code or an ordinary word.
 */
type ValueMask = (text: string, own?: string) => string;

/** Shorter values are not masked. */
const MIN_LENGTH = 3;
/** Text with fewer digits and without letters is not masked: limits, counts and amounts. */
const MIN_DIGITS = 5;
/** Values of this length are also masked inside longer words, and with other whitespace. */
const MIN_INSIDE = 6;

const ORDINARY_WORD = /^[a-z_]+$/;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/**
 * Returns a mask that hides the texts and numbers in these values. It finds them in any letter case and Unicode form,
 * and escaped for HTML, JSON or URLs. It finds dates in other notations, too.
 * @param isCode whether a value is a code, which is not confidential
 */
function createValueMask(values: readonly JsonValue[], isCode: (value: string) => boolean): ValueMask {
  const forms = [...new Set(values.flatMap(scalarsIn))]
    .filter((value) => value.length >= MIN_LENGTH && !isNumberOrCode(value) && !isCode(value))
    .flatMap((value) => formsOf(value));
  return (text, own = "") => {
    const ownForms = own.length < MIN_LENGTH ? [] : formsOf(own, own);
    return masked(text, ownForms.length === 0 ? forms : [...ownForms, ...forms]);
  };
}

function scalarsIn(value: JsonValue): readonly string[] {
  if (isJsonArray(value)) return value.flatMap(scalarsIn);
  if (isJsonObject(value)) return Object.values(value).flatMap(scalarsIn);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

function isNumberOrCode(value: string): boolean {
  const isShortNumber = /^[\d\s.,:+/-]*$/.test(value) && value.replaceAll(/\D/g, "").length < MIN_DIGITS;
  return isShortNumber || /^[A-Z0-9]+(?:_[A-Z0-9]+)+$/.test(value);
}

/** One notation of a value. */
interface Form {
  readonly text: string;
  readonly folded: string;
  readonly shape: string;
  readonly own: string | undefined;
  readonly hasSpace: boolean;
}

function formsOf(value: string, own?: string): readonly Form[] {
  const dates = /^\d{4}-\d\d-\d\d/.test(value) ? dateForms(value).filter(({ length }) => length >= MIN_INSIDE) : [];
  const hasSpace = /\s/.test(value);
  const all = new Set([value, ...(hasSpace ? [value.trim().replaceAll(/\s+/g, "+")] : []), ...dates]);
  // Whitespace alone hides nothing, and an empty text would be found everywhere.
  const texts = [...all].filter((text) => text.trim() !== "");
  const shape = shapeOf(value);
  return texts.map((text) => {
    const [bare = ""] = readingsOf(text);
    return { text, folded: bare.replaceAll(FOLDED, fold), shape, own, hasSpace };
  });
}

/** Characters that are changed by `fold`, which decomposes them and converts them to lower case. */
const FOLDED = /[^!-@[-~]/gu;

function fold(character: string): string {
  return character.normalize("NFD").toLowerCase();
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly shape: string;
}

function masked(text: string, forms: readonly Form[]): string {
  const body = text.replace(CUT_OFF, "");
  const isCut = body.length < text.length;
  const spans = forms.flatMap((form) => [...literalSpans(body, form)]);
  for (const reading of placedReadingsOf(body)) {
    const folded = rewritten(reading, FOLDED, fold);
    for (const form of forms) spans.push(...spansIn(folded, form, { body, isCut }));
  }
  let result = "";
  let done = 0;
  for (const { from, to, shape } of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (from >= done) result += text.slice(done, from) + shape;
    done = Math.max(done, to);
  }
  return result + text.slice(done);
}

/** The end of a text that was cut off, with the beginning of an escape before it. */
const CUT_OFF = /(?:[\\&%][#\w]{0,8})?(?:…|\.\.\.)$/u;

function* literalSpans(body: string, { text, shape, own }: Form): Generator<Span> {
  for (let from = body.indexOf(text); from !== -1; from = body.indexOf(text, from + text.length)) {
    const to = from + text.length;
    if (own === text || (isBounded(body, from, to) && !ORDINARY_WORD.test(text))) yield { from, to, shape };
  }
}

interface ReadText {
  readonly body: string;
  /** Whether the text may end in the middle of a value. */
  readonly isCut: boolean;
}

function* spansIn({ text, from, to }: DecodedText, form: Form, { body, isCut }: ReadText): Generator<Span> {
  const { folded, shape } = form;
  if (folded === "") return;
  const spanOf = (start: number, end: number): Span => ({ from: from[start] ?? 0, to: to[end - 1] ?? 0, shape });
  for (let start = text.indexOf(folded); start !== -1; start = text.indexOf(folded, start + 1)) {
    const span = spanOf(start, start + folded.length);
    if (isWhole(span, form, body)) yield span;
  }
  if (!isCut) return;
  const beginning = folded.slice(0, MIN_LENGTH);
  for (let start = text.indexOf(beginning); start !== -1; start = text.indexOf(beginning, start + 1)) {
    if (folded.startsWith(text.slice(start))) yield spanOf(start, text.length);
  }
}

/** Whether the text at the span is the value, and not a part of other words. */
function isWhole({ from, to }: Span, { folded, own, hasSpace }: Form, body: string): boolean {
  const found = body.slice(from, to);
  if (ORDINARY_WORD.test(found)) return false;
  if (own !== undefined || folded.length >= MIN_INSIDE) return true;
  return isBounded(body, from, to) && (hasSpace || !/\s/.test(found));
}

/** Whether neither a letter nor a digit is next to the span, except in an escape. */
function isBounded(body: string, from: number, to: number): boolean {
  const before = body.slice(0, from).replace(/(?:\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[nrt]|%[0-9a-f]{2})$/i, " ");
  return !WORD_CHARACTER.test(before.slice(-1)) && !WORD_CHARACTER.test(body.charAt(to));
}
