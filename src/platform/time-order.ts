import { Failure } from "../model/failure.ts";
import type { Page } from "./pages.ts";

/** As many half hours as eleven years have: what is turned round has to be held in memory. */
const MOST_RECORDS = 200_000;

/**
 * The same records, the last one first: rates arrive with the latest `valid_from` first (specification 2.3), and leave
 * in the order of time. Nothing comes out before all of it has been read.
 * @throws Failure `usage` for more than 200,000 records
 */
export async function* inTimeOrder<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<Page<T>, void, undefined> {
  const held: Page<T>[] = [];
  let records = 0;
  for await (const page of pages) {
    held.push(page);
    records += page.results.length;
    if (records > MOST_RECORDS) throw tooMany();
  }
  for (const page of held.toReversed()) {
    yield { ...page, results: page.results.toReversed(), json: page.json.toReversed() };
  }
}

function tooMany(): Failure {
  return new Failure("usage", `more than ${MOST_RECORDS.toLocaleString("en")} rates to be put in order`, {
    hint: "ask for a shorter period with --from and --to",
  });
}
