import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Action, reply, type SeenRequest, startChaosServer } from "../chaos-server.ts";
import { goodAccounts, workplace } from "./push-scene.ts";

const API_KEY = "sk_live_Kx83hTqz5Lm2Wd9RbN4v";
const TOKEN = "tok-77Qq1ZpY0cVn8sHf3uEo";
const BASE64 = [API_KEY, TOKEN].map((secret) => Buffer.from(secret).toString("base64"));
const ENCODED = [API_KEY, TOKEN].map((secret) =>
  Array.from(Buffer.from(secret), (byte) => `%${byte.toString(16)}`).join(""),
);
/** The first eight characters of the credentials in each encoding. */
const TRACES = [API_KEY, TOKEN, ...BASE64, ...ENCODED].map((text) => text.slice(0, 8));

function keyOf({ body }: SeenRequest): string {
  const { external_account_number: key }: { readonly external_account_number: string } = JSON.parse(body);
  return key;
}

function refusal(echo: string): Action {
  return reply(400, {
    errors: [{ attr: `a.${echo}`, code: echo, detail: `The key ${echo} was refused.` }],
  });
}

const ECHOES: readonly (readonly [place: string, act: (request: SeenRequest) => Action])[] = [
  ["the attr, code and detail of an error", () => refusal(API_KEY)],
  ["an error that contains the first half of the token", () => refusal(TOKEN.slice(0, 12))],
  ["an error, percent-encoded,", () => refusal(ENCODED.join(" "))],
  ["an error in base64", () => refusal(BASE64.join(" "))],
  ["an account number", (request) => reply(201, { external_account_number: keyOf(request), account_number: API_KEY })],
  ["a redirect", () => reply(302, "", { location: `https://login.example/${API_KEY}/${TOKEN}?key=${ENCODED[0]}` })],
  ["the content type of a success", () => reply(201, "x", { "content-type": `text/${API_KEY}` })],
  ["the code of a refused login", () => refusal("unused")],
];

test.each(ECHOES)("a credential that the platform repeats in %s is neither shown nor stored", async (place, act) => {
  const isLoginRefused = place.endsWith("login");
  const login = isLoginRefused
    ? reply(200, { errors: [{ extensions: { errorCode: `KT-${API_KEY}` } }] })
    : reply(200, { data: { ObtainServiceToken: { token: TOKEN } } });
  const server = await startChaosServer((request) => (request.path.includes("graphql") ? login : act(request)));
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(2) });
  writeFileSync(work.file("ca.pem"), server.ca);
  const { code, stdout, stderr } = await work.push(
    ["--ca", "ca.pem", "--base-url", server.baseUrl.href, "--supplier", "SANDBOX", "--out", "report", "--show-values"],
    { env: { MIGRATE_API_KEY: API_KEY, MIGRATE_TOKEN: undefined } },
  );
  expect(code).not.toBe(70);
  expect(server.requests.some(({ path: at }) => !at.includes("graphql"))).toBe(!isLoginRefused);
  const output = [stdout, stderr, ...filesUnder(work.folder).map((file) => readFileSync(file, "latin1"))];
  expect(TRACES.filter((trace) => output.some((text) => text.includes(trace)))).toEqual([]);
});

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}
