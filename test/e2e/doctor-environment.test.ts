import { createServer } from "node:http";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startCli } from "./cli.ts";
import { type AccountCells, CONTRACT, goodAccounts } from "./push-scene.ts";
import { scene, useDoctor } from "./doctor-scene.ts";
import { noSmallDisk, smallDisk } from "./small-disk.ts";

const { sandbox, admin, migrate, examine } = useDoctor();

describe("the join checks of migrate doctor", () => {
  const accounts: readonly AccountCells[] = goodAccounts(4);

  test("fail for rows without a parent, and count the matching rows and parents", async () => {
    const customers = [{ REF: "EXT-00001" }, { REF: "EXT-00002" }, { REF: "ext-1" }];
    const { code, of } = await examine(scene({ accounts, customers }));
    expect(code).toBe(1);
    expect(of("join")).toMatchObject({
      status: "failed",
      text: "customers.REF -> accounts.REF: 2 of 3 rows match (66.6%); 2 of 4 rows of accounts have matching rows",
      figures: { parents: 4, parentsWithRows: 2, joined: 2, orphans: 1 },
    });
  });

  test("fail if no rows match, but do not prevent other checks", async () => {
    const { code, of } = await examine(scene({ accounts, customers: [{ REF: "1" }, { REF: "2" }] }));
    expect(code).toBe(2);
    expect(of("join")).toMatchObject({
      status: "failed",
      text: expect.stringContaining("0 of 2 rows match accounts.REF"),
    });
    expect(of("input").figures).toMatchObject({ records: 4 });
  });

  test("check only the first records with --limit", async () => {
    const { code, of } = await examine(scene({ accounts, customers: [{ REF: "EXT-00001" }, { REF: "none" }] }), [
      "--limit",
      "2",
    ]);
    expect(code).toBe(0);
    expect(of("input").figures).toEqual({ records: 2, unreadable: 0 });
    expect(of("join").figures).toEqual({ parents: 2, parentsWithRows: 1, joined: 1 });
  });
});

describe("the platform check of migrate doctor", () => {
  test("fails if the certificate is not trusted, but does not prevent other checks", async () => {
    const { code, of } = await examine(scene(), [], { MIGRATE_CA: undefined });
    expect(code).toBe(4);
    expect(of("tls")).toMatchObject({ status: "failed", exitCode: 4, fix: expect.stringContaining("--ca") });
    expect(of("token")).toMatchObject({ status: "skipped", text: "needs the connection" });
    expect(of("disk").status).toBe("ok");
  });

  test("fails with exit code 3 if no server is listening", async () => {
    const { code, of } = await examine(scene(), [], { MIGRATE_BASE_URL: "https://127.0.0.1:1/v1/" });
    expect(code).toBe(3);
    expect(of("tls")).toMatchObject({ status: "failed", text: expect.stringContaining("ECONNREFUSED") });
  });

  test("fails with exit code 4 if the platform refuses the key", async () => {
    const wrong = { MIGRATE_API_KEY: "wrong-key-canary" };
    const { code, of } = await examine(scene(), [], wrong);
    expect(code).toBe(4);
    expect(of("token")).toMatchObject({
      status: "failed",
      text: expect.stringContaining("issued no token for the API key"),
    });
  });

  test("reports a clock difference", async () => {
    const server = createServer((_, reply) => {
      reply.setHeader("date", new Date(Date.now() + 3_600_000).toUTCString()).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const env = { MIGRATE_BASE_URL: `http://127.0.0.1:${port}/v1/`, MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "t-1" };
    const { of } = await examine(scene(), ["--allow-insecure-loopback"], env);
    expect(of("tls").status).toBe("warning");
    expect(of("clock")).toMatchObject({
      status: "warning",
      text: expect.stringMatching(/^3(599|600|601) s behind the platform's$/),
    });
  });
});

describe("the ledger check of migrate doctor", () => {
  test("passes after a push, and shows the result of the last run", async () => {
    const folder = scene();
    expect((await migrate(folder, ["push", "--quiet"])).code).toBe(0);
    const { code, of } = await examine(folder);
    expect(code).toBe(0);
    expect(of("ledger").figures).toMatchObject({ runs: 1, records: 3, findings: 0 });
    expect(of("last run").text).toMatch(/: 3 accepted$/);
    expect(of("ambiguous").status).toBe("ok");
  });

  test("reports ambiguous records with exit code 5 and the command that settles them", async () => {
    const folder = scene();
    await admin.faults({ resetAfter: { every: 1 } });
    expect(
      (await migrate(folder, ["push", "--quiet", "--contract", CONTRACT, "--contract", "no-dedupe.yaml"])).code,
    ).toBe(5);
    const { code, of } = await examine(folder);
    expect(code).toBe(5);
    expect(of("ambiguous")).toMatchObject({
      status: "failed",
      figures: { ambiguous: 3 },
      fix: expect.stringMatching(/^migrate reconcile \d{8}-/),
    });
  });

  test("suggests another ledger on a full disk only before the first push", async ({ skip }) => {
    const reason = noSmallDisk();
    if (reason !== undefined) skip(reason);
    const ledger = smallDisk(1024).file("ledger.db");
    const { of } = await examine(scene(), ["--ledger", ledger]);
    expect(of("disk")).toMatchObject({
      status: "failed",
      fix: "free some space; before the first push, you can also choose another location with --ledger",
    });
  });

  test("reports a ledger that belongs to another supplier", async () => {
    const folder = scene();
    expect((await migrate(folder, ["push", "--quiet"])).code).toBe(0);
    const { of } = await examine(folder, ["--supplier", "OTHER"]);
    expect(of("ledger's target")).toMatchObject({
      status: "failed",
      exitCode: 2,
      text: expect.stringContaining("OTHER"),
    });
  });

  test("reports a corrupt ledger with exit code 6, and skips no other check", async () => {
    const folder = scene();
    expect((await migrate(folder, ["push", "--quiet"])).code).toBe(0);
    const ledger = path.join(folder, ".migrate/ledger.db");
    const bytes = readFileSync(ledger);
    writeFileSync(ledger, bytes.fill("x", Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 5));
    const { code, of } = await examine(folder);
    expect(code).toBe(6);
    expect(of("ledger")).toMatchObject({ status: "failed", fix: expect.stringContaining("ledger repair") });
    expect(of("token").status).toBe("ok");
  });

  test("reports a ledger that a push is using, with exit code 7", async () => {
    const folder = scene();
    await admin.faults({ hangAfter: { at: [1] } });
    const push = startCli(["push", "--concurrency", "1"], { cwd: folder, env: sandbox.env });
    onTestFinished(() => push.kill("SIGKILL"));
    await expect.poll(async () => (await admin.imports()).length).toBeGreaterThan(0);
    const { code, of } = await examine(folder);
    expect(code).toBe(7);
    expect(of("last run")).toMatchObject({ status: "failed", fix: expect.stringContaining("migrate status") });
  });
});
