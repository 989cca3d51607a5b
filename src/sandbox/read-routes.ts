import { SAMPLE_ACCOUNT } from "./sample-account.ts";
import type { Authenticate } from "./authentication.ts";
import type { Route } from "./platform-app.ts";
import { productHandler, productListHandler } from "./product-reads.ts";
import { NOT_FOUND, type Handler } from "./reply.ts";
import type { SandboxState } from "./state.ts";
import { RATE_KINDS, rateListHandler } from "./rate-reads.ts";

export interface ReadParts {
  readonly state: Pick<SandboxState, "findAccount">;
  readonly authenticate: Authenticate;
  readonly now: () => number;
}

/** The read side of the specification: products (4.1), rates (4.2), accounts (4.3). */
export function readRoutes({ state, authenticate, now }: ReadParts): readonly Route[] {
  return [
    read("/v1/products/", productListHandler(now)),
    read("/v1/products/{product}/", productHandler),
    ...RATE_KINDS.map(({ fuel, kind }) =>
      read(`/v1/products/{product}/${fuel}-tariffs/{tariff}/${kind}/`, rateListHandler({ fuel, kind, now })),
    ),
    read("/v1/accounts/{number}/", accountHandler(state, authenticate)),
  ];
}

function read(path: string, handler: Handler): Route {
  return { method: "GET", path, kind: "read", handler };
}

/** A migrated account reads back as what was sent, with its number. */
function accountHandler(state: ReadParts["state"], authenticate: Authenticate): Handler {
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
