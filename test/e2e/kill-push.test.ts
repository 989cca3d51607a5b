import { expect, test } from "vitest";
import { KILLS, PATIENCE_MS, pushThroughKills, RECORDS, seed, THREADS } from "./kill-campaign.ts";
import { contradictions } from "./push-evidence.ts";
import { references } from "./push-scene.ts";

test.each(THREADS)(
  `${KILLS / 2} kills of a push in %s cause no lost records, no unreported records and no duplicates`,
  { timeout: PATIENCE_MS },
  async (_, threads) => {
    const { end, evidence } = await pushThroughKills(KILLS / 2, { sandbox: [], push: ["--threads", threads] });
    expect(contradictions(references(RECORDS), evidence, { ambiguous: 0 }), `KILL_SEED=${seed}`).toEqual([]);
    expect(end.code).toBe(0);
    expect(evidence.platform.accounts).toHaveLength(RECORDS);
  },
);
