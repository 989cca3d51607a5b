import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import type { LibraryOptions } from "../../options/option-row.ts";
import type { Fuel, RateKind } from "./rate-kinds.ts";

/**
 * A product (specification 2.2), with any other members that the platform sends. A number that a double cannot
 * represent is kept as text.
 */
export type Product = JsonObject & {
  readonly code: string;
  /** `IMPORT` and other values, which the specification does not list. */
  readonly direction?: string | null;
  readonly full_name?: string | null;
  readonly display_name?: string | null;
  readonly description?: string | null;
  readonly is_variable?: boolean | null;
  readonly is_green?: boolean | null;
  readonly is_tracker?: boolean | null;
  readonly is_prepay?: boolean | null;
  readonly is_business?: boolean | null;
  readonly is_restricted?: boolean | null;
  /** Null if the product has no fixed term. The specification does not define the type of other values. */
  readonly term?: JsonValue;
  /** ISO 8601 with a zone, like `available_to`. */
  readonly available_from?: string | null;
  /** Null if open-ended. */
  readonly available_to?: string | null;
  readonly links?: readonly JsonValue[] | null;
  readonly brand?: string | null;
};

/**
 * The filters in specification 4.1, and other filters that instances publish. All filters are optional and can be
 * combined.
 */
export const PRODUCT_FILTERS = {
  brand: { kind: "text", library: true },
  isGreen: { kind: "switch", library: true },
  isPrepay: { kind: "switch", library: true },
  isTracker: { kind: "switch", library: true },
  isVariable: { kind: "switch", library: true },
  isBusiness: { kind: "switch", library: true },
  /** Products that are no longer on sale. */
  isHistorical: { kind: "switch", library: true },
  /** ISO 8601 date-time with a zone. */
  availableAt: { kind: "text", library: true },
} as const;

export interface ProductFilters extends LibraryOptions<typeof PRODUCT_FILTERS> {}

/**
 * A rate (specification 2.3), with any other members that the platform sends. The values are decimal strings with every
 * digit that was sent, such as `-3.0150`.
 */
export type UnitRate = JsonObject & {
  readonly value_exc_vat: string;
  readonly value_inc_vat: string;
  /** ISO 8601 with a zone. */
  readonly valid_from: string;
  /** Null if the rate has no end yet. */
  readonly valid_to?: string | null;
  readonly payment_method?: string | null;
};

export interface RateRequest {
  readonly product: string;
  readonly tariff: string;
  readonly fuel: Fuel;
  readonly kind: RateKind;
  /** ISO 8601 date-time with a zone; selects rates that are valid at or after this time. */
  readonly from?: string | undefined;
  /** The exclusive end of the period. */
  readonly to?: string | undefined;
}

/** An account as the platform sends it; the specification does not define its fields (2.6). */
export interface Account {
  /** A number that a double cannot represent is kept as text. */
  readonly record: JsonObject;
  /** The received JSON without whitespace: nothing is added, lost or rounded. */
  readonly json: string;
}
