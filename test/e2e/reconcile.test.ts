import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import {
  type Admin,
  adminOf,
  type Extract,
  goodAccounts,
  latestRun,
  type OutcomeLine,
  outcomeLines,
  references,
  statusCounts,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";
import { contradictions, collectEvidence } from "./push-evidence.ts";

const RECORDS = 60;
const PUSH = ["--contract", "no-dedupe.yaml", "--concurrency", "8"];
const NOW = ["--quiet-period", "0s", "--format", "ndjson"];

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startTestSandbox({ flags: ["--forgetful"] });
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => admin.reset());

/**
 * Pushes to a platform that does not detect repeats. The faults leave some records ambiguous, and end after the push.
 */
async function pushIntoDoubt(faults: object, flags: readonly string[] = []): Promise<Workplace> {
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  await admin.faults({ forgetful: true, ...faults });
  const { code, stderr } = await work.push([...PUSH, ...flags]);
  expect(code).toBe(5);
  expect(stderr).toMatch(/migrate reconcile \d{8}-\d{4}-/);
  await admin.faults({ forgetful: true });
  return work;
}

function ambiguousKeys(lines: readonly OutcomeLine[]): readonly string[] {
  return lines.filter(({ status }) => status === "ambiguous").map(({ key = "" }) => key);
}

async function reportedAmbiguousKeys(work: Workplace): Promise<readonly string[]> {
  return ambiguousKeys(outcomeLines((await work.migrate(["report", "--format", "ndjson"])).stdout));
}

