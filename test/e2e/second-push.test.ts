import { cpSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { createTestFolder } from "../temporary-folder.ts";
import { CONTRACT, goodAccounts, writeExtract } from "./push-scene.ts";
import { deliveryErrors, FAST_PACE, QUICK_MS, useSharedRuns, WAITING_MS } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`a second push on one ledger ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { admin, inScene, answerAfter } = useSharedRuns(15);

  test("that starts at the same moment joins the run that the other push plans, and every record is sent once", async () => {
    const scene = await inScene(120);
    await answerAfter(WAITING_MS);
    const both = [scene.share(1, FAST_PACE), scene.share(1, FAST_PACE)];
    await scene.whenWorking(2);
    await answerAfter(QUICK_MS);
    const ends = await Promise.all(both.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    const joined = ends.filter(({ stderr }) => stderr.includes("This push joins it as a worker"));
    expect(joined).toHaveLength(1);
    expect(joined[0]).toMatchObject({ stdout: "", stderr: expect.stringMatching(/This worker sent \d+ records? in/) });
    const planner = ends.find((end) => !joined.includes(end));
    expect(await deliveryErrors(120, planner ?? { stdout: "" }, admin)).toEqual([]);
    expect(await admin.imports()).toHaveLength(120);
    expect(await scene.query("select state from migrate.runs")).toEqual([{ state: "finished" }]);
    expect(await scene.workers()).toHaveLength(2);
  });

  test("that starts later in another folder can join and leave the run, and so can a third push with two workers", async () => {
    await answerAfter(WAITING_MS);
    const scene = await inScene(160);
    const first = scene.share(0);
    await first.waitForOutput(/and no worker on this machine/);
    const { folder, remove } = createTestFolder();
    cpSync(scene.folder, folder, { recursive: true });
    const second = scene.startPush(["--ledger", scene.ledger], { cwd: folder });
    await scene.whenWorking(1);
    second.kill("SIGTERM");
    expect(await second.ended).toMatchObject({ code: 3, stderr: expect.stringMatching(/left run .* sent \d+ record/) });
    remove();
    const next = scene.share(2);
    await scene.whenWorking(2);
    await answerAfter(QUICK_MS);
    const third = await next.ended;
    expect([third.code, third.stdout]).toEqual([0, ""]);
    expect(third.stderr).toContain("This push joins it with 2 workers");
    const end = await first.ended;
    expect(end.code).toBe(0);
    expect(await deliveryErrors(160, end, admin)).toEqual([]);
    expect(await admin.imports()).toHaveLength(160);
  });

  test("with other settings is refused, and the message names the differences", async () => {
    const scene = await inScene(20);
    const first = scene.share(0);
    await first.waitForOutput(/and no worker on this machine/);
    const doctor = await scene.migrate(["doctor", "--ledger", scene.ledger]);
    expect(doctor.stdout.replaceAll(/\s+/g, " ")).toMatch(
      /last run \S+ to \S+ is still active, and the same push would join/,
    );
    const others = createTestFolder();
    cpSync(scene.folder, others.folder, { recursive: true });
    writeExtract(others.folder, { accounts: goodAccounts(3) });
    const refused = async (flags: readonly string[], options = {}): Promise<string> => {
      const { code, stderr } = await scene.push(["--ledger", scene.ledger, ...flags], options);
      return `${code} ${stderr.replaceAll(/\s+/g, " ")}`;
    };
    const inUse = `^7 migrate: the ledger \\S+ is in use by \`push\`, process ${first.pid} on `;
    const differs = `${inUse}.*; this push cannot join run \\S+, because the two differ in`;
    expect(await refused([], { cwd: others.folder })).toMatch(new RegExp(`${differs} the input `));
    expect(await refused(["--only", "EXT-00001", "--revise"])).toMatch(new RegExp(`${differs} --only, --revise `));
    expect(await refused(["--canary", "2", "--rps", "1"])).toMatch(new RegExp(`${differs} --canary, --rps `));
    expect(await refused(["--contract", "no-dedupe.yaml"])).toMatch(new RegExp(`${differs} the overlays `));
    expect(await refused(["--dry-run"])).toMatch(new RegExp(inUse));
    const piped = ["push", "-", "--contract", CONTRACT, "--mapping", "mapping.yaml", "--ledger", scene.ledger];
    expect(await scene.migrate(piped, { input: "REF\n" })).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("because standard input cannot be shared"),
    });
    expect(await refused(["--workers", "0"])).toMatch(
      new RegExp(`${inUse}.*; with --workers 0 this push would send no records`),
    );
    others.remove();
    expect(await scene.workers()).toEqual([]);
    first.kill("SIGTERM");
    expect((await first.ended).code).toBe(3);
    expect(await admin.imports()).toEqual([]);
  });

  test("is refused while another process sends without workers, and the message explains which runs can be joined", async () => {
    const scene = await inScene(160);
    const first = scene.startPush(["--ledger", scene.ledger, "--rps", "4"]);
    await scene.whenSettled(2);
    const { code, stderr } = await scene.push(["--ledger", scene.ledger, "--workers", "1"]);
    expect(code).toBe(7);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
      /; run \S+ cannot be joined, because only that process sends its records .*only a push that was started with --workers can be joined/,
    );
    first.kill("SIGTERM");
    expect((await first.ended).code).toBe(3);
  });
});
