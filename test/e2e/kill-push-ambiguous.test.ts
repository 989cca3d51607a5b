import { expect, test } from "vitest";
import { campaignSize } from "../campaign.ts";
import { CONCURRENCY, PATIENCE_MS, pushThroughKills, RECORDS, seed, THREADS } from "./kill-campaign.ts";
import { contradictions } from "./push-evidence.ts";
import { references, statusCounts } from "./push-scene.ts";

/**
 * Intents are written in advance for at most this many records, so one kill makes at most this many records ambiguous.
 */
const AMBIGUOUS_PER_KILL = 4 * CONCURRENCY;
/** Enough kills to make records ambiguous on a platform that does not detect repeats. */
const FORGETFUL_KILLS = campaignSize({ part: 3, whole: 4 });

test.each(THREADS)(
  `${FORGETFUL_KILLS} kills of a push in %s on a platform that does not detect repeats make records ambiguous, but cause no duplicates`,
  { timeout: PATIENCE_MS },
  async (_, threads) => {
    const { end, evidence, tally } = await pushThroughKills(FORGETFUL_KILLS, {
      sandbox: ["--forgetful"],
      push: ["--contract", "no-dedupe.yaml", "--threads", threads],
    });
    const allowed = { ambiguous: tally.kills * AMBIGUOUS_PER_KILL };
    expect(contradictions(references(RECORDS), evidence, allowed), `KILL_SEED=${seed}`).toEqual([]);
    expect(statusCounts(evidence.report.lines)["ambiguous"]).toBeGreaterThan(0);
    expect(end.code).toBe(5);
  },
);
