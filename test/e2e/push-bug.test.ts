import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { projectFile } from "./cli.ts";
import { goodAccounts, latestRun, references, useSandbox, workplace } from "./push-scene.ts";
import { contradictions, collectEvidence } from "./push-evidence.ts";

const { sandbox, admin } = useSandbox();

const RECORDS = 40;
const FAILPOINTS = projectFile("test/failpoints/preload.mjs");
/**
 * For each number of threads: the number of a transaction that happens after the plan and the first intents, while
 * requests are in flight.
 */
const THREADS = [
  ["one thread", "1", 9],
  ["several threads, in the ledger's thread", "2", 6],
] as const;

describe.each(THREADS)("in %s", (_name, threads, nth) => {
  test.each([
    ["in the main flow", "throw"],
    ["in a detached callback", "uncaught"],
    ["in an unhandled promise", "unhandled"],
  ])("an unexpected error %s ends the push with exit code 70, and resume completes the push", async (_, action) => {
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    await admin.faults({ latencyMs: 20 });
    const env = { MIGRATE_FAILPOINT: `commit:${nth}:${action}`, MIGRATE_FAILPOINT_FIRED: work.file("fired") };
    const { code, stdout, stderr } = await work.push(["--concurrency", "4", "--threads", threads], {
      env,
      nodeFlags: ["--import", FAILPOINTS],
    });
    expect(code).toBe(70);
    expect(stderr).toMatch(/this is a bug in migrate/);
    expect(stderr).toMatch(/SyntaxError/);
    expect(stdout + stderr).not.toMatch(/Amina|07700|900730/);

    const sent = await admin.imports();
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(RECORDS);
    const resumed = await work.migrate(["resume"]);
    expect(resumed.code).toBe(0);
    const evidence = await collectEvidence(admin, work.file(".migrate/ledger.db"), await latestRun(work));
    expect(contradictions(references(RECORDS), evidence, { ambiguous: 0 })).toEqual([]);
  });

  test.each([
    ["in the main flow ends the push after the requests in flight are recorded", "throw", 0],
    [
      "in a detached callback leaves the records in flight ambiguous, and resume does not send them again",
      "uncaught",
      5,
    ],
  ])("on a platform that does not detect repeats, an unexpected error %s", async (_, action, resumedWith) => {
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    await admin.faults({ latencyMs: 20, forgetful: true });
    const env = { MIGRATE_FAILPOINT: `commit:${nth}:${action}` };
    const flags = ["--concurrency", "4", "--threads", threads, "--contract", "no-dedupe.yaml"];
    expect((await work.push(flags, { env, nodeFlags: ["--import", FAILPOINTS] })).code).toBe(70);

    expect((await work.migrate(["resume"])).code).toBe(resumedWith);
    const evidence = await collectEvidence(admin, work.file(".migrate/ledger.db"), await latestRun(work));
    expect(contradictions(references(RECORDS), evidence, { ambiguous: resumedWith === 0 ? 0 : 16 })).toEqual([]);
  });
});

test("the stack of an unexpected error shows positions in the source files, not in the bundle", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  const env = { MIGRATE_FAILPOINT: "commit:1:throw" };
  const { code, stderr } = await work.push([], { env, nodeFlags: ["--import", FAILPOINTS] });
  expect(code).toBe(70);
  const [, file = "", line = ""] = /^ *at .*?(src\/\S+?):(\d+):\d+\)?$/m.exec(stderr) ?? [];
  expect(readFileSync(projectFile(file), "utf8").split("\n")[Number(line) - 1]).toContain("database.exec(");
});
