import { readFileSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { neverAnswer, reply, startChaosServer } from "../chaos-server.ts";
import { outcomeLines, statusCounts } from "./push-scene.ts";
import { workflowPlace, writeManyAccounts } from "./workflow-scene.ts";

const QUIET_MS = 2_000;
const RECORDS = 4;

interface Payload {
  readonly external_account_number: string;
  readonly billing_name?: string;
}

/** The body of a stage request, if the contract wraps the payload. */
interface Wrapped {
  readonly payload?: Payload;
  readonly team?: string;
}

/** A request to stage an account. */
interface Stage {
  readonly name: string | undefined;
  readonly team: string | undefined;
  readonly at: number;
}

/** Starts a platform that stages accounts, but never replies to stage requests that contain the original name. */
async function startPlatform() {
  const stages: Stage[] = [];
  const server = await startChaosServer(({ path, body }) => {
    const sent: Payload & Wrapped = JSON.parse(body);
    const { external_account_number: key, billing_name: name } = sent.payload ?? sent;
    const { team } = sent;
    if (path.endsWith("/process/"))
      return reply(201, { external_account_number: key, kraken_account_number: key.replace("EXT", "A") });
    if (path.endsWith("/validate-account/")) return reply(200, {});
    stages.push({ name, team, at: Date.now() });
    return name === "Ada Byron" && team !== "B" ? neverAnswer : reply(201, { external_account_number: key });
  });
  onTestFinished(server.close);
  const { href } = server.baseUrl;
  const place = workflowPlace({ env: { MIGRATE_TOKEN: "token", MIGRATE_SUPPLIER: "SANDBOX" } });
  writeFileSync(place.file("ca.pem"), server.ca);
  writeFileSync(
    place.file("migrate.yaml"),
    `target: here\ntargets:\n  here: { baseUrl: "${href}", ca: ca.pem, timeouts: { quietSeconds: ${QUIET_MS / 1000} } }\n`,
  );
  writeManyAccounts(place, RECORDS);
  return { place, stages };
}

test("changed content is staged only when a stage request without a reply can no longer be processed", async () => {
  const { place, stages } = await startPlatform();
  const killed = place.startPush("v1");
  await expect.poll(() => stages.length).toBe(RECORDS);
  killed.kill("SIGKILL");
  await killed.ended;
  const killedAt = Date.now();
  const file = place.file("accounts.csv");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("Ada", "Eva"));

  const { code, stdout } = await place.push("v1");
  expect([code, statusCounts(outcomeLines(stdout))]).toEqual([0, { accepted: RECORDS }]);
  const changed = stages.filter(({ name }) => name === "Eva Byron");
  expect(changed).toHaveLength(RECORDS);
  expect(Math.min(...changed.map(({ at }) => at)) - killedAt).toBeGreaterThanOrEqual(QUIET_MS);
});

test("the same content is staged again without waiting", async () => {
  const { place, stages } = await startPlatform();
  const killed = place.startPush("v1");
  await expect.poll(() => stages.length).toBe(RECORDS);
  killed.kill("SIGKILL");
  await killed.ended;
  const resumed = place.start(["resume"]);
  await expect.poll(() => stages.length).toBe(2 * RECORDS);
  resumed.kill("SIGKILL");
  expect((await resumed.ended).stderr).not.toContain("Waiting");
});

test("the same content is staged with changed fields only when the earlier request can no longer be processed", async () => {
  const { place, stages } = await startPlatform();
  const target = "$.paths['/v1/data-import/account-import-process/create-or-update/'].post";
  const properties = { payload: { $ref: "#/components/schemas/Account" }, team: { type: "string" } };
  const schema = { type: "object", required: ["payload"], properties };
  const requestBody = { required: true, content: { "application/json": { schema } } };
  const actions = [
    { target: `${target}.requestBody`, remove: true },
    { target, update: { "x-migrate-wrap": "payload", requestBody } },
  ];
  const overlay = { overlay: "1.0.0", info: { title: "Teams", version: "1" }, actions };
  writeFileSync(place.file("teams.json"), JSON.stringify(overlay));
  const mapping = place.file("accounts-v1.mapping.yaml");
  const withoutTeam = readFileSync(mapping, "utf8");
  writeFileSync(mapping, `${withoutTeam}steps: { stage: { team: { value: A } } }\n`);
  const killed = place.startPush("v1", ["--contract", "teams.json"]);
  await expect.poll(() => stages.length).toBe(RECORDS);
  killed.kill("SIGKILL");
  await killed.ended;
  const killedAt = Date.now();
  writeFileSync(mapping, `${withoutTeam}steps: { stage: { team: { value: B } } }\n`);
  expect((await place.push("v1", ["--contract", "teams.json"])).code).toBe(0);
  const changed = stages.filter(({ team }) => team === "B");
  expect(changed).toHaveLength(RECORDS);
  expect(Math.min(...changed.map(({ at }) => at)) - killedAt).toBeGreaterThanOrEqual(QUIET_MS);
});
