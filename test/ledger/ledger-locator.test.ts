import { expect, test } from "vitest";
import { isAddress, requireLedgerLocator } from "../../src/ledger/open-ledger-store.ts";

test.each(["postgres:ann:canary@db.example/moves", "PostgreSQL:ann:canary@db.example/moves"])(
  "a PostgreSQL URL without slashes is not a path, and is refused without its password: %s",
  (locator) => {
    expect(isAddress(locator)).toBe(true);
    const refused = (): unknown => requireLedgerLocator(locator);
    expect(refused).toThrow(/not a PostgreSQL URL: postgres(ql)?@db\.example\/moves/i);
    expect(refused).not.toThrow(/canary/);
  },
);