describe("reading back", () => {
  test("finds records with lost replies by reading the platform's list once, and sends nothing twice", async () => {
    const work = await pushIntoDoubt({ resetAfter: { every: 3 } });
    const { code, stdout } = await work.migrate(["reconcile", ...NOW]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: RECORDS });
    const reads = (await admin.imports()).filter(({ method }) => method === "GET");
    expect(reads).toHaveLength(1);

    const evidence = await collectEvidence(admin, work.file(".migrate/ledger.db"), await latestRun(work));
    expect(contradictions(references(RECORDS), evidence, { ambiguous: 0 })).toEqual([]);
    const again = await work.push(PUSH);
    expect(again.code).toBe(0);
    expect(statusCounts(outcomeLines(again.stdout))).toEqual({ skipped: RECORDS });
    expect(await admin.accounts()).toHaveLength(RECORDS);
  });

  test("names the other open runs if the latest run is complete", async () => {
    const work = await pushIntoDoubt({ resetAfter: { at: [9] } });
    const open = await latestRun(work);
    const outcomes = outcomeLines((await work.migrate(["report", "--format", "ndjson"])).stdout);
    const accepted = outcomes.find(({ status }) => status === "accepted")?.key ?? "";
    expect((await work.push([...PUSH, "--only", accepted])).code).toBe(0);
    const latest = await latestRun(work);
    const { code, stderr } = await work.migrate(["reconcile", ...NOW]);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `Reconciling the latest run, ${latest}. Other open runs: ${open}. Reconcile one with \`migrate reconcile <run>\``,
    );
    const named = await work.migrate(["reconcile", open, ...NOW]);
    expect([named.code, named.stderr]).toEqual([0, expect.not.stringContaining("Other open runs")]);
  });

  test("lets resume send a record once more if it is absent in two checks", async () => {
    const work = await pushIntoDoubt({ resetBefore: { at: [5] }, resetAfter: { at: [9] } });
    const doubts = await reportedAmbiguousKeys(work);
    expect(doubts).toHaveLength(2);
    const reconciled = await work.migrate(["reconcile", ...NOW]);
    expect(reconciled.code).toBe(3);
    expect(statusCounts(outcomeLines(reconciled.stdout))).toEqual({ accepted: RECORDS - 1, pending: 1 });
    expect(reconciled.stderr).toMatch(/migrate resume/);
    // Two requests for the list, and two for the missing record.
    expect((await admin.imports()).filter(({ method }) => method === "GET")).toHaveLength(4);
    const [absent = ""] = outcomeLines(reconciled.stdout).flatMap(({ status, key = "" }) =>
      status === "pending" ? [key] : [],
    );
    const shown = await work.migrate(["explain", absent]);
    expect(shown.stdout).toMatch(/Decisions\n.*\n.* resend /);

    await admin.faults({ forgetful: true, resetBefore: { at: [1] } });
    expect((await work.migrate(["resume"])).code).toBe(5);
    await admin.faults({ forgetful: true });
    const second = await work.migrate(["reconcile", ...NOW]);
    expect(second.code).toBe(5);
    expect(second.stderr).toMatch(/already sent again once/);
    expect(ambiguousKeys(outcomeLines(second.stdout))).toEqual([absent]);
    expect(await admin.accounts()).toHaveLength(RECORDS - 1);
  });

  test("leaves an absent record ambiguous if the contract has no rule for absence", async () => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    writeFileSync(work.file("no-proof.yaml"), overlay("['x-migrate-read-back'][0].absent"));
    await admin.faults({ forgetful: true, resetBefore: { at: [2] } });
    await work.push([...PUSH, "--contract", "no-proof.yaml"]);
    const { code, stderr } = await work.migrate(["reconcile", ...NOW]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/1 record keeps the status ambiguous: .*absent: resend/);
  });

  test("reports a rejection at the cell if the platform has a different value, and no later push sends the record", async () => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    writeFileSync(work.file("strict.yaml"), MATCH_MORE);
    await admin.faults({ forgetful: true, resetAfter: { at: [2] } });
    await work.push([...PUSH, "--contract", "strict.yaml", "--concurrency", "1"]);
    await admin.faults({ forgetful: true });
    const { code, stdout } = await work.migrate(["reconcile", ...NOW]);
    expect(code).toBe(1);
    const conflict = outcomeLines(stdout)[1];
    expect(conflict).toMatchObject({
      status: "rejected",
      errors: [{ attr: "billing_name", code: "conflict", by: "platform", source: { file: "accounts.csv", line: 3 } }],
    });
    const again = await work.push([...PUSH, "--contract", "strict.yaml"]);
    expect(outcomeLines(again.stdout)[1]).toMatchObject({ status: "invalid", errors: [{ code: "unique" }] });
    expect(await admin.accounts()).toHaveLength(3);
  });

  test("leaves records ambiguous if the platform refuses the login, and shows the reason", async () => {
    const work = await pushIntoDoubt({ resetAfter: { at: [4] } });
    const { code, stderr, stdout } = await work.migrate(["reconcile", ...NOW], {
      env: { MIGRATE_API_KEY: "sk_wrong" },
    });
    expect(code).toBe(5);
    expect(stderr).toMatch(/issued no token for the API key/);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: RECORDS - 1, ambiguous: 1 });
  });

  test("applies to the latest run that is not a dry run", async () => {
    const work = await pushIntoDoubt({ resetAfter: { at: [4] } });
    const open = await latestRun(work);
    expect((await work.push([...PUSH, "--dry-run"])).code).toBe(5);
    expect(await latestRun(work)).not.toBe(open);
    const { code, stderr } = await work.migrate(["reconcile", ...NOW]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Run ${open}`)]);
  });

  test("leaves the state of the run unchanged if there are no credentials", async () => {
    const work = await pushIntoDoubt({ resetAfter: { at: [4] } });
    const env = { MIGRATE_API_KEY: undefined };
    expect((await work.migrate(["reconcile", ...NOW], { env })).code).toBe(2);
    expect((await work.migrate(["status"])).stdout).toContain("incomplete (5)");
  });

  test("does not contact the platform until the quiet period is over", async () => {
    const work = await pushIntoDoubt({ resetAfter: { at: [4] } });
    const reading = work.start(["reconcile", "--quiet-period", "1h"]);
    await reading.waitForOutput(/Waiting \d+ s/);
    reading.kill("SIGINT");
    const { code } = await reading.ended;
    expect(code).toBe(5);
    expect((await admin.imports()).some(({ method }) => method === "GET")).toBe(false);
  });
});

describe("manual decisions", () => {
  test("are suggested if the contract declares no read-back, and are recorded with user and time", async () => {
    const work = workplace({ accounts: goodAccounts(6) }, sandbox);
    writeFileSync(work.file("blind.yaml"), overlay("['x-migrate-read-back']"));
    await admin.faults({ forgetful: true, resetBefore: { at: [2] }, resetAfter: { at: [3] } });
    const pushed = await work.push([...PUSH, "--contract", "blind.yaml", "--concurrency", "1"]);
    expect(pushed.stderr).not.toMatch(/^Next /m);
    expect(pushed.stderr.replaceAll(/\s+/g, " ")).toMatch(
      /does not say how to look up 2 ambiguous records: .*`migrate reconcile \S+ --accept <key>` or `--resend <key>`/,
    );
    await admin.faults({ forgetful: true });
    const shown = await work.migrate(["reconcile"]);
    expect(shown.code).toBe(5);
    expect(shown.stderr).toMatch(/x-migrate-read-back.*--accept <key>.*--resend <key>/s);
    expect(shown.stderr).not.toContain("does not say how to look up");

    const decided = await work.migrate(["reconcile", "--resend", "EXT-00002", "--accept", "EXT-00003"]);
    expect(decided.code).toBe(3);
    expect((await work.migrate(["resume"])).code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(references(6));
    const explained = await work.migrate(["explain", "EXT-00003", "--format", "json"]);
    const { decisions }: { decisions: readonly object[] } = JSON.parse(explained.stdout);
    expect(decisions).toMatchObject([{ decision: "accepted", by: "operator", reason: "decided with --accept" }]);
    expect(decisions[0]).toHaveProperty("who", expect.stringMatching(/.@./));
    expect(decisions[0]).toHaveProperty("at", expect.stringMatching(/^\d{4}-\d\d-\d\dT/));
  });

  test("accept a record only in the run that sent its last request", async () => {
    const [ada, bob] = [{ accounts: [{ REF: "EXT-1", NAME: "Ada" }] }, { accounts: [{ REF: "EXT-1", NAME: "Bob" }] }];
    const work = workplace(ada, sandbox);
    const push = [...PUSH, "--revise"];
    expect((await work.push(push)).code).toBe(0);
    await admin.faults({ forgetful: true, resetBefore: { at: [1] } });
    writeExtract(work.folder, bob);
    expect((await work.push(push)).code).toBe(5);
    const sender = await latestRun(work);
    writeExtract(work.folder, ada);
    expect((await work.push(PUSH)).code).toBe(5);
    const found = await work.migrate(["reconcile", ...NOW]);
    expect([found.code, found.stderr]).toEqual([5, expect.stringContaining("content of the last request differs")]);
    const { code, stderr } = await work.migrate(["reconcile", "--accept", "EXT-1"]);
    expect(code).toBe(2);
    const advice = `\`migrate reconcile ${sender} --accept <key>\` or \`migrate reconcile ${sender} --resend <key>\``;
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(advice);
    expect((await work.migrate(["reconcile", "--resend", "EXT-1"])).code).toBe(0);
    expect(outcomeLines((await work.push(PUSH)).stdout)).toMatchObject([{ status: "skipped" }]);
  });

  test("are suggested for the run that sent the last request, also after its input has changed (the advice used to lead back to the later push)", async () => {
    const work = workplace(extractOf("Ada"), sandbox);
    const push = [...PUSH, "--revise"];
    expect((await work.push(push)).code).toBe(0);
    await admin.faults({ forgetful: true, resetBefore: { at: [1] } });
    writeExtract(work.folder, extractOf("Bob"));
    expect((await work.push(push)).code).toBe(5);
    const sender = await latestRun(work);
    writeExtract(work.folder, extractOf("Cleo"));
    const next = new RegExp(`^Next +migrate reconcile ${sender}$`, "m");
    expect((await work.push(push)).stderr).toMatch(next);
    expect((await work.migrate(["reconcile", ...NOW])).stderr).toMatch(next);
    const { code, stderr } = await work.migrate(["reconcile", sender, ...NOW]);
    expect([code, stderr.replaceAll(/\s+/g, " ")]).toEqual([
      2,
      expect.stringContaining(`\`migrate reconcile ${sender} --accept <key>\` or \`--resend <key>\``),
    ]);
  });

  test("are all refused if one of the keys does not belong to an ambiguous record", async () => {
    const work = await pushIntoDoubt({ resetAfter: { at: [4] } });
    const [doubt = ""] = await reportedAmbiguousKeys(work);
    const sure = references(RECORDS).find((key) => key !== doubt) ?? "";
    const { code, stderr } = await work.migrate(["reconcile", "--accept", doubt, sure]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no record was changed/);
    expect(stderr).not.toContain(sure);
    expect((await work.migrate(["status"])).stdout).toContain("incomplete (5)");
    expect(await reportedAmbiguousKeys(work)).toEqual([doubt]);
  });
});

function extractOf(NAME: string): Extract {
  return { accounts: [{ REF: "EXT-1", NAME }] };
}

function overlay(target: string): string {
  return `
overlay: 1.0.0
info: { title: A contract that says less, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post${target}
    remove: true
`;
}

/**
 * An overlay that compares names. The sandbox returns no name, which counts as a difference from the name that was
 * sent.
 */
const MATCH_MORE = `
overlay: 1.0.0
info: { title: A contract that compares more, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back'][1].match
    update: { billing_name: billing_name }
`;
