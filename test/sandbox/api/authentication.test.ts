import { getIntrospectionQuery } from "graphql";
import { expect, test } from "vitest";
import { account, ACCOUNTS, type Client, connect, type Parsed } from "../sandbox-client.ts";

const OBTAIN = `mutation Obtain($input: ObtainJSONWebTokenInput!) {
  ObtainServiceToken(input: $input) { token payload refreshToken refreshExpiresIn }
}`;

async function obtain(
  { post, sandbox }: Client,
  input: object = { APIKey: sandbox.ready.apiKey },
  query = OBTAIN,
): Promise<Parsed> {
  const reply = await post(sandbox.ready.graphqlUrl, { query, variables: { input } }, { authorization: "" });
  expect(reply.status).toBe(200);
  return reply.json;
}

function clockAt(start: number): {
  now: () => number;
  monotonic: () => number;
  sleep: () => Promise<void>;
  pass: (ms: number) => void;
} {
  let now = start;
  return {
    now: () => now,
    monotonic: () => now,
    sleep: () => Promise.resolve(),
    pass: (ms) => {
      now += ms;
    },
  };
}

test("a token is obtained with the service-token mutation and gives access to the data-import API", async () => {
  const clock = clockAt(Date.UTC(2025, 0, 1));
  const client = await connect({ clock });
  const { data } = await obtain(client);
  const { token, payload, refreshToken, refreshExpiresIn } = data.ObtainServiceToken;
  expect(payload.exp).toBe(Date.UTC(2025, 0, 1, 1) / 1000);
  expect(refreshExpiresIn).toBe(Date.UTC(2025, 0, 8) / 1000);
  expect(refreshToken).toEqual(expect.any(String));
  expect((await client.post(ACCOUNTS, account("E-1"), { authorization: `Token ${token}` })).status).toBe(201);
});

test.each(["Token ", "JWT ", "Bearer ", ""])("the header prefix %j is accepted", async (prefix) => {
  const client = await connect();
  const { data } = await obtain(client);
  const headers = { authorization: `${prefix}${data.ObtainServiceToken.token}` };
  expect((await client.post(ACCOUNTS, account("E-1"), headers)).status).toBe(201);
});

test("the mutation that obtains a token is also available under the name that other instances use", async () => {
  const client = await connect();
  const { data } = await obtain(client, undefined, OBTAIN.replace("ObtainServiceToken", "obtainKrakenToken"));
  expect(data.obtainKrakenToken.token).toEqual(expect.any(String));
});

test("only a refresh token obtains the next token, and it is not accepted as an access token", async () => {
  const client = await connect();
  const first = (await obtain(client)).data.ObtainServiceToken;
  const second = (await obtain(client, { refreshToken: first.refreshToken })).data.ObtainServiceToken;
  expect((await client.post(ACCOUNTS, account("E-1"), { authorization: `Token ${second.token}` })).status).toBe(201);
  expect((await obtain(client, { refreshToken: first.token })).errors[0].extensions.errorCode).toBe("KT-CT-1135");
  expect((await client.post(ACCOUNTS, account("E-2"), { authorization: `Token ${first.refreshToken}` })).status).toBe(
    401,
  );
});

test.each([
  [{ APIKey: "wrong" }, "KT-CT-1139"],
  [{ organizationSecretKey: "wrong" }, "KT-CT-1140"],
  [{}, "KT-CT-1128"],
])("a refused login is reported as an error with status 200: %j", async (input, code) => {
  const { data, errors } = await obtain(await connect(), input);
  expect(data.ObtainServiceToken).toBeNull();
  expect(errors[0].extensions.errorCode).toBe(code);
});

test("a refresh token expires", async () => {
  const clock = clockAt(Date.UTC(2025, 0, 1));
  const client = await connect({ clock });
  const { refreshToken } = (await obtain(client)).data.ObtainServiceToken;
  clock.pass(8 * 86_400_000);
  expect((await obtain(client, { refreshToken })).errors[0].extensions.errorCode).toBe("KT-CT-1134");
});

