import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { outcomes, push, resume, status } from "energy-migrate";
import { runCli, type TestSandbox, startTestSandbox } from "../e2e/cli.ts";
import {
  type Admin,
  adminOf,
  CONTRACT,
  goodAccounts,
  outcomeLines,
  statusCounts,
  workplace,
} from "../e2e/push-scene.ts";
import { platform, pushOf } from "./scene.ts";

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => admin.reset());

const RECORDS = 204;

test("a program cannot open the ledger of a running push, and the push still sends each record once", async () => {
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  await admin.faults({ latencyMs: [20, 40] });
  const running = work.startPush(["--concurrency", "4"]);
  await expect.poll(async () => (await admin.imports()).length).toBeGreaterThan(8);

  const ledger = work.file(".migrate/ledger.db");
  const { apiKey, baseUrl, ca, supplier } = sandbox.ready;
  const credentials = { apiKey };
  const target = { baseUrl, ca, environment: "test" } as const;
  const pushed = push({
    folder: work.folder,
    contract: CONTRACT,
    mapping: "mapping.yaml",
    ledger,
    target,
    credentials,
    supplier,
  });
  await expect(pushed).rejects.toMatchObject({ code: "ledger_in_use", exitCode: 7 });
  await expect(resume({ ledger, credentials })).rejects.toMatchObject({ code: "ledger_in_use", exitCode: 7 });
  expect((await status({ ledger })).runs[0]?.state).toBe("running");
  const statuses: string[] = [];
  for await (const { status: found } of outcomes({ ledger })) statuses.push(found);
  expect(statuses).toHaveLength(RECORDS);
  expect(statuses).not.toContain("ambiguous");

  const { code, stdout } = await running.ended;
  const lines = outcomeLines(stdout);
  expect([code, statusCounts(lines)]).toEqual([0, { accepted: RECORDS }]);
  expect(lines.map(({ attempts }) => attempts)).toEqual(Array.from({ length: RECORDS }, () => 1));
  expect(await admin.imports()).toHaveLength(RECORDS);
});

test("commands cannot take the lock of a program's push, even while the program reads the ledger", async () => {
  const local = await platform({ faults: { latencyMs: [20, 40] } });
  const options = pushOf(RECORDS, local);
  const { folder = "", credentials } = options;
  let meanwhile: Promise<readonly unknown[]> | undefined;
  const ask = async (): Promise<readonly unknown[]> => {
    const refused: unknown = await resume({ folder, credentials }).catch((error: unknown) => error);
    await status({ folder });
    const { code, stderr } = await runCli(["resume"], { cwd: folder });
    return [refused, code, stderr];
  };
  const done = await push({
    ...options,
    pace: { concurrency: 4 },
    onProgress: ({ sending }) => {
      if (sending !== undefined) meanwhile ??= ask();
    },
  });
  expect(await meanwhile).toEqual([
    expect.objectContaining({ code: "ledger_in_use" }),
    7,
    expect.stringContaining("is in use by `push`"),
  ]);
  expect(done.summary.counts).toEqual({ accepted: RECORDS });
  expect(local.requests().filter(({ path }) => path.includes("/data-import/"))).toHaveLength(RECORDS);
});
