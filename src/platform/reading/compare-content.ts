import type { ReadBack } from "../../contract/operations/operation.ts";
import { type FieldType, isNumeric, isOfKind, memberType } from "../../contract/types/field-type.ts";
import { acceptedOptions } from "../../contract/types/type-tree.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { isNumberText, isSameDecimal } from "../../json/decimal-arithmetic.ts";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberAt,
  valueAt,
} from "../../json/json-value.ts";
import type { MappedValues } from "../../model/record.ts";
import { strip } from "../../text/unicode-text.ts";
import { isIsoDate, utcDateTime } from "../../time/calendar.ts";
import { resolveTime } from "../../time/london-time.ts";
import { accountAt, isEmpty } from "../reply/reply-body.ts";

export interface LookupRecord extends MappedValues {
  /** False if another version of the record was sent, so only its key can be compared. */
  readonly isAsSent: boolean;
  /** If true, finding the key alone proves nothing, so every operation that compares further attrs is queried too. */
  readonly needsContent?: boolean;
}

/** A record that exists on the platform. `different`: the values of these attrs differ. */
export type ComparedRecord =
  | ({ readonly kind: "found" } & FoundRecord)
  | ({ readonly kind: "different"; readonly attrs: readonly string[] } & FoundRecord);

interface FoundRecord {
  readonly account?: string;
  /** The attrs of the content that were compared; empty if only the key could be compared. */
  readonly compared: readonly string[];
  /** The attrs that the contract compares, with the platform's values as text. */
  readonly values: ReadonlyMap<string, string>;
}

/**
 * Returns the attrs of the content that can be compared with these operations. The key and the parameters identify the
 * record.
 */
export function comparedAttrs(readBacks: readonly ReadBack[], key: AttrPath): readonly string[] {
  const attrs = readBacks.flatMap(({ match, parameters }) => {
    const identifying = new Set([key, ...Object.values(parameters)].map(formatAttr));
    return match.map(({ payload }) => formatAttr(payload)).filter((attr) => !identifying.has(attr));
  });
  return [...new Set(attrs)];
}

export function compareContent(
  reply: JsonValue,
  { payload, isAsSent }: LookupRecord,
  readBack: ReadBack,
  key: AttrPath,
): ComparedRecord {
  const { match, account: place } = readBack;
  const pairs = match.map(({ reply: at, payload: attr, type }) => {
    const [replied, sent] = [valueAt(reply, at), valueAt(payload, attr)];
    return { attr: formatAttr(attr), replied, sent, isEqual: isSame(replied, sent, type) };
  });
  const content = new Set(isAsSent ? comparedAttrs([readBack], key) : []);
  const found = {
    ...accountAt(reply, place === undefined ? [] : [place]),
    // Values that were not sent can be equal, but prove nothing.
    compared: pairs
      .filter(({ attr, sent, isEqual }) => content.has(attr) && !(isEqual && isEmpty(sent)))
      .map(({ attr }) => attr),
    values: new Map(pairs.map(({ attr, replied }) => [attr, textOf(replied)])),
  };
  const attrs = pairs.filter(({ isEqual }) => isAsSent && !isEqual).map(({ attr }) => attr);
  return attrs.length === 0 ? { kind: "found", ...found } : { kind: "different", attrs, ...found };
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? scalarText(value) : "";
}

/**
 * Whether the platform's value matches the sent value. The platform may return numbers as text, decimals in another
 * form, text without surrounding whitespace, and date-times in a different time zone or with fractions of a second. An
 * empty value matches an absent value. If no value was sent, the default of the type also matches. Members that were
 * not sent are ignored.
 */
function isSame(replied: JsonValue | undefined, sent: JsonValue | undefined, type: FieldType | undefined): boolean {
  if (sent === undefined && type?.default !== undefined && isSame(replied, type.default, type)) return true;
  if (isEmpty(replied) || isEmpty(sent)) return isEmpty(replied) && isEmpty(sent);
  return optionsFor(type, sent).some((option) => isSameAs(replied, sent, option));
}

/** Returns the type, or the options of a union that allow the JSON type of the value. */
function optionsFor(type: FieldType | undefined, value: JsonValue | undefined): readonly (FieldType | undefined)[] {
  if (type?.kind !== "union") return [type];
  const options = acceptedOptions(type).filter(({ kind }) => isOfKind(kind, value));
  return options.length === 0 ? [undefined] : options.flatMap((option) => optionsFor(option, value));
}

function isSameAs(replied: JsonValue | undefined, sent: JsonValue | undefined, type: FieldType | undefined): boolean {
  if (isJsonArray(replied) && isJsonArray(sent)) return isSameList(replied, sent, type);
  if (isJsonObject(replied) && isJsonObject(sent)) return isSameObject(replied, sent, type);
  return isScalar(replied) && isScalar(sent) && isSameScalar(replied, sent, type);
}

function isSameList(replied: readonly JsonValue[], sent: readonly JsonValue[], type: FieldType | undefined): boolean {
  const items = type?.kind === "list" ? type.items : undefined;
  return replied.length === sent.length && sent.every((item, index) => isSame(replied[index], item, items));
}

function isSameObject(replied: JsonObject, sent: JsonObject, type: FieldType | undefined): boolean {
  const typeOf = (name: string) => (type?.kind === "object" ? memberType(type, name) : undefined);
  return Object.entries(sent).every(([name, member]) => isSame(memberAt(replied, name), member, typeOf(name)));
}

function isSameScalar(replied: Scalar, sent: Scalar, type: FieldType | undefined): boolean {
  const [one, other] = [storedText(replied, type), storedText(sent, type)];
  if (type?.kind === "text" && typeof replied === "boolean") return false;
  if (type && isNumeric(type) && isNumberText(one) && isNumberText(other)) return isSameDecimal(one, other);
  if (type?.kind === "datetime" && isIsoDate(other) && isStartOfDay(one, other)) return true;
  return utcDateTime(one) === utcDateTime(other);
}

function storedText(value: Scalar, type: FieldType | undefined): string {
  const isStoredAsGiven = type?.kind === "text" && (type.documentPath !== false || type.format === "uuid");
  return isStoredAsGiven ? scalarText(value) : strip(scalarText(value));
}

/**
 * Whether a date-time is the start of a day: the platform reads a date in a date-time field as the start of that day,
 * in London or in its own zone.
 */
function isStartOfDay(dateTime: string, day: string): boolean {
  return utcDateTime(dateTime) === resolveTime(day, day).utc || dateTime.startsWith(`${day}T00:00:00`);
}

type Scalar = string | number | boolean;

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function scalarText(value: Scalar): string {
  return String(value).normalize("NFC");
}
