export const FUELS = ["electricity", "gas"] as const;
export type Fuel = (typeof FUELS)[number];

/** The lists of rates that a tariff can have. */
export const RATE_KINDS = ["standard", "day", "night", "standing"] as const;
export type RateKind = (typeof RATE_KINDS)[number];
