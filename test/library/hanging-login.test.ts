import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { push } from "energy-migrate";
import { startChaosServer } from "../chaos-server.ts";
import { goodAccounts, CONTRACT, writeExtract } from "../e2e/push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test.each(["signal", "stopNow"])("%s ends a login that never gets a reply", async (name) => {
  const stop = new AbortController();
  const server = await startChaosServer(() => {
    stop.abort();
    return () => undefined;
  });
  onTestFinished(server.close);
  const folder = temporaryFolder();
  writeExtract(folder, { accounts: goodAccounts(2) });
  writeFileSync(path.join(folder, "ca.pem"), server.ca);
  const { exitCode, summary } = await push({
    folder,
    contract: CONTRACT,
    mapping: "mapping.yaml",
    supplier: "SANDBOX",
    target: { baseUrl: server.baseUrl.href, ca: "ca.pem", environment: "test" },
    credentials: { apiKey: "an-example-key" },
    [name]: stop.signal,
  });
  expect([exitCode, summary.counts]).toEqual([3, { pending: 2 }]);
});
