import { readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { type Action, type ChaosServer, reply, type SeenRequest, startChaosServer } from "../chaos-server.ts";
import type { CliEnd } from "./cli.ts";
import { outcomeLines, statusCounts } from "./push-scene.ts";
import { type WorkflowPlace, workflowPlace, writeManyAccounts } from "./workflow-scene.ts";

const RECORDS = 4;

/** An overlay that shortens the time limit for polling, so that the run ends soon. */
const IMPATIENT = `
overlay: 1.0.0
info: { title: Little patience, version: "1" }
actions:
  - target: $.paths['/v2/data-import/accounts/'].post['x-migrate-poll']
    update: { patience: 0.5 }
`;

const NOT_FOUND = reply(404, { detail: "Not found." });

const FLAGS = ["--contract", "impatient.yaml", "--target", "here"];

function placeFor({ baseUrl: { href }, ca }: ChaosServer): WorkflowPlace {
  const place = workflowPlace({ env: { MIGRATE_TOKEN: "token", MIGRATE_BASE_URL: href, MIGRATE_SUPPLIER: "SANDBOX" } });
  writeFileSync(place.file("ca.pem"), ca);
  writeFileSync(place.file("impatient.yaml"), IMPATIENT);
  writeManyAccounts(place, RECORDS);
  writeFileSync(
    place.file("migrate.yaml"),
    `targets:\n  here: { baseUrl: "${href}", ca: ca.pem, timeouts: { quietSeconds: 0 } }\n`,
  );
  return place;
}

/**
 * Pushes with a workflow that schedules imports, and then resumes the run. The platform replies to every poll with
 * `polled`.
 */
async function scheduleTwice(
  schedule: (request: SeenRequest) => Action,
  polled: Action = NOT_FOUND,
): Promise<{ readonly scheduled: number; readonly ends: readonly (readonly [number | null, object])[] }> {
  let scheduled = 0;
  const server = await startChaosServer((request) => {
    if (request.method === "GET") return polled;
    scheduled += 1;
    return schedule(request);
  });
  onTestFinished(server.close);
  const place = placeFor(server);
  const push = await place.push("v2", FLAGS);
  const resume = await place.migrate(["resume", "--format", "ndjson"]);
  const ends = [push, resume].map(({ code, stdout }) => [code, statusCounts(outcomeLines(stdout))] as const);
  return { scheduled, ends };
}

test("resume does not repeat a schedule request that received a reply, even if every poll returns 404", async () => {
  const { scheduled, ends } = await scheduleTwice(() => reply(201, { status: "PENDING" }));
  expect(ends).toEqual([
    [5, { ambiguous: RECORDS }],
    [5, { ambiguous: RECORDS }],
  ]);
  expect(scheduled).toBe(RECORDS);
});

test("a changed record is not scheduled while the platform still processes its earlier version", async () => {
  let status = "PENDING";
  let scheduled = 0;
  const server = await startChaosServer(({ method, path }) => {
    if (method === "GET") return reply(200, { status, kraken_identifier: path });
    scheduled += 1;
    return reply(201, {});
  });
  onTestFinished(server.close);
  const place = placeFor(server);
  const push = (): Promise<CliEnd> => place.push("v2", FLAGS);
  expect((await push()).code).toBe(3);
  writeFileSync(place.file("accounts.csv"), readFileSync(place.file("accounts.csv"), "utf8").replaceAll("Ada", "Eva"));
  expect(statusCounts(outcomeLines((await push()).stdout))).toEqual({ ambiguous: RECORDS });
  status = "PROCESSED";
  const last = await place.migrate(["resume", "--format", "ndjson"]);
  expect(last.code).toBe(5);
  expect(last.stdout).toContain("version_unknown");
  expect(scheduled).toBe(RECORDS);
});

test.each<readonly [string, (first: string, key: string) => readonly string[]]>([
  ["resuming its run", (first) => ["resume", first, "--format", "ndjson"]],
  ["a decision in its run", (first, key) => ["reconcile", first, "--accept", key, "--format", "ndjson"]],
])("a record that a changed push only polled is settled by %s", async (_, settling) => {
  let status = "PENDING";
  let scheduled = 0;
  const server = await startChaosServer(({ method, path }) => {
    if (method === "GET") return reply(200, { status, kraken_identifier: path });
    scheduled += 1;
    return reply(201, {});
  });
  onTestFinished(server.close);
  const place = placeFor(server);
  writeManyAccounts(place, 1);
  const original = readFileSync(place.file("accounts.csv"), "utf8");
  const push = async (content: string): Promise<{ readonly run: string; readonly counts: object }> => {
    writeFileSync(place.file("accounts.csv"), content);
    const { stdout, stderr } = await place.push("v2", FLAGS);
    return { run: /\b[0-9]{8}-[0-9a-z-]+/u.exec(stderr)?.[0] ?? "", counts: statusCounts(outcomeLines(stdout)) };
  };
  const first = await push(original);
  status = "PROCESSED";
  const changed = await push(original.replaceAll("Ada", "Eva"));
  expect([first.counts, changed.counts]).toEqual([{ pending: 1 }, { ambiguous: 1 }]);
  const refused = await place.migrate(["reconcile", changed.run, "--accept", "EXT-00001"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(`reconcile ${first.run} --accept`)]);
  writeFileSync(place.file("accounts.csv"), original);
  const settled = await place.migrate(settling(first.run, "EXT-00001"));
  expect([settled.code, statusCounts(outcomeLines(settled.stdout))]).toEqual([0, { accepted: 1 }]);
  expect((await push(original)).counts).toEqual({ skipped: 1 });
  expect(scheduled).toBe(1);
});

test("a record is not rejected if its schedule request received a reply and every poll returns 400", async () => {
  const polled = reply(400, { type: "validation_error", errors: [{ attr: "limit", code: "invalid", detail: "No." }] });
  const { scheduled, ends } = await scheduleTwice(() => reply(201, { status: "PENDING" }), polled);
  expect(ends).toEqual([
    [3, { pending: RECORDS }],
    [3, { pending: RECORDS }],
  ]);
  expect(scheduled).toBe(RECORDS);
});
