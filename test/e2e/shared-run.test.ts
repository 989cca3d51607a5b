import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { deliveryErrors, QUICK_MS, useSharedRuns, WAITING_MS } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`in a run of several workers ${SKIPPED_WITHOUT_POSTGRES},`, () => {
  const { admin, inScene, answerAfter } = useSharedRuns();

  test("three workers send every record once, and a later push sends no record again", async () => {
    await answerAfter(WAITING_MS);
    const scene = await inScene(150);
    const push = scene.share(3, ["--out", "report"]);
    await scene.whenWorking(3);
    await answerAfter(QUICK_MS);
    const end = await push.ended;
    expect(await deliveryErrors(150, end, admin)).toEqual([]);
    expect(end.code).toBe(0);
    expect(await admin.accounts()).toHaveLength(150);
    const working = await scene.workers();
    expect(working.map(({ state }) => state)).toEqual(["left", "left", "left"]);
    const { stdout } = await scene.migrate(["status", "--ledger", scene.ledger, "--format", "json"]);
    const { runs }: { readonly runs: readonly object[] } = JSON.parse(stdout);
    expect(runs).toMatchObject([{ state: "complete", summary: { accepted: 150 } }]);
    expect((await scene.push(["--ledger", scene.ledger])).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(150);
  });

  test("a worker with the same input joins without the mapping, and on SIGTERM leaves after its requests in flight", async () => {
    await answerAfter(WAITING_MS);
    const scene = await inScene(280);
    const push = scene.share(1);
    await scene.whenWorking(1);
    const { folder, remove } = createTestFolder();
    cpSync(scene.folder, folder, { recursive: true });
    rmSync(path.join(folder, "mapping.yaml"));
    const withoutInput = temporaryFolder();
    await scene.query(`update migrate.runs set settings = replace(settings, '${scene.folder}', '${withoutInput}')`);
    const joined = scene.start(["worker", "--ledger", scene.ledger], { cwd: folder });
    await scene.whenWorking(2);
    joined.kill("SIGTERM");
    const left = await joined.ended;
    await answerAfter(QUICK_MS);
    expect(left.code).toBe(3);
    expect(left.stderr).toMatch(/left run .* sent \d+ records/);
    expect(left.stderr).toMatch(/the mapping .*mapping\.yaml no longer exists.* stored with the run/);
    const end = await push.ended;
    remove();
    expect(await deliveryErrors(280, end, admin)).toEqual([]);
    expect(end.code).toBe(0);
  });

  describe("migrate refuses", () => {
    test("a worker whose input differs from the plan, before it joins the run", async () => {
      const scene = await inScene(300);
      const push = scene.share(1, ["--concurrency", "4"]);
      await scene.whenWorking(1);
      const other = temporaryFolder({ "accounts.csv": "REF\nEXT-1\n" });
      cpSync(path.join(scene.folder, "mapping.yaml"), path.join(other, "mapping.yaml"));
      await scene.query(`update migrate.runs set settings = replace(settings, '${scene.folder}', '/not/here')`);
      const refused = await scene.migrate(["worker", "--ledger", scene.ledger], { cwd: other });
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/since the run began, .*accounts.csv has changed/);
      expect(await scene.workers()).toHaveLength(1);
      push.kill("SIGTERM");
      await push.ended;
    });

    test("a worker for a missing ledger, a run that has ended, and an unknown run", async () => {
      const scene = await inScene(5);
      const asked = async (...words: readonly string[]): Promise<string> => {
        const { code, stderr } = await scene.migrate(["worker", "--ledger", scene.ledger, ...words]);
        return `${code} ${stderr.replaceAll(/\s+/g, " ")}`;
      };
      expect(await asked()).toMatch(/^2 migrate: there is no ledger at postgres/);
      expect((await scene.push(["--ledger", scene.ledger])).code).toBe(0);
      expect(await asked()).toMatch(/^2 migrate: run \S+ has ended, so workers cannot join it/);
      expect(await asked("--run", "nothing")).toMatch(/^2 migrate: the ledger has no run nothing/);
    });

    test("workers with a ledger file, a lease without workers, and a lease shorter than 2 s", async () => {
      const scene = await inScene(1);
      const pushed = async (...flags: readonly string[]): Promise<string> => {
        const { code, stderr } = await scene.push(flags);
        return `${code} ${stderr.split("\n")[0]}`;
      };
      expect(await pushed("--workers", "2")).toMatch(/^2 migrate: workers need a ledger that they can reach/);
      expect(await pushed("--lease", "5s")).toMatch(/^2 migrate: --lease needs workers/);
      expect(await pushed("--workers", "2", "--lease", "1s", "--ledger", scene.ledger)).toMatch(/^2 .*too short/);
      expect((await scene.migrate(["worker"])).stderr).toMatch(/workers need a ledger that they can reach/);
    });
  });
});
