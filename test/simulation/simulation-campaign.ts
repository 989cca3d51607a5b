import { campaignCases, type CampaignSize, simulationSeeds } from "../campaign.ts";
import { type Simulated, simulate, type SimulationOptions } from "./simulate.ts";

/** The only seed to replay (SIMULATION_SEED=<printed seed>). Its trace is printed to stderr. */
const only = process.env["SIMULATION_SEED"];

/**
 * Seeds that once revealed a bug in the product or in the simulation. They are never removed. Their events may differ
 * from the events that revealed the bug, because the simulation has been extended since.
 */
const REGRESSIONS: readonly number[] = [
  5, 14, 50, 56, 132, 415, 839, 1865, 2716, 3370, 6668, 8202, 8844, 9214, 9225, 9232, 9400, 100885, 101934, 204645,
  207873, 209553, 401488, 401493, 401863,
];

export const PATIENCE_MS = 3_600_000;

/**
 * Simulates the regressions and a range of other seeds. Returns descriptions of up to 20 seeds that break an invariant.
 */
export async function failedSeeds(size: CampaignSize, options: SimulationOptions): Promise<readonly string[]> {
  const seeds = simulationSeeds(size);
  const failed: string[] = [];
  const seen = { records: 0, sessions: 0, kills: 0 };
  for (const seed of only === undefined ? [...campaignCases(REGRESSIONS, 5), ...seeds] : [Number(only)]) {
    const simulated = await simulate(seed, options).catch((error: unknown) => thrown(seed, error));
    if (only !== undefined) process.stderr.write(`${simulated.trace.join("\n")}\n`);
    if (simulated.violations.length > 0) failed.push(describeFailure(simulated));
    seen.records += simulated.records;
    seen.sessions += simulated.sessions;
    seen.kills += simulated.kills;
  }
  const { records, sessions, kills } = seen;
  process.stderr.write(
    `${seeds.length} seeds from ${seeds[0]}: ${records} records, ${sessions} processes, ${kills} killed\n`,
  );
  return failed.slice(0, 20);
}

function thrown(seed: number, error: unknown): Simulated {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const violations = [{ invariant: "no bug", what }];
  return { seed, violations, trace: [], fingerprint: "", records: 0, sessions: 0, kills: 0 };
}

function describeFailure({ seed, violations }: Simulated): string {
  const replay = `SIMULATION_SEED=${seed} npx vitest run --config test/vitest.config.ts test/simulation`;
  return `seed ${seed}: ${violations.map(({ invariant, what }) => `${invariant}: ${what}`).join("; ")}\n  replay: ${replay}`;
}