test("logins beyond the limit are refused until a minute has passed, even if their API keys are valid", async () => {
  const clock = clockAt(Date.UTC(2025, 0, 1));
  const client = await connect({ clock, faults: { maxLogins: 2 } });
  const codes: string[] = [];
  for (const input of [{ APIKey: "wrong" }, undefined, undefined, { APIKey: "wrong" }]) {
    const { errors } = await obtain(client, input);
    codes.push(errors?.[0].extensions.errorCode ?? "token");
  }
  expect(codes).toEqual(["KT-CT-1139", "token", "KT-CT-1199", "KT-CT-1199"]);
  clock.pass(60_000);
  expect((await obtain(client)).errors).toBeUndefined();
  expect(client.sandbox.history().map(({ login, processed }) => [login?.with, login?.refusal, processed])).toEqual([
    ["APIKey", "KT-CT-1139", false],
    ["APIKey", undefined, true],
    ["APIKey", "KT-CT-1199", false],
    ["APIKey", "KT-CT-1199", false],
    ["APIKey", undefined, true],
  ]);
});

test("the lifetime of a refresh token can be set, and rotating the keys ends it immediately", async () => {
  const clock = clockAt(Date.UTC(2025, 0, 1));
  const client = await connect({ clock, faults: { refreshLifetimeSeconds: 60, rotateTokensAt: 1 } });
  const first = (await obtain(client)).data.ObtainServiceToken;
  clock.pass(61_000);
  const late = await obtain(client, { refreshToken: first.refreshToken });
  expect(late.errors[0].extensions.errorCode).toBe("KT-CT-1134");
  const second = (await obtain(client)).data.ObtainServiceToken;
  await client.post(ACCOUNTS, account("E-1"));
  const rotated = await obtain(client, { refreshToken: second.refreshToken });
  expect(rotated.errors[0].extensions.errorCode).toBe("KT-CT-1135");
});

test("GraphQL answers introspection, and refuses an unknown field and a malformed body", async () => {
  const { post, call, sandbox } = await connect();
  const { json } = await post(sandbox.ready.graphqlUrl, { query: getIntrospectionQuery() });
  const names = JSON.stringify(json.data);
  expect(names).toContain('"name":"ObtainJSONWebTokenInput"');
  expect((await post("graphql/", { query: "{ nonsense }" })).json.errors).toHaveLength(1);
  expect((await call("POST", "graphql/", "{")).status).toBe(400);
});

test.each([
  ["", "not_authenticated"],
  ["Token nonsense", "authentication_failed"],
  ["Digest x", "authentication_failed"],
  ["Token a.b.c", "authentication_failed"],
])("authorization %j is refused with %s", async (authorization, code) => {
  const { post, sandbox } = await connect();
  const { status, json, headers } = await post(ACCOUNTS, account("E-1"), { authorization });
  expect([status, json.code, headers["www-authenticate"]]).toEqual([401, code, "Token"]);
  expect(sandbox.state.accounts()).toEqual([]);
});

test("a token expires after its lifetime", async () => {
  const clock = clockAt(Date.UTC(2025, 0, 1));
  const client = await connect({ clock, faults: { tokenLifetimeSeconds: 60 } });
  const { token } = (await obtain(client)).data.ObtainServiceToken;
  clock.pass(59_000);
  expect((await client.post(ACCOUNTS, account("E-1"), { authorization: `Token ${token}` })).status).toBe(201);
  clock.pass(2000);
  const late = await client.post(ACCOUNTS, account("E-2"), { authorization: `Token ${token}` });
  expect([late.status, late.json.code]).toEqual([401, "authentication_failed"]);
});

function basic(text: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(text).toString("base64")}` };
}

test("basic authentication with the API key gives access only to the operation that reads an account", async () => {
  const { get, post, sandbox } = await connect({ apiKey: "sk_test" });
  expect((await get(`accounts/${sandbox.ready.account}/`, basic("sk_test:"))).status).toBe(200);
  expect((await get(`accounts/${sandbox.ready.account}/`, basic("sk_test:x"))).status).toBe(401);
  expect((await get(`accounts/${sandbox.ready.account}/`, { authorization: "" })).status).toBe(401);
  expect((await post(ACCOUNTS, account("E-1"), basic("sk_test:"))).status).toBe(401);
});
