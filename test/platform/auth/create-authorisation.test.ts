import { describe, expect, test } from "vitest";
import { createImportClient, type ImportClient } from "../../../src/platform/import/import-client.ts";
import { type AuthorisationOptions, createAuthorisation } from "../../../src/platform/auth/create-authorisation.ts";
import { type Http, type HttpReply, type HttpRequest, TransportError } from "../../../src/transport/http.ts";

const baseUrl = new URL("https://localhost/v1/");
const credentials = { kind: "api-key", apiKey: "sk_live_1" } as const;

interface Platform {
  readonly http: Http;
  readonly tokens: HttpRequest[];
  readonly imports: HttpRequest[];
  /** Makes the platform refuse all tokens up to this number. */
  expire: (generation: number) => void;
}

/** Creates a platform that issues token-1, token-2, ... and accepts each token until it has expired. */
function platform(options: { readonly token?: (number: number) => HttpReply } = {}): Platform {
  const tokens: HttpRequest[] = [];
  const imports: HttpRequest[] = [];
  let expired = 0;
  return {
    tokens,
    imports,
    expire: (generation) => void (expired = generation),
    async http(request) {
      await new Promise(setImmediate);
      if (request.url.pathname.endsWith("graphql/")) {
        tokens.push(request);
        const number = tokens.length;
        return options.token?.(number) ?? json(200, { data: { ObtainServiceToken: { token: `token-${number}` } } });
      }
      imports.push(request);
      const generation = Number(/^Token token-(\d+)$/.exec(request.headers["authorization"] ?? "")?.[1] ?? 0);
      return generation > expired ? json(201, { account_number: "A-1" }) : json(401, { detail: "no" });
    },
  };
}

const unreachable: Http = () =>
  Promise.reject(new TransportError("sent", "reset", { code: "ECONNRESET", durationMs: 1 }));

function json(status: number, body: unknown): HttpReply {
  return {
    status,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
    complete: true,
    durationMs: 1,
  };
}

function client(http: Http, more: Partial<AuthorisationOptions> = {}, wrap?: string): ImportClient {
  return createImportClient({
    http,
    baseUrl,
    authorisation: createAuthorisation({ http, baseUrl, credentials, clock, ...more }),
    operation: { path: "/data-import/accounts/", outcomes: [], ...(wrap === undefined ? {} : { wrap }) },
    userAgent: "energy-migrate/test",
    clock: { now: () => 0 },
  });
}

const never = new AbortController().signal;
const clock = { now: () => 0, monotonic: () => 0 };

