import type { JsonObject } from "../../json/json-value.ts";
import { type Handler, NOT_FOUND, type Route } from "../sandbox-reply.ts";
import type { PlatformParts } from "../platform-parts.ts";
import { productHandler, productListHandler, RATE_KINDS, rateListHandler } from "./product-handlers.ts";

/** Returns the routes of the specification's read endpoints: products (4.1), rates (4.2), accounts (4.3). */
export function readRoutes(platform: PlatformParts): readonly Route[] {
  const { now } = platform.clock;
  return [
    readRoute("/v1/products/", productListHandler(now)),
    readRoute("/v1/products/{product}/", productHandler),
    ...RATE_KINDS.map(({ fuel, kind }) =>
      readRoute(`/v1/products/{product}/${fuel}-tariffs/{tariff}/${kind}/`, rateListHandler({ fuel, kind, now })),
    ),
    readRoute("/v1/accounts/{number}/", accountHandler(platform)),
  ];
}

function readRoute(path: string, handler: Handler): Route {
  return { method: "GET", path, kind: "read", handler };
}

/**
 * Handles `GET /accounts/<number>/`. Returns the sample account, or the number and the payload of a migrated account.
 */
function accountHandler({ state, authenticate }: PlatformParts): Handler {
  return ({ authorization, params }) => {
    const refused = authenticate(authorization, "basic-allowed");
    if (refused !== undefined) return refused;
    const number = params["number"] ?? "";
    if (number === SAMPLE_ACCOUNT.number) return { status: 200, body: SAMPLE_ACCOUNT };
    const account = state.findAccount(number);
    if (account === undefined) return NOT_FOUND;
    return { status: 200, body: { number, properties: [], ...account.payload, imported_at: account.importedAt } };
  };
}

/** An account that exists from the start, in the form of the operators' published OpenAPI documents. */
export const SAMPLE_ACCOUNT: JsonObject & { readonly number: string } = {
  number: "A-5A3D1C0B",
  properties: [
    {
      id: 4_001_001,
      moved_in_at: "2023-11-01T00:00:00Z",
      moved_out_at: null,
      address_line_1: "1 Example Street",
      address_line_2: "",
      address_line_3: "",
      town: "Exampleton",
      county: "",
      postcode: "SW1A 1AA",
      electricity_meter_points: [
        {
          mpan: "1200023305967",
          profile_class: 1,
          consumption_standard: 2700,
          meters: [
            {
              serial_number: "Z18N123456",
              registers: [{ identifier: "1", rate: "STANDARD", is_settlement_register: true }],
            },
          ],
          agreements: [
            {
              tariff_code: "E-1R-VAR-24-01-01-C",
              valid_from: "2024-01-01T00:00:00Z",
              valid_to: "2024-11-01T00:00:00Z",
            },
            { tariff_code: "E-1R-HALFHOURLY-24-10-01-C", valid_from: "2024-11-01T00:00:00Z", valid_to: null },
          ],
          is_export: false,
        },
      ],
      gas_meter_points: [
        {
          mprn: "3226987202",
          consumption_standard: 11_500,
          meters: [{ serial_number: "G4A00998877" }],
          agreements: [{ tariff_code: "G-1R-VAR-24-01-01-C", valid_from: "2024-01-01T00:00:00Z", valid_to: null }],
        },
      ],
    },
  ],
};
