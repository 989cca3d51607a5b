/**
 * How much of a campaign is played. `npm test` plays a part, another one each minute; with MIGRATE_TEST_CAMPAIGN=whole, as
 * `.ci/run` sets it, all of it; `npm run soak` plays more than that.
 */
const isWhole = process.env["MIGRATE_TEST_CAMPAIGN"] === "whole";

/** A size for `npm test`, and one for the whole campaign. */
export interface CampaignSize {
  readonly part: number;
  readonly whole: number;
}

/** How many of it are played now. */
export function campaignSize({ part, whole }: CampaignSize): number {
  return isWhole ? whole : part;
}

/** Seeds 1 to `whole`, or a part of them. */
function campaignSeeds(size: CampaignSize): readonly number[] {
  const count = campaignSize(size);
  const parts = Math.floor(size.whole / count);
  const first = 1 + count * (Math.floor(Date.now() / 60_000) % parts);
  return Array.from({ length: count }, (_, index) => first + index);
}

/** The seeds of a simulation. The soak names them: SIMULATION_SEEDS is their number, and SIMULATION_FIRST the first. */
export function simulationSeeds(size: CampaignSize): readonly number[] {
  const given = process.env["SIMULATION_SEEDS"];
  if (given === undefined) return campaignSeeds(size);
  const first = Number(process.env["SIMULATION_FIRST"] ?? 1);
  return Array.from({ length: Number(given) }, (_, index) => first + index);
}
