import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliEnd, projectFile, type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf, goodAccounts, latestRun, references, type Workplace, workplace } from "./push-scene.ts";
import { contradictions, collectEvidence } from "./push-evidence.ts";
import { campaignSize } from "../campaign.ts";
import { scaledTimeout } from "../scaled-timeout.ts";

const RECORDS = 24;
/** The test injects a fault at every STEP-th occurrence of a point; in `npm run soak`, at every occurrence. */
const STEP = Number(process.env["FAULT_STEP"] ?? campaignSize({ part: 41, whole: 35 }));
/** Points that occur only a few times. */
const RARE: ReadonlySet<string> = new Set(["report"]);
const WHOLE_MS = STEP === 1 ? 3_600_000 : 600_000;
const FAILPOINTS = projectFile("test/failpoints/preload.mjs");

const POINTS = ["commit", "checkpoint", "sync", "checksums", "report", "rename"] as const;
const ACTIONS = { kill: "SIGKILL", enospc: "a full disk", eio: "a failing disk" } as const;

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startTestSandbox({ timeoutMs: WHOLE_MS });
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());

/** The points that every test run covers, by action. `npm run soak` covers all points for each action. */
const MAIN: Readonly<Record<string, readonly string[]>> = {
  kill: POINTS,
  enospc: ["commit", "checkpoint", "checksums", "report"],
  eio: ["commit", "sync", "rename"],
};

const CASES = Object.entries(ACTIONS).flatMap(([action, words]) =>
  POINTS.filter((point) => STEP === 1 || MAIN[action]?.includes(point)).flatMap((point) =>
    // With `--threads 2`, the ledger has its own thread.
    (STEP === 1 || (action === "kill" && STEP < 20) ? ["1", "2"] : ["2"]).map((threads) => [
      words,
      point,
      threads,
      action,
    ]),
  ),
);

test.each(CASES)(
  "%s at any %s with --threads %s: the push completes, exits with 6 or is killed, and then `resume` completes the run",
  { timeout: scaledTimeout(WHOLE_MS) },
  async (_, point = "", threads = "", action = "") => {
    const complaints: string[] = [];
    let struck = 0;
    const last = await occurrences(point, threads);
    for (let nth = STEP === 1 || RARE.has(point) ? 1 : 2; nth <= last; nth += STEP) {
      const result = await pushThrough(`${point}:${nth}:${action}`, threads);
      complaints.push(...result.complaints);
      if (!result.struck) break;
      struck += 1;
    }
    process.stderr.write(`${point}, ${action}, ${threads} threads: ${struck} moments\n`);
    expect(complaints).toEqual([]);
    expect(struck).toBeGreaterThan(0);
  },
);

const lists = new Map<string, Promise<readonly string[]>>();

/**
 * Returns how often one thread of a push without faults reaches this point. The number varies slightly between pushes.
 */
async function occurrences(point: string, threads: string): Promise<number> {
  const listed = lists.get(threads) ?? reachedPoints(threads);
  lists.set(threads, listed);
  const counts = new Map<string, number>();
  for (const line of await listed) if (line.endsWith(` ${point}`)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Runs a push without faults. Returns the points that the push reaches, each with its thread. */
async function reachedPoints(threads: string): Promise<readonly string[]> {
  await admin.reset();
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  const env = { MIGRATE_FAILPOINT_LIST: work.file("points") };
  const end = await work.push(pushFlags(threads), { env, nodeFlags: ["--import", FAILPOINTS] });
  expect(end.code).toBe(0);
  return readFileSync(work.file("points"), "utf8").trim().split("\n");
}

function pushFlags(threads: string): readonly string[] {
  return ["--concurrency", "4", "--threads", threads];
}

/**
 * Pushes with one failpoint. Returns whether the failpoint fired, and everything unexpected in the results of the push
 * and of the commands after it, and in the ledger.
 */
async function pushThrough(
  failpoint: string,
  threads: string,
): Promise<{ readonly struck: boolean; readonly complaints: readonly string[] }> {
  await admin.reset();
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  const fired = work.file("fired");
  const env = { MIGRATE_FAILPOINT: failpoint, MIGRATE_FAILPOINT_FIRED: fired };
  const end = await work.push(pushFlags(threads), { env, nodeFlags: ["--import", FAILPOINTS] });
  const struck = existsSync(fired);
  const isOrderly = end.code === 0 || (struck && (end.code === 6 || end.signal === "SIGKILL"));
  if (!isOrderly) return { struck, complaints: [`${failpoint}: ended with ${end.code}: ${end.stderr}`] };
  return { struck, complaints: struck ? (await aftermath(work)).map((what) => `${failpoint}: ${what}`) : [] };
}

async function aftermath(work: Workplace): Promise<readonly string[]> {
  const resumed = await finish(work);
  if (resumed.code !== 0) return [`resume exits with ${resumed.code}: ${resumed.stderr}`];
  const check = await work.migrate(["ledger", "check"]);
  const evidence = await collectEvidence(admin, work.file(".migrate/ledger.db"), await latestRun(work));
  return [
    ...(check.code === 0 ? [] : [check.stdout + check.stderr]),
    ...contradictions(references(RECORDS), evidence, { ambiguous: 0 }),
  ];
}

/** Continues as an operator would: resumes, or repeats the push if there is no run. */
async function finish(work: Workplace): Promise<CliEnd> {
  const resumed = await work.migrate(["resume"]);
  return resumed.code === 2 && /no run|no ledger/.test(resumed.stderr) ? work.push() : resumed;
}
