import { expect, test } from "vitest";
import { campaignSize } from "../campaign.ts";
import { scaledTimeout } from "../scaled-timeout.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { checkTriples } from "./triples/check-triples.ts";

/** At least this many triples contain every type and option often enough for the checks at the end of the test. */
const WHOLE = 75;
/** `DIFFERENTIAL_FIRST=<seed> DIFFERENTIAL_TRIPLES=1` repeats one triple. */
const TRIPLES = Number(process.env["DIFFERENTIAL_TRIPLES"] ?? campaignSize({ part: 25, whole: WHOLE }));
/**
 * Each run tests one window of seeds, and the window changes every minute. `npm run soak -- differential` uses new
 * seeds.
 */
const SEEDS = { first: 30_000_000, count: 2_000 };
const window = Math.floor(Date.now() / 60_000) % Math.floor(SEEDS.count / TRIPLES);
const FIRST = Number(process.env["DIFFERENTIAL_FIRST"] ?? SEEDS.first + window * TRIPLES);

/** Types and options that occur in every window of seeds. */
const DRAWN = [
  "type text, type decimal, type integer, type number, type boolean, type date, type datetime, type time, type choice",
  "type union, type object, type list, type variants, text pattern, nullable, x-migrate-wrap, oneOf with discriminator",
  "option value, option default, option when, option trim, option join, option split, option replace, option upper",
  "option lower, option keepEmpty, option lookup, option otherwise, option short form, option true, option false, option date",
  "option datetime, option zone, option number, option from as a list, each, source orderBy, list entry with when",
].flatMap((line) => line.split(", ").map((name) => name));

test(
  "random triples give the same results on the fast path, on the row path and in whole runs",
  async () => {
    process.stderr.write(`random triples: DIFFERENTIAL_FIRST=${FIRST} DIFFERENTIAL_TRIPLES=${TRIPLES}\n`);
    const folder = temporaryFolder();
    const { counts, drawn, failures } = await checkTriples({ first: FIRST, triples: TRIPLES, runsEvery: 30, folder });
    expect(failures.join("\n\n")).toBe("");
    expect(counts.triples).toBe(TRIPLES);
    if (TRIPLES < WHOLE) return;
    // The comparison is only meaningful with enough valid records and enough records on the fast path.
    expect(counts.refused).toBeLessThan(0.05 * TRIPLES);
    expect(counts.records).toBeGreaterThan(180 * TRIPLES);
    expect(counts.valid).toBeGreaterThan(0.4 * counts.records);
    expect(counts.fast).toBeGreaterThan(0.4 * counts.valid);
    expect(counts.bodies).toBeGreaterThan(0.4 * counts.records);
    expect(counts.ndjson).toBeGreaterThan(0.15 * counts.records);
    expect(counts.runs).toBeGreaterThanOrEqual(1);
    expect(DRAWN.filter((one) => drawn[one] === undefined)).toEqual([]);
  },
  scaledTimeout(600_000),
);