describe("the service token", () => {
  test("is obtained once for sixteen concurrent requests", async () => {
    const { http, tokens, imports } = platform();
    const importer = client(http);
    const answers = await Promise.all(Array.from({ length: 16 }, () => importer.send({}, never)));
    expect(answers.every(({ replyClass }) => replyClass.kind === "accepted")).toBe(true);
    expect(tokens).toHaveLength(1);
    expect(imports).toHaveLength(16);
    expect(tokens[0]?.url.href).toBe("https://localhost/v1/graphql/");
    expect(JSON.parse(String(tokens[0]?.body))).toEqual({
      query:
        "mutation ObtainServiceToken($apiKey: String!) { ObtainServiceToken(input: { APIKey: $apiKey }) { token } }",
      variables: { apiKey: "sk_live_1" },
    });
    expect(tokens[0]?.headers).not.toHaveProperty("authorization");
  });

  test("is renewed once for sixteen requests that are refused at the same time", async () => {
    const { http, tokens, imports, expire } = platform();
    const importer = client(http);
    await importer.send({}, never);
    expire(1);
    const answers = await Promise.all(Array.from({ length: 16 }, () => importer.send({}, never)));
    expect(answers.every(({ replyClass }) => replyClass.kind === "accepted")).toBe(true);
    expect(tokens).toHaveLength(2);
    expect(imports).toHaveLength(1 + 32);
  });

  test("ends the run if a new token is also refused", async () => {
    const { http, tokens, imports, expire } = platform();
    expire(99);
    expect(await client(http).send({}, never)).toMatchObject({ replyClass: { kind: "unauthorised" }, http: 401 });
    expect(tokens).toHaveLength(2);
    expect(imports).toHaveLength(2);
  });

  test("is requested only once if the platform refuses the key, and the run ends", async () => {
    const errors = [{ message: "sk_live_1 is wrong", extensions: { errorCode: "KT-CT-1139" } }];
    const { http, tokens, imports } = platform({ token: () => json(200, { data: null, errors }) });
    const importer = client(http);
    for (let turn = 0; turn < 5; turn += 1) {
      const { replyClass } = await importer.send({}, never);
      expect(replyClass).toMatchObject({ kind: "stop", failure: { code: "authentication", exitCode: 4 } });
      expect(replyClass).toHaveProperty("failure.message", expect.stringContaining("KT-CT-1139"));
      expect(JSON.stringify(replyClass)).not.toContain("sk_live_1");
    }
    expect(tokens).toHaveLength(1);
    expect(imports).toHaveLength(0);
  });

  test("is requested again while the token endpoint is temporarily down, before any record is sent", async () => {
    let now = 0;
    const passing = { now: () => 0, monotonic: () => now };
    const { http, tokens, imports } = platform({
      token: (number) =>
        number === 1 ? json(503, {}) : json(200, { data: { ObtainServiceToken: { token: "token-1" } } }),
    });
    const importer = client(http, { clock: passing });
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await importer.send({}, never)).toMatchObject({ replyClass: { kind: "unsent", code: "HTTP_503" } });
    }
    expect(imports).toHaveLength(0);
    expect(tokens).toHaveLength(1);
    now = 1_000;
    expect(await importer.send({}, never)).toMatchObject({ replyClass: { kind: "accepted" } });
  });

  test("leaves a request unsent if the token endpoint cannot be reached", async () => {
    expect(await client(unreachable).send({}, never)).toMatchObject({
      replyClass: { kind: "unsent", code: "ECONNRESET" },
    });
  });

  test("is requested with the configured mutation, input and path, and sent with the configured prefix", async () => {
    const requests: HttpRequest[] = [];
    const http: Http = (request) => {
      requests.push(request);
      return Promise.resolve(json(200, { data: { obtainKrakenToken: { access: { jwt: "abc" } } } }));
    };
    const auth = {
      mutation: "obtainKrakenToken",
      inputField: "organizationSecretKey",
      outputPath: "obtainKrakenToken.access.jwt",
      graphqlPath: "/v2/graphql/",
    };
    const authorisation = createAuthorisation({ http, baseUrl, credentials, auth, prefix: "JWT ", clock });
    expect(await authorisation.header()).toBe("JWT abc");
    expect(requests[0]?.url.href).toBe("https://localhost/v2/graphql/");
    expect(requests[0]?.body).toContain(
      "obtainKrakenToken(input: { organizationSecretKey: $apiKey }) { access { jwt } }",
    );
  });

  test("can be obtained with a custom document instead of the default, for a key and for a refresh token", async () => {
    const requests: HttpRequest[] = [];
    const http: Http = (request) => {
      requests.push(request);
      return Promise.resolve(json(200, { data: { login: { token: `t${requests.length}`, refreshToken: "r" } } }));
    };
    const auth = { document: "mutation Mine", outputPath: "login.token" };
    const queries = (): readonly unknown[] => requests.map(({ body }) => JSON.parse(String(body)).query);
    const keyOnly = createAuthorisation({ http, baseUrl, credentials, auth, clock });
    await keyOnly.refused(await keyOnly.header());
    expect(queries()).toEqual(["mutation Mine", "mutation Mine"]);
    const both = { ...auth, refreshDocument: "mutation Again" };
    const refreshing = createAuthorisation({ http, baseUrl, credentials, auth: both, clock });
    await refreshing.refused(await refreshing.header());
    expect(queries().slice(2)).toEqual(["mutation Mine", "mutation Again"]);
  });

  test("is requested with the configured output fields", async () => {
    const { http, tokens } = platform();
    const auth = { outputFields: ["token", "payload", "refreshToken: renewal"] };
    await createAuthorisation({ http, baseUrl, credentials, auth, clock }).header();
    expect(JSON.parse(String(tokens[0]?.body)).query).toContain("{ token payload refreshToken: renewal }");
  });

  test.each(["https://evil.example/graphql/", "//evil.example/graphql/", "\\\\evil.example/"])(
    "is requested only at the origin of the base URL, for any configured path: %s",
    async (path) => {
      const { http, tokens } = platform();
      const held = createAuthorisation({ http, baseUrl, credentials, auth: { graphqlPath: path }, clock });
      await held.header().catch(() => undefined);
      expect(tokens.map(({ url }) => url.origin)).toEqual(tokens.map(() => "https://localhost"));
    },
  );

  test("is refused if it would break the header", async () => {
    const { http } = platform({ token: () => json(200, { data: { ObtainServiceToken: { token: "a\r\nx: y" } } }) });
    expect(await client(http).send({}, never)).toMatchObject({
      replyClass: { kind: "stop", failure: { code: "authentication" } },
    });
  });
});

