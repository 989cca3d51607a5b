import { campaignSize } from "../campaign.ts";
import { scaledTimeout } from "../scaled-timeout.ts";
import { seededDice } from "../seeded-dice.ts";
import { type CliEnd, startTestSandbox } from "./cli.ts";
import { countRequests, hasNoRun, killRepeatedly, type KillTally } from "./kill-schedule.ts";
import { collectEvidence, type PushEvidence } from "./push-evidence.ts";
import { adminOf, goodAccounts, latestRun, statusCounts, type Workplace, workplace } from "./push-scene.ts";

export const CONCURRENCY = 16;
/** `npm run soak -- kills` sets KILLS to 700. */
export const KILLS = Number(process.env["KILLS"] ?? campaignSize({ part: 6, whole: 8 }));
export const RECORDS = KILLS > 100 ? 2000 : campaignSize({ part: 400, whole: 500 });
export const PATIENCE_MS = scaledTimeout(300_000 * Math.max(1, KILLS / 50));
/** With more kills, the test makes the platform slower, so that the push lasts until the last kill. */
const LATENCY_MS = KILLS > 100 ? "150-450" : "0-3";

/** To reproduce a failure, set KILL_SEED to the printed seed. */
export const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);

/** With several threads, the ledger and the reader each have their own thread. */
export const THREADS = [
  ["one thread", "1"],
  ["several threads", "2"],
] as const;

interface Aftermath {
  readonly end: CliEnd;
  readonly evidence: PushEvidence;
  readonly tally: KillTally;
}

/** Kills a push this many times, and resumes it after each kill. */
export async function pushThroughKills(
  kills: number,
  flags: { readonly sandbox: readonly string[]; readonly push: readonly string[] },
): Promise<Aftermath> {
  const startedAt = performance.now();
  const sandbox = await startTestSandbox({
    flags: ["--verbose", "--latency", LATENCY_MS, ...flags.sandbox],
  });
  try {
    const admin = adminOf(sandbox);
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    const tally = await killRepeatedly(
      {
        push: () => work.startPush(["--concurrency", String(CONCURRENCY), ...flags.push]),
        resume: () => work.start(["resume"]),
        records: RECORDS,
        ledger: work.file(".migrate/ledger.db"),
      },
      kills,
      { counter: countRequests(sandbox), dice: seededDice(seed) },
    );
    const end = await resumeUntilDone(work, flags.push);
    const evidence = await collectEvidence(admin, work.file(".migrate/ledger.db"), await latestRun(work));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const { ambiguous = 0 } = statusCounts(evidence.report.lines);
    process.stderr.write(
      `seed ${seed}: ${tally.kills} kills (${tally.idle} before a first request), ${tally.starts} starts, ` +
        `${evidence.platform.requests.length} requests for ${RECORDS} records, ${ambiguous} ambiguous, ${seconds} s\n`,
    );
    return { end, evidence, tally };
  } finally {
    await sandbox.stop();
  }
}

const MAX_RESUMES = 5;

/**
 * Resumes the push until no record is left to send. Pushes again if every kill came before the push started its run.
 */
async function resumeUntilDone({ migrate, push }: Workplace, flags: readonly string[]): Promise<CliEnd> {
  let end = await migrate(["resume"]);
  if (hasNoRun(end)) end = await push(flags);
  for (let more = 1; end.code === 3 && more < MAX_RESUMES; more += 1) end = await migrate(["resume"]);
  return end;
}
