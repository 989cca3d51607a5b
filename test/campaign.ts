const CAMPAIGN = process.env["MIGRATE_TEST_CAMPAIGN"] ?? "part";

/** Factor by which the number of random cases in a campaign is multiplied. */
const TIMES = Number(/^whole x(\d+)$/.exec(CAMPAIGN)?.[1] ?? 1);

/**
 * Whether this run tests whole campaigns. `npm test` runs a part of each campaign. MIGRATE_TEST_CAMPAIGN=whole runs
 * whole campaigns, as in `.ci/run`. `npm run soak` runs larger campaigns; "whole x20" has 20 times as many random
 * cases.
 */
export const isWhole = CAMPAIGN.startsWith("whole");

/** The sizes for `npm test` and for the whole campaign. */
export interface CampaignSize {
  readonly part: number;
  readonly whole: number;
}

export function campaignSize({ part, whole }: CampaignSize): number {
  return isWhole ? whole * TIMES : part;
}

/** Returns the seeds 1 to `whole`, or a subset of them that changes every minute. */
function campaignSeeds(size: CampaignSize): readonly number[] {
  const count = isWhole ? size.whole : size.part;
  const parts = Math.ceil(size.whole / count);
  const first = count * (Math.floor(Date.now() / 60_000) % parts);
  return Array.from({ length: count }, (_, index) => 1 + ((first + index) % size.whole));
}

/** Returns all cases if whole campaigns run. Otherwise, returns `part` cases, chosen by the current minute. */
export function campaignCases<T>(cases: readonly T[], part: number): readonly T[] {
  const seeds = new Set(campaignSeeds({ part, whole: cases.length }));
  return cases.filter((_, index) => seeds.has(index + 1));
}

/**
 * Returns the seeds of a simulation. If SIMULATION_SEEDS is set, returns this number of consecutive seeds, starting at
 * SIMULATION_FIRST (default: 1).
 */
export function simulationSeeds(size: CampaignSize): readonly number[] {
  const given = process.env["SIMULATION_SEEDS"];
  if (given === undefined) return campaignSeeds(size);
  const first = Number(process.env["SIMULATION_FIRST"] ?? 1);
  return Array.from({ length: Number(given) }, (_, index) => first + index);
}