describe("a fixed token", () => {
  test("is used unchanged, and a refusal ends the run", async () => {
    const { http, tokens, imports, expire } = platform();
    expire(5);
    const importer = client(http, { credentials: { kind: "token", token: "token-5" } });
    expect(await importer.send({}, never)).toMatchObject({
      replyClass: { kind: "stop", failure: { code: "authentication" } },
    });
    expect(imports).toHaveLength(1);
    expect(imports[0]?.headers["authorization"]).toBe("Token token-5");
    expect(tokens).toHaveLength(0);
  });
});

describe("basic authentication:", () => {
  const basic = { kind: "basic", apiKey: "sk_live_1" } as const;

  test("the API key is sent with an empty password and without a login, and a refusal ends the run", async () => {
    const { http, tokens, imports } = platform();
    const importer = client(http, { credentials: basic });
    expect(await importer.send({}, never)).toMatchObject({
      replyClass: { kind: "stop", failure: { code: "authentication" } },
    });
    expect(tokens).toEqual([]);
    expect(imports.map(({ headers }) => headers["authorization"])).toEqual(["Basic c2tfbGl2ZV8xOg=="]);
  });

  test("a key with a colon is refused, because a colon would end the user name", () => {
    const { http } = platform();
    expect(() => client(http, { credentials: { kind: "basic", apiKey: "sk:1" } })).toThrow(/colon/);
  });
});

describe("the request", () => {
  test("contains the payload as JSON, and goes to the operation's path", async () => {
    const { http, imports } = platform();
    await client(http).send({ external_account_number: "00123" }, never);
    expect(imports[0]).toMatchObject({
      method: "POST",
      body: '{"external_account_number":"00123"}',
      headers: { "content-type": "application/json", accept: "application/json", "user-agent": "energy-migrate/test" },
    });
    expect(imports[0]?.url.href).toBe("https://localhost/v1/data-import/accounts/");
  });

  test("contains a wrapped payload if the contract requires the wrapper", async () => {
    const { http, imports } = platform();
    await client(http, {}, "payload").send({ a: 1 }, never);
    expect(imports[0]?.body).toBe('{"payload":{"a":1}}');
  });
});

function jsonWebToken(claims: object): string {
  return ["{}", JSON.stringify(claims), "x"].map((part) => Buffer.from(part).toString("base64url")).join(".");
}

describe("a refused token of the user", () => {
  test.each([
    [
      "is reported as expired if its own expiry has passed",
      jsonWebToken({ exp: 1_700_000_000 }),
      "expired at 2023-11-14T22:13:20Z",
    ],
    [
      "is not reported as expired before its own expiry",
      jsonWebToken({ exp: 1_900_000_000 }),
      "does not accept the token (HTTP 401)",
    ],
    ["is not reported as expired if it contains no expiry", "opaque", "does not accept the token (HTTP 401)"],
  ])("%s", async (_, given, message) => {
    const { http, expire } = platform();
    expire(99);
    const { replyClass } = await client(http, {
      credentials: { kind: "token", token: given },
      clock: { ...clock, now: () => 1_800_000_000_000 },
    }).send({}, never);
    expect(replyClass).toMatchObject({ kind: "stop", failure: { code: "authentication", exitCode: 4 } });
    expect(replyClass).toHaveProperty("failure.message", expect.stringContaining(message));
  });
});
