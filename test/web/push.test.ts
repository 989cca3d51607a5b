import { appendFileSync, chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../e2e/cli.ts";
import type { OverviewData } from "../../src/web/overview/overview-data.ts";
import type { CauseRows, ProblemsData } from "../../src/web/problems/problems-data.ts";
import { planOf, PROJECT, stateOf, useDemoProjects } from "./push-page-scene.ts";

describe("a push from the browser", () => {
  const { sandbox, admin, startProject } = useDemoProjects();

  it("counts the records first, and sends exactly these records only after a confirmation", async () => {
    const { client } = await startProject();
    await client.post("/api/push/check");
    const checked = await stateOf(client, "checked");
    expect(checked).toMatchObject({
      plan: {
        target: new URL(sandbox.ready.baseUrl).host,
        isProduction: false,
        supplier: "SANDBOX",
        operation: "import-account",
        records: PROJECT.valid,
        counts: { valid: PROJECT.valid, invalid: PROJECT.invalid },
      },
    });
    expect(await admin.imports()).toEqual([]);

    await client.post("/api/push/start", { plan: planOf(checked), typed: "" });
    const ended = await stateOf(client, "ended");
    const { accepted, invalid, rejected } = PROJECT;
    expect(ended).toMatchObject({ end: { exitCode: 1, failures: [], counts: { accepted, invalid, rejected } } });
    expect(await admin.imports()).toHaveLength(PROJECT.valid);

    const overview = await client.get<OverviewData>("/api/overview");
    expect(overview.headline).toContain("197 of 219 records are on the platform");
    expect(overview.destinations).toMatchObject([
      { supplier: "SANDBOX", records: 219, withoutKey: 3, left: [{ records: 22 }] },
    ]);
    expect(overview.runs).toMatchObject([{ command: "push", dryRun: false, state: "complete", counts: { accepted } }]);

    const problems = await client.get<ProblemsData>("/api/problems");
    expect(problems).toMatchObject({ basis: "migration", hasPush: true, records: 25 });
    const refused = problems.causes.find(({ code }) => code === "invalid_phone_number");
    expect(refused).toMatchObject({ by: "platform", attr: "customers.*.mobile", title: "Mobile is not valid" });
    const { rows } = await client.get<CauseRows>(`/api/problems/rows?cause=${encodeURIComponent(refused?.id ?? "")}`);
    expect(rows).toHaveLength(refused?.records ?? 0);
    expect(rows[0]).toMatchObject({ column: "MOBILE", shape: expect.stringMatching(/^[9{}\d ]+$/) });

    // No credential and no value of a cell has reached the browser.
    expect(client.seen()).not.toContain(sandbox.ready.apiKey);
    expect(client.seen()).not.toMatch(/07700/);
  });

  it("lists dry runs from the command line, but not its own checks", async () => {
    const { folder, client } = await startProject();
    await client.post("/api/push/check");
    await stateOf(client, "checked");
    const { MIGRATE_API_KEY } = sandbox.env;
    const before = await runCli(["status", "--format", "json"], { cwd: folder });
    expect(JSON.parse(before.stdout)).toMatchObject({ runs: [] });
    expect((await runCli(["report"], { cwd: folder })).stderr).toContain("the ledger has no runs");
    await runCli(["push", "--dry-run"], { cwd: folder, env: { MIGRATE_API_KEY } });
    await client.post("/api/push/check");
    await stateOf(client, "checked");
    expect((await client.get<OverviewData>("/api/overview")).runs).toMatchObject([{ dryRun: true }]);
    const { stdout } = await runCli(["status", "--format", "json"], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ runs: [{ dryRun: true }] });
  });

  it("refuses to start without a check, or with the plan of an earlier check", async () => {
    const { client } = await startProject();
    expect((await client.post("/api/push/start", { plan: "", typed: "" })).status).toBe(409);
    await client.post("/api/push/check");
    const first = planOf(await stateOf(client, "checked"));
    await client.post("/api/push/check");
    const second = planOf(await stateOf(client, "checked"));
    expect(second).not.toBe(first);
    const refused = await client.post("/api/push/start", { plan: first, typed: "" });
    expect([refused.status, refused.body]).toEqual([409, expect.stringContaining("outdated")]);
    await client.post("/api/push/dismiss");
    expect((await client.post("/api/push/start", { plan: second, typed: "" })).status).toBe(409);
    expect(await admin.imports()).toEqual([]);
  });

  it("asks for the code of the supplier before it sends to production", async () => {
    const { client } = await startProject((folder) =>
      appendFileSync(path.join(folder, "migrate.yaml"), "    environment: production\n"),
    );
    await client.post("/api/push/check");
    const checked = await stateOf(client, "checked");
    expect(checked).toMatchObject({ plan: { isProduction: true } });
    const plan = planOf(checked);
    for (const typed of ["", "sandbox", "SANDBOX2", new URL(sandbox.ready.baseUrl).host]) {
      const refused = await client.post("/api/push/start", { plan, typed });
      expect([typed, refused.status]).toEqual([typed, 422]);
    }
    expect(await admin.imports()).toEqual([]);
    await client.post("/api/push/start", { plan, typed: "SANDBOX" });
    expect(await stateOf(client, "ended")).toMatchObject({ end: { counts: { accepted: PROJECT.accepted } } });
  });

  it("sends nothing if the number of records has changed since the confirmation was shown", async () => {
    const { folder, client } = await startProject();
    await client.post("/api/push/check");
    const plan = planOf(await stateOf(client, "checked"));
    const file = path.join(folder, "accounts.csv");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [...lines.slice(0, 50), ...lines.slice(60)].join("\n"));
    await client.post("/api/push/start", { plan, typed: "" });
    expect(await stateOf(client, "failed")).toMatchObject({
      error: { code: "source_changed", hint: "nothing was sent; check again" },
    });
    expect(await admin.imports()).toEqual([]);
  });

  it("refuses settings that any user could change", async () => {
    const { client } = await startProject((folder) => chmodSync(path.join(folder, "migrate.yaml"), 0o666));
    await client.post("/api/push/check");
    const failed = await stateOf(client, "failed");
    expect(failed).toMatchObject({ error: { code: "config" } });
    expect(JSON.stringify(failed)).toContain("any user can change the configuration file");
  });
});
