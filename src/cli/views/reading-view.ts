import type { TokenRecord } from "../../commands/reading/token.ts";
import type { JsonObject } from "../../json/json-value.ts";
import type { Page, PageSelection } from "../../platform/reading/pagination.ts";
import { PRODUCT_FIELDS } from "../../platform/reading/product-list.ts";
import type { Product, UnitRate } from "../../platform/reading/received-records.ts";
import type { RecordFormat } from "../../report/formats/output-format.ts";
import { type RecordView, recordWriter } from "../../report/record-formats.ts";
import { plainText } from "../../text/plain-text.ts";
import { type LondonTime, londonTime } from "../../time/london-time.ts";
import type { Context } from "../process/context.ts";
import type { View } from "./view.ts";

/**
 * Writes each page as it arrives, until the reader closes stdout. Notifies the user if there are more pages. Returns 0.
 */
export async function showRecords<T extends JsonObject>(
  pages: AsyncIterable<Page<T>>,
  { view, format, extent }: { view: RecordView<T>; format: RecordFormat; extent: PageSelection },
  { dependencies, logger, write, isStdoutOpen }: Context,
): Promise<number> {
  const writer = recordWriter(format, view, { ...dependencies.screen, notice: logger.notice });
  let shown = 0;
  for await (const page of pages) {
    await write(writer.add(page));
    if (!isStdoutOpen()) return 0;
    shown += page.results.length;
    const total = page.count === undefined ? "" : ` of ${page.count}`;
    if (extent === "first" && page.hasNext) logger.notice(`The first ${shown}${total}; --all reads all pages`);
  }
  await write(writer.end());
  if (shown === 0) logger.notice("The platform has no matching entries");
  return 0;
}

/** Shows products: code, name, first and last day in London time, and properties. */
export const productView: RecordView<Product> = {
  columns: ["code", "name", "from", "until", "properties"],
  cells: (product) => [
    product.code,
    product.display_name ?? product.full_name ?? "",
    formatLondonTime(product.available_from, ({ day }) => day),
    formatLondonTime(product.available_to, ({ day }) => day),
    traits(product).join(", "),
  ],
  members: PRODUCT_FIELDS,
};

function traits(product: Product): readonly string[] {
  const { direction, term } = product;
  return [
    ...(direction === "IMPORT" || !direction ? [] : [direction]),
    ...(typeof term === "number" ? [`${term} months`] : []),
    ...(["green", "variable", "tracker", "prepay", "business", "restricted"] as const).filter(
      (trait) => product[`is_${trait}`] === true,
    ),
  ];
}

/** Shows rates: the period in London time, and the values as received. */
export const rateView: RecordView<UnitRate> = {
  columns: [
    "from (London)",
    "to (London)",
    { title: "exc. VAT", align: "right" },
    { title: "inc. VAT", align: "right" },
    "payment",
  ],
  cells: ({ valid_from, valid_to, value_exc_vat, value_inc_vat, payment_method }) => [
    timeOf(valid_from),
    timeOf(valid_to),
    value_exc_vat,
    value_inc_vat,
    payment_method ?? "",
  ],
  members: ["value_exc_vat", "value_inc_vat", "valid_from", "valid_to", "payment_method"],
};

function timeOf(time: string | null | undefined): string {
  return formatLondonTime(time, ({ day, clock, zone }) => `${day} ${clock} ${zone}`);
}

/**
 * Renders a time from the platform as London time. Returns an invalid time unchanged, and an empty string for a missing
 * time.
 */
function formatLondonTime(time: string | null | undefined, show: (london: LondonTime) => string): string {
  if (time === null || time === undefined) return "";
  try {
    return show(londonTime(time));
  } catch (error) {
    if (error instanceof RangeError) return time;
    throw error;
  }
}

/** Shows the platform, scheme, identity and expiry of a token, one per line. As data, times are in ISO 8601 UTC. */
export const tokenView: View<TokenRecord> = { text: tokenText, json: tokenJson };

function tokenText(record: TokenRecord): string {
  const { platform, scheme, from, ended, expiresAt, refreshExpiresAt, token } = record;
  const end = `${expiresAt === undefined ? "unknown" : localTime(expiresAt)}${ended ? ", expired" : ""}`;
  const lines = [
    ["platform", platform],
    ["scheme", SCHEME_TEXT[scheme]],
    ...(from === "none" ? [] : [["token", TOKEN_SOURCE_TEXT[from]]]),
    ...identity(record).map(([name, value]) => [CLAIM_LABELS[name], value]),
    ...(from === "none" ? [] : [["expires", end]]),
    ...(refreshExpiresAt === undefined ? [] : [["refresh expires", localTime(refreshExpiresAt)]]),
    ...(token === undefined ? [] : [["secret", token]]),
  ];
  return lines.map(([label = "", value = ""]) => `${label.padEnd(17)}${plainText(value, MAX_TOKEN_LENGTH)}\n`).join("");
}

function tokenJson(record: TokenRecord): string {
  const { platform, scheme, from, ended, expiresAt, refreshExpiresAt, token } = record;
  const shown = {
    platform,
    scheme,
    from,
    claims: Object.fromEntries(identity(record)),
    ...(expiresAt !== undefined && { expiresAt: iso(expiresAt), ended }),
    ...(refreshExpiresAt !== undefined && { refreshExpiresAt: iso(refreshExpiresAt) }),
    token,
  };
  return `${JSON.stringify(shown, undefined, 2)}\n`;
}

const MAX_TOKEN_LENGTH = 16_384;

const SCHEME_TEXT: Readonly<Record<TokenRecord["scheme"], string>> = {
  Token: "Authorization: Token <token>",
  JWT: "Authorization: JWT <token>",
  Bearer: "Authorization: Bearer <token>",
  none: "Authorization: <token>",
  basic: "Authorization: Basic, with the API key as the user name and an empty password; no token",
};

const TOKEN_SOURCE_TEXT = {
  login: "obtained with the API key",
  given: "provided, not checked with the platform",
} as const;

/** The claims to show: subject, grant type and issuer. All other claims may be personal data. */
const CLAIM_LABELS = { sub: "subject", gty: "grant type", iss: "issuer" } as const;

function identity({ claims }: TokenRecord): readonly (readonly [keyof typeof CLAIM_LABELS, string])[] {
  return (["sub", "gty", "iss"] as const).flatMap((name) => {
    const value = claims[name];
    return typeof value === "string" || typeof value === "number" ? [[name, plainText(String(value))] as const] : [];
  });
}

/** Renders a time in the local time zone, then in UTC: `21 Nov 2026, 02:48:58 UTC (2026-11-21T02:48:58.000Z)`. */
function localTime(seconds: number): string {
  const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
  return `${local.format(seconds * 1000)} (${iso(seconds)})`;
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
