import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { CliEnd } from "./cli.ts";
import { seededDice } from "../seeded-dice.ts";
import { countRequests, killRepeatedly } from "./kill-schedule.ts";
import { adminOf, latestRun, references } from "./push-scene.ts";
import { contradictions, collectEvidence } from "./push-evidence.ts";
import { startWorkflowSandbox, type WorkflowPlace, workflowPlace, writeManyAccounts } from "./workflow-scene.ts";
import { campaignSize } from "../campaign.ts";
import { scaledTimeout } from "../scaled-timeout.ts";

const RECORDS = 300;
const CONCURRENCY = "8";
/**
 * Longer than a restart, so that a scheduled import is still pending. Scheduling the import again would create a
 * duplicate.
 */
const LONGER_THAN_A_RESTART_MS = "1500";
const PATIENCE_MS = 300_000;
const MAX_RESUMES = 5;

/** WORKFLOW_KILLS=50 runs a longer test. To reproduce a failure, set KILL_SEED to the printed seed. */
const kills = Number(process.env["WORKFLOW_KILLS"] ?? campaignSize({ part: 2, whole: 4 }));
const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

/** This platform processes imports immediately, so a missing record can be considered absent after a short time. */
const QUICK_TARGET = 'targets: { quick: { baseUrl: "https://localhost/v1/", timeouts: { quietSeconds: 0.2 } } }\n';

/** v1: validate, stage, process. v2: schedule, poll. */
test.each(["v1", "v2"] as const)(
  "kills of a push with the workflow %s cause no lost records, no unreported records and no duplicates",
  { timeout: scaledTimeout(PATIENCE_MS) },
  async (generation) => {
    const flags = ["--verbose", "--latency", "0-3", "--task-ms", LONGER_THAN_A_RESTART_MS];
    const sandbox = await startWorkflowSandbox(flags);
    try {
      const admin = adminOf(sandbox);
      const place = workflowPlace(sandbox);
      writeManyAccounts(place, RECORDS);
      writeFileSync(place.file("migrate.yaml"), QUICK_TARGET);
      const tally = await killRepeatedly(
        {
          push: () => place.startPush(generation, ["--target", "quick", "--concurrency", CONCURRENCY]),
          resume: () => place.start(["resume"]),
          records: RECORDS,
          ledger: place.file(".migrate/ledger.db"),
        },
        kills,
        { counter: countRequests(sandbox), dice: seededDice(seed) },
      );
      const end = await resumeUntilDone(place);
      const evidence = await collectEvidence(admin, place.file(".migrate/ledger.db"), await latestRun(place));
      process.stderr.write(
        `${generation}, seed ${seed}: ${tally.kills} kills (${tally.idle} before a first request), ` +
          `${evidence.platform.requests.length} requests for ${RECORDS} records\n`,
      );
      expect(contradictions(references(RECORDS), evidence, { ambiguous: 0 }), `KILL_SEED=${seed}`).toEqual([]);
      expect(end.code).toBe(0);
      expect(evidence.platform.accounts).toHaveLength(RECORDS);
    } finally {
      await sandbox.stop();
    }
  },
);

async function resumeUntilDone({ migrate }: WorkflowPlace): Promise<CliEnd> {
  let end = await migrate(["resume"]);
  for (let more = 1; end.code === 3 && more < MAX_RESUMES; more += 1) end = await migrate(["resume"]);
  return end;
}
