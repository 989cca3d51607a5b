import { expect, test } from "vitest";
import { openAfterKey } from "../../src/reconcile/decide-record.ts";

test.each([
  [
    "only without --accept-found, if other content may be on the platform",
    { mayHoldOther: true, isAsSent: true },
    [true, false],
  ],
  ["if another run sent the last content", { mayHoldOther: true, isAsSent: false }, [true, true]],
  ["never, if no other content can be on the platform", { mayHoldOther: false, isAsSent: true }, [false, false]],
])("a record of which only the key was compared stays open %s", (_, record, staysOpen) => {
  const open = [false, true].map((acceptsKeyOnly) => openAfterKey(record, { acceptsKeyOnly }) !== undefined);
  expect(open).toEqual(staysOpen);
});
