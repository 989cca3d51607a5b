import { describe, expect, it } from "vitest";
import { runCli } from "../e2e/cli.ts";
import type { OverviewData } from "../../src/web/overview/overview-data.ts";
import { planOf, PROJECT, stateOf, useDemoProjects } from "./push-page-scene.ts";

describe("a push from the browser that is stopped, or competes with another push,", () => {
  const { sandbox, admin, startProject } = useDemoProjects();

  it("waits for the requests in flight if the command is stopped during a push", async () => {
    const { folder, client, web } = await startProject();
    await client.post("/api/push/check");
    const plan = planOf(await stateOf(client, "checked"));
    await admin.faults({ latencyMs: 500 });
    await client.post("/api/push/start", { plan, typed: "" });
    await expect.poll(async () => (await admin.imports()).length).toBeGreaterThan(0);
    await web.stop();
    const { stdout } = await runCli(["status", "--format", "json"], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ runs: [{ state: "incomplete", exitCode: 3 }] });
    const { runs }: { runs: readonly { summary: Record<string, number> }[] } = JSON.parse(stdout);
    expect(runs[0]?.summary["ambiguous"]).toBeUndefined();
    expect(runs[0]?.summary["pending"]).toBeGreaterThan(0);
  });

  it("stops on request, and suggests migrate resume", async () => {
    const { client } = await startProject();
    await client.post("/api/push/check");
    const plan = planOf(await stateOf(client, "checked"));
    await admin.faults({ latencyMs: 500 });
    await client.post("/api/push/start", { plan, typed: "" });
    await expect.poll(async () => (await admin.imports()).length).toBeGreaterThan(0);
    expect((await client.post("/api/push/check")).status).toBe(409);
    await client.post("/api/push/stop");
    expect(await stateOf(client, "ended")).toMatchObject({
      end: { exitCode: 3, next: expect.stringContaining("migrate resume") },
    });
  });

  it("shows a push by another process, and refuses a check until that push ends", async () => {
    const { folder, client } = await startProject();
    await admin.faults({ latencyMs: 3000 });
    const { MIGRATE_API_KEY } = sandbox.env;
    const other = runCli(["push"], { cwd: folder, env: { MIGRATE_API_KEY }, isProcess: true });
    await expect
      .poll(async () => (await client.get<OverviewData>("/api/overview")).runs)
      .toMatchObject([{ command: "push", state: "running" }]);
    await client.post("/api/push/check");
    expect(await stateOf(client, "failed")).toMatchObject({ error: { code: "ledger_in_use" } });
    await admin.faults({});
    expect((await other).code).toBe(1);
    await client.post("/api/push/check");
    expect(await stateOf(client, "checked")).toMatchObject({ plan: { records: PROJECT.rejected } });
  });
});
