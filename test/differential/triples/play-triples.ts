import { rmSync } from "node:fs";
import path from "node:path";
import type { Difference } from "./compare-lines.ts";
import { compareRuns } from "./compare-runs.ts";
import { type Comparison, compareTriple } from "./compare-triple.ts";
import { describeTriple, shrinkTriple } from "./shrink-triple.ts";
import { drawTriple, type Triple } from "./triple.ts";

/** Counts over all triples that were played. */
interface PlayedCounts {
  readonly triples: number;
  /** The contract or the mapping was refused. */
  readonly refused: number;
  readonly records: number;
  readonly valid: number;
  /** Records of which the fast path made no row. */
  readonly fast: number;
  /** Records whose request bodies were compared. */
  readonly bodies: number;
  /** Records that were compared with those of NDJSON. */
  readonly ndjson: number;
  /** Triples that were played as whole runs, too. */
  readonly runs: number;
}

export interface Played {
  readonly counts: PlayedCounts;
  /** For each type and option the number of compared triples that it was drawn in. */
  readonly drawn: Readonly<Record<string, number>>;
  /** One for each triple that fails: its seed, what differs, and the smallest form of it that was found. */
  readonly failures: readonly string[];
}

export interface PlayOptions {
  /** The first seed; the others follow it. */
  readonly first: number;
  readonly triples: number;
  /** One triple in so many is played as whole runs, which takes some seconds. */
  readonly runsEvery: number;
  /** For the files of each triple, which are removed after it. */
  readonly folder: string;
  /** Further triples are not begun after so many seconds. */
  readonly seconds?: number;
}

/** Each failure takes long to be shrunk, and further ones say little more. */
const MOST_FAILURES = 3;

export async function playTriples({
  first,
  triples,
  runsEvery,
  folder,
  seconds = Infinity,
}: PlayOptions): Promise<Played> {
  const counts = { triples: 0, refused: 0, records: 0, valid: 0, fast: 0, bodies: 0, ndjson: 0, runs: 0 };
  const drawn: Record<string, number> = {};
  const failures: string[] = [];
  const until = performance.now() + 1000 * seconds;
  for (let seed = first; seed < first + triples && performance.now() < until; seed += 1) {
    const triple = drawTriple(seed);
    const found = await comparedIn(folder, triple, compareTriple);
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
      failures.push(...(await playRuns(triple, folder)));
    }
    if (failures.length >= MOST_FAILURES) break;
  }
  return { counts, drawn, failures };
}

async function playRuns(triple: Triple, folder: string): Promise<readonly string[]> {
  const { differences } = await comparedIn(folder, triple, WHOLE_RUNS.compare);
  return differences.length === 0 ? [] : [await describeFailure(triple, { folder, ...WHOLE_RUNS })];
}

const SUMMED = ["records", "valid", "fast", "bodies", "ndjson"] as const;
const NOTHING: Comparison = { records: 0, valid: 0, fast: 0, bodies: 0, ndjson: 0, differences: [] };

type CompareTriple = (triple: Triple, folder: string) => Promise<Comparison>;

async function runComparison(triple: Triple, folder: string): Promise<Comparison> {
  return { ...NOTHING, differences: await compareRuns(triple, folder) };
}

const IN_PROCESS = { compare: compareTriple, trials: 600 };
/** A trial takes some seconds. */
const WHOLE_RUNS = { compare: runComparison, trials: 30 };

/** What is thrown where nothing should be thrown is a difference. */
async function comparedIn(folder: string, triple: Triple, compare: CompareTriple): Promise<Comparison> {
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
  /** The number of smaller forms that are tried. */
  readonly trials: number;
}

async function describeFailure(triple: Triple, { folder, compare, trials }: Describing): Promise<string> {
  const { differences } = await comparedIn(folder, triple, compare);
  const [first] = differences;
  const sameIn = async (smaller: Triple): Promise<Difference | undefined> =>
    (await comparedIn(folder, smaller, compare)).differences.find(({ between }) => between === first?.between);
  const smallest = await shrinkTriple(triple, trials, async (smaller) => (await sameIn(smaller)) !== undefined);
  const found = (await sameIn(smallest)) ?? first;
  return [
    `seed ${triple.seed}: ${differences.map(({ between }) => between).join("; ")}`,
    `smallest form: ${found?.between}`,
    found?.one,
    found?.other,
    describeTriple(smallest),
  ].join("\n");
}
