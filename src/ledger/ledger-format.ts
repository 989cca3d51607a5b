import { Failure } from "../model/failure.ts";

/** The version of the table format, for both databases. Each ledger stores its version. */
export const LEDGER_FORMAT = 1;

/** @throws Failure `config` for a ledger in another format */
export function requireKnownFormat(ledger: string, format: number): void {
  if (format === LEDGER_FORMAT) return;
  const isNewer = format > LEDGER_FORMAT;
  const found = isNewer ? "was written by a newer version of migrate" : "has an unknown format";
  throw new Failure(
    "config",
    `the ledger ${ledger} ${found} (format ${format}; this version supports ${LEDGER_FORMAT})`,
    {
      // With another ledger, a push would send all records again.
      hint: `${isNewer ? "use the newer version" : "check --ledger"}; nothing was changed`,
    },
  );
}
