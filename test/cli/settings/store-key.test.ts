import { chmodSync } from "node:fs";
import path from "node:path";
import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readStoreKey } from "../../../src/cli/settings/store-key.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Ignores the AWS settings of this machine, and makes no request. */
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere/config");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials");
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
});

afterEach(() => vi.unstubAllEnvs());

async function keyFrom(environment: NodeJS.ProcessEnv, file: string | undefined): Promise<unknown> {
  return (await readStoreKey(environment, file))?.();
}

const ENVIRONMENT = { AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "sk", AWS_SESSION_TOKEN: "st" };
const KEY = { accessKeyId: "AK", secretAccessKey: "sk" };

function privateFile(text: string): string {
  const file = path.join(temporaryFolder({ key: text }), "key");
  chmodSync(file, 0o600);
  return file;
}

it("the store's credentials in the environment take precedence over any file", async () => {
  expect(await keyFrom(ENVIRONMENT, "/nowhere")).toEqual({ ...KEY, sessionToken: "st" });
  expect(await keyFrom({ ...ENVIRONMENT, AWS_SESSION_TOKEN: "" }, undefined)).toEqual(KEY);
});

it("the store's credentials are optional", async () => {
  expect(await keyFrom({ AWS_SESSION_TOKEN: "st" }, undefined)).toBeUndefined();
});

it.each([
  ["bare lines", "aws_access_key_id=AK\naws_secret_access_key = sk\n"],
  [
    "a default section",
    "[other]\naws_access_key_id = no\n[default]\r\naws_access_key_id = AK\r\naws_secret_access_key = sk",
  ],
  [
    "sections after the default one",
    "[default]\nAWS_ACCESS_KEY_ID = AK\naws_secret_access_key = sk\n[x]\naws_secret_access_key = no",
  ],
])("the store's credentials are read from a file with %s", async (_, text) => {
  expect(await keyFrom({}, privateFile(text))).toEqual(KEY);
});

it.each([
  ["only half of a key", "aws_access_key_id = AK", /complete access key/],
  ["a key only in another section", "[x]\naws_access_key_id = AK\naws_secret_access_key = sk", /complete access key/],
  ["nothing", "\n", /empty/],
])("a credentials file for a store is refused if it contains %s", async (_, text, message) => {
  const file = privateFile(text);
  await expect(keyFrom({}, file)).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(message),
    hint: expect.any(String),
  });
});

it("store credentials are refused if they are incomplete, or in a file that other users can read", async () => {
  const file = privateFile("aws_access_key_id = AK\naws_secret_access_key = sk");
  chmodSync(file, 0o644);
  await expect(keyFrom({}, file)).rejects.toMatchObject({
    message: expect.stringMatching(/other users can access/),
  });
  await expect(keyFrom({ AWS_ACCESS_KEY_ID: "AK" }, undefined)).rejects.toMatchObject({ code: "config" });
});

describe("without a key in the environment or a named file,", () => {
  it("the profile that AWS_PROFILE names provides the key", async () => {
    vi.stubEnv("AWS_CONFIG_FILE", privateFile("[profile other]\naws_access_key_id = AK\naws_secret_access_key = sk\n"));
    expect(await keyFrom({ AWS_PROFILE: "other" }, undefined)).toMatchObject(KEY);
  });

  it("a profile can get the key from a program", async () => {
    const reply = JSON.stringify({ Version: 1, AccessKeyId: "AK", SecretAccessKey: "sk" });
    vi.stubEnv("AWS_CONFIG_FILE", privateFile(`[profile other]\ncredential_process = echo '${reply}'\n`));
    expect(await keyFrom({ AWS_PROFILE: "other" }, undefined)).toMatchObject(KEY);
  });

  it("a missing profile is refused, and the message names the profile", async () => {
    await expect(keyFrom({ AWS_PROFILE: "missing" }, undefined)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/^the profile missing \(AWS_PROFILE\) provides no access key: /),
    });
  });

  it("the container's role provides the key, and is queried again only when the key expires", async () => {
    let asked = 0;
    const server = createServer((_request, reply) => {
      asked += 1;
      const Expiration = new Date(Date.now() + 3_600_000).toISOString();
      reply.end(JSON.stringify({ AccessKeyId: "AK", SecretAccessKey: "sk", Token: "st", Expiration }));
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `http://127.0.0.1:${port}/role`);
    try {
      const key = await readStoreKey({}, undefined);
      expect([await key?.(), await key?.()]).toMatchObject([
        { ...KEY, sessionToken: "st" },
        { ...KEY, sessionToken: "st" },
      ]);
      expect(asked).toBe(1);
    } finally {
      server.close();
    }
  });
});
