import { rmSync } from "node:fs";
import path from "node:path";
import type { Difference } from "./compare-lines.ts";
import { compareRuns } from "./compare-runs.ts";
import { type Comparison, compareTriple } from "./compare-triple.ts";
import { describeTriple, shrinkTriple } from "./shrink-triple.ts";
import { drawTriple, type Triple } from "./triple.ts";

/** Totals over all checked triples. */
interface TripleCounts {
  readonly triples: number;
  /** Triples with a rejected contract or mapping. */
  readonly refused: number;
  readonly records: number;
  readonly valid: number;
  /** Records that the fast path validated without building a row. */
  readonly fast: number;
  /** Records whose request bodies were compared. */
  readonly bodies: number;
  /** Records that were compared with NDJSON records. */
  readonly ndjson: number;
  /** Triples that were also checked in whole runs. */
  readonly runs: number;
}

export interface CheckedTriples {
  readonly counts: TripleCounts;
  /** Number of compared triples per generated type and option. */
  readonly drawn: Readonly<Record<string, number>>;
  /** One description per failed triple: its seed, the differences and its smallest form. */
  readonly failures: readonly string[];
}

export interface CheckOptions {
  /** The first of the consecutive seeds. */
  readonly first: number;
  readonly triples: number;
  /** One in this many triples is also checked in whole runs, which takes a few seconds. */
  readonly runsEvery: number;
  /** Parent folder of the temporary files of each triple. */
  readonly folder: string;
  /** No new triple starts after this number of seconds. */
  readonly seconds?: number;
}

/** Shrinking a failure takes a long time, and more failures add little information. */
const MAX_FAILURES = 3;

export async function checkTriples({
  first,
  triples,
  runsEvery,
  folder,
  seconds = Infinity,
}: CheckOptions): Promise<CheckedTriples> {
  const counts = { triples: 0, refused: 0, records: 0, valid: 0, fast: 0, bodies: 0, ndjson: 0, runs: 0 };
  const drawn: Record<string, number> = {};
  const failures: string[] = [];
  const until = performance.now() + 1000 * seconds;
  for (let seed = first; seed < first + triples && performance.now() < until; seed += 1) {
    const triple = drawTriple(seed);
    const found = await compareIn(folder, triple, compareTriple);
    counts.triples += 1;
    for (const name of SUMMED) counts[name] += found[name];
    if (found.differences.length > 0) failures.push(await describeFailure(triple, { folder, ...IN_PROCESS }));
    if (found.refused !== undefined) {
      counts.refused += 1;
      continue;
    }
    for (const one of triple.notes) drawn[one] = (drawn[one] ?? 0) + 1;
    if (seed % runsEvery === 0) {
      counts.runs += 1;
      failures.push(...(await checkRuns(triple, folder)));
    }
    if (failures.length >= MAX_FAILURES) break;
  }
  return { counts, drawn, failures };
}

async function checkRuns(triple: Triple, folder: string): Promise<readonly string[]> {
  const { differences } = await compareIn(folder, triple, WHOLE_RUNS.compare);
  return differences.length === 0 ? [] : [await describeFailure(triple, { folder, ...WHOLE_RUNS })];
}

const SUMMED = ["records", "valid", "fast", "bodies", "ndjson"] as const;
const NOTHING: Comparison = { records: 0, valid: 0, fast: 0, bodies: 0, ndjson: 0, differences: [] };

type CompareTriple = (triple: Triple, folder: string) => Promise<Comparison>;

async function runComparison(triple: Triple, folder: string): Promise<Comparison> {
  return { ...NOTHING, differences: await compareRuns(triple, folder) };
}

const IN_PROCESS = { compare: compareTriple, trials: 600 };
/** Each trial takes a few seconds. */
const WHOLE_RUNS = { compare: runComparison, trials: 30 };

/** Compares a triple in its own folder. An unexpected exception counts as a difference. */
async function compareIn(folder: string, triple: Triple, compare: CompareTriple): Promise<Comparison> {
  const own = path.join(folder, `triple-${triple.seed}`);
  try {
    return await compare(triple, own);
  } catch (error) {
    const thrown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...NOTHING, differences: [{ between: "thrown", one: thrown, other: "" }] };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

interface Describing {
  readonly folder: string;
  readonly compare: CompareTriple;
  /** Maximum number of smaller forms to try. */
  readonly trials: number;
}

async function describeFailure(triple: Triple, { folder, compare, trials }: Describing): Promise<string> {
  const { differences } = await compareIn(folder, triple, compare);
  const [first] = differences;
  const sameDifference = async (smaller: Triple): Promise<Difference | undefined> =>
    (await compareIn(folder, smaller, compare)).differences.find(({ between }) => between === first?.between);
  const smallest = await shrinkTriple(triple, trials, async (smaller) => (await sameDifference(smaller)) !== undefined);
  const found = (await sameDifference(smallest)) ?? first;
  return [
    `seed ${triple.seed}: ${differences.map(({ between }) => between).join("; ")}`,
    `smallest form: ${found?.between}`,
    found?.one,
    found?.other,
    describeTriple(smallest),
  ].join("\n");
}
