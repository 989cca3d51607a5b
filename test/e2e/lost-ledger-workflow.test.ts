import { rmSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { reply, startChaosServer } from "../chaos-server.ts";
import { outcomeLines, statusCounts } from "./push-scene.ts";
import { workflowPlace, writeManyAccounts } from "./workflow-scene.ts";

test("after the ledger is lost, a workflow that is polled sends no record again (it used to send all of them)", async () => {
  const scheduled: string[] = [];
  const server = await startChaosServer(({ method, body }) => {
    if (method === "GET") return reply(200, { status: "PROCESSED", kraken_identifier: `A-${scheduled.length}` });
    scheduled.push(body);
    return reply(201, { status: "PENDING" });
  });
  onTestFinished(server.close);
  const { baseUrl, ca } = server;
  const place = workflowPlace({
    env: { MIGRATE_TOKEN: "token", MIGRATE_BASE_URL: baseUrl.href, MIGRATE_SUPPLIER: "SANDBOX" },
  });
  writeFileSync(place.file("ca.pem"), ca);
  writeFileSync(
    place.file("migrate.yaml"),
    `targets:\n  here: { baseUrl: "${baseUrl.href}", ca: ca.pem, timeouts: { quietSeconds: 0 } }\n`,
  );
  writeManyAccounts(place, 1);
  expect((await place.push("v2", ["--target", "here"])).code).toBe(0);
  rmSync(place.file(".migrate"), { recursive: true });

  expect((await place.migrate(["ledger", "repair", "--some-lost"])).code).toBe(5);
  for (const again of [
    await place.push("v2", ["--target", "here"]),
    await place.migrate(["resume", "--format", "ndjson"]),
  ]) {
    expect([again.code, statusCounts(outcomeLines(again.stdout))]).toEqual([5, { ambiguous: 1 }]);
  }
  expect(scheduled).toHaveLength(1);
});
