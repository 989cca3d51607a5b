import { isoSeconds } from "../../time/clock.ts";

/** A product as in API specification 2.2, but without its links. */
export interface Product {
  readonly code: string;
  readonly direction: "IMPORT" | "EXPORT";
  readonly full_name: string;
  readonly display_name: string;
  readonly description: string;
  readonly is_variable: boolean;
  readonly is_green: boolean;
  readonly is_tracker: boolean;
  readonly is_prepay: boolean;
  readonly is_business: boolean;
  readonly is_restricted: boolean;
  /** Term in months; null if there is no fixed term. */
  readonly term: number | null;
  /** ISO 8601 UTC, like `available_to`. */
  readonly available_from: string;
  readonly available_to: string | null;
  readonly brand: string;
}

export interface Tariff {
  readonly code: string;
  readonly product: Product;
  readonly fuel: "electricity" | "gas";
  /** Number of registers. One register has a single rate; two have a day rate and a night rate. */
  readonly registers: 1 | 2;
}

type Family = readonly [name: string, traits: Partial<Product>];

/** Product families. A family has one product for each quarter in `QUARTERS`. */
const FAMILIES: Readonly<Record<string, Family>> = {
  VAR: ["Variable", { is_variable: true }],
  "FIX-12M": ["Fixed for a year", { term: 12 }],
  "FIX-24M": ["Fixed for two years", { term: 24 }],
  "GREEN-12M": ["Green, fixed for a year", { is_green: true, term: 12 }],
  "GREEN-VAR": ["Green variable", { is_green: true, is_variable: true }],
  PREPAY: ["Pay as you go", { is_prepay: true, is_variable: true }],
  TRACKER: ["Tracker", { is_tracker: true, is_variable: true, is_green: true, term: 12 }],
  HALFHOURLY: ["Half-hourly", { is_variable: true, is_green: true }],
  BUSINESS: ["Business, fixed for three years", { is_business: true, term: 36 }],
  EXPORT: ["Export", { direction: "EXPORT", is_green: true, is_variable: true, is_restricted: true }],
};
const HALF_HOURLY = "HALFHOURLY";
const BRANDS = ["EXAMPLE_ENERGY", "GREENFIELD", "NORTHERN_LIGHT"] as const;
const QUARTERS = Array.from({ length: 13 }, (_, index) => Date.UTC(2022, index * 3, 1));
const REGIONS = "ABCDEFGHJKLMNP";

/** 130 products, which are the same in every sandbox: `VAR-24-01-01`, `FIX-12M-23-04-01`, `HALFHOURLY-24-10-01`... */
export const PRODUCTS: readonly Product[] = Object.entries(FAMILIES).flatMap(([code, family]) =>
  QUARTERS.map((start, index) => product(code, family, index, start)),
);
const BY_CODE: ReadonlyMap<string, Product> = new Map(PRODUCTS.map((one) => [one.code, one]));

export function findProduct(code: string): Product | undefined {
  return BY_CODE.get(code);
}

/** Finds a tariff by its code. `E-1R-VAR-24-01-01-C` contains the fuel, the registers, the product and the region. */
export function findTariff(code: string): Tariff | undefined {
  const [, kind = "", productCode = "", region = ""] = /^([EG]-[12]R)-(.+)-([A-P])$/.exec(code) ?? [];
  const found = BY_CODE.get(productCode);
  if (found === undefined || !REGIONS.includes(region) || !tariffKindsOf(found).includes(kind)) return undefined;
  return {
    code,
    product: found,
    fuel: kind.startsWith("G") ? "gas" : "electricity",
    registers: kind === "E-2R" ? 2 : 1,
  };
}

/** Returns the fuel and registers of each tariff of a product. */
function tariffKindsOf(one: Product): readonly string[] {
  if (isHalfHourly(one)) return ["E-1R"];
  return one.direction === "EXPORT" ? ["E-1R", "E-2R"] : ["E-1R", "E-2R", "G-1R"];
}

export function isHalfHourly(one: Product): boolean {
  return one.code.startsWith(`${HALF_HOURLY}-`);
}

/** Returns every tariff of a product in the first region, for the reply that describes the product. */
export function tariffsOf(one: Product): readonly Tariff[] {
  return tariffKindsOf(one).flatMap((kind) => findTariff(`${kind}-${one.code}-${REGIONS[0]}`) ?? []);
}

/** A tariff with half-hourly rates that span both clock changes of a year and include negative values. */
export const SAMPLE_TARIFF = { product: "HALFHOURLY-24-10-01", tariff: "E-1R-HALFHOURLY-24-10-01-C" } as const;

function product(family: string, [name, traits]: Family, index: number, start: number): Product {
  const from = isoSeconds(start);
  const next = QUARTERS[index + 1];
  return {
    code: `${family}-${from.slice(2, 10)}`,
    direction: "IMPORT",
    full_name: `${name} ${from.slice(0, 7)}`,
    display_name: name,
    description: `${name}: a sandbox product, on sale from ${from.slice(0, 10)}.`,
    is_variable: false,
    is_green: false,
    is_tracker: false,
    is_prepay: false,
    is_business: false,
    is_restricted: false,
    term: null,
    ...traits,
    available_from: from,
    available_to: next === undefined ? null : isoSeconds(next),
    brand: BRANDS[index % BRANDS.length] ?? BRANDS[0],
  };
}
