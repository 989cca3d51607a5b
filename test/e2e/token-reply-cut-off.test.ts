import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { type Action, rawThenEnd, reply, startChaosServer } from "../chaos-server.ts";
import { goodAccounts, outcomeLines, statusCounts, workplace } from "./push-scene.ts";

const RECORDS = 12;

const cutOff: Action = rawThenEnd(
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"data": {"ObtainServiceTok',
);

test.each([
  ["the first token request", 1],
  ["the token renewal during the run", 2],
])("a truncated reply to %s is retried, and every account is created once", async (_, cutLogin) => {
  let logins = 0;
  const created: string[] = [];
  const server = await startChaosServer(({ path, body, headers }) => {
    if (path.endsWith("/graphql/")) {
      logins += 1;
      if (logins === cutLogin) return cutOff;
      return reply(200, { data: { ObtainServiceToken: { token: `token-${logins}` } } });
    }
    const hasExpired = cutLogin === 2 && created.length >= 5 && headers["authorization"] === "Token token-1";
    if (hasExpired) return reply(401, { detail: "expired" });
    const { external_account_number: key }: { readonly external_account_number: string } = JSON.parse(body);
    created.push(key);
    return reply(201, { external_account_number: key, account_number: `A-${created.length}` });
  });
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(RECORDS) });
  writeFileSync(work.file("ca.pem"), server.ca);
  const flags = ["--ca", "ca.pem", "--base-url", server.baseUrl.href, "--supplier", "SANDBOX", "--concurrency", "4"];
  const { code, stdout, stderr } = await work.push([...flags, "--contract", "no-dedupe.yaml"], {
    env: { MIGRATE_API_KEY: "sk_test", MIGRATE_TOKEN: undefined },
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: RECORDS });
  expect(new Set(created).size).toBe(RECORDS);
  expect(created).toHaveLength(RECORDS);
  expect(logins).toBe(cutLogin + 1);
});
