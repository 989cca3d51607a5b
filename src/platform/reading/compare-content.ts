import type { ReadBack } from "../../contract/operations/operation.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  valueAt,
} from "../../json/json-value.ts";
import { utcDateTime } from "../../time/calendar.ts";
import { accountAt, isEmpty } from "../reply/reply-body.ts";

export interface LookupRecord {
  readonly payload: JsonObject;
  /** The values of the request parameters, by name. */
  readonly parameters?: JsonObject | undefined;
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

/** Compares a reply, or an item of a list, with the record. */
export function compareContent(
  reply: JsonValue,
  { payload, isAsSent }: LookupRecord,
  readBack: ReadBack,
  key: AttrPath,
): ComparedRecord {
  const { match, account: place } = readBack;
  const pairs = match.map((one) => ({
    attr: formatAttr(one.payload),
    replied: valueAt(reply, one.reply),
    sent: valueAt(payload, one.payload),
  }));
  const content = new Set(isAsSent ? comparedAttrs([readBack], key) : []);
  const found = {
    ...accountAt(reply, place === undefined ? [] : [place]),
    // Two missing values are equal, but prove nothing.
    compared: pairs
      .filter(({ attr, replied, sent }) => content.has(attr) && !(isEmpty(replied) && isEmpty(sent)))
      .map(({ attr }) => attr),
    values: new Map(pairs.map(({ attr, replied }) => [attr, textOf(replied)])),
  };
  const attrs = pairs.filter(({ replied, sent }) => isAsSent && !isSame(replied, sent)).map(({ attr }) => attr);
  return attrs.length === 0 ? { kind: "found", ...found } : { kind: "different", attrs, ...found };
}

export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? scalarText(value) : "";
}

/**
 * Whether the platform's value matches the sent value. The platform may return numbers as text, and date-times in a
 * different time zone or with fractions of a second. An empty value matches an absent value.
 */
function isSame(replied: unknown, sent: unknown): boolean {
  if (isEmpty(replied) || isEmpty(sent)) return isEmpty(replied) && isEmpty(sent);
  if (isScalar(replied) && isScalar(sent)) return comparedText(replied) === comparedText(sent);
  return isStructure(replied) && isStructure(sent) && canonicalJson(replied) === canonicalJson(sent);
}

function isStructure(value: unknown): value is JsonObject | readonly JsonObject[] {
  return isJsonObject(value) || isJsonArray(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function comparedText(value: string | number | boolean): string {
  return utcDateTime(scalarText(value));
}

function scalarText(value: string | number | boolean): string {
  return String(value).normalize("NFC");
}
