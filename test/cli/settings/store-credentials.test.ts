import { chmodSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readStoreCredentials } from "../../../src/cli/settings/read-credentials.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ENVIRONMENT = { AWS_ACCESS_KEY_ID: "AK", AWS_SECRET_ACCESS_KEY: "sk", AWS_SESSION_TOKEN: "st" };
const KEY = { accessKeyId: "AK", secretAccessKey: "sk" };

function privateFile(text: string): string {
  const file = path.join(temporaryFolder({ key: text }), "key");
  chmodSync(file, 0o600);
  return file;
}

it("the store's credentials come from the environment before any file", async () => {
  expect(await readStoreCredentials(ENVIRONMENT, "/nowhere")).toEqual({ ...KEY, sessionToken: "st" });
  expect(await readStoreCredentials({ ...ENVIRONMENT, AWS_SESSION_TOKEN: "" }, undefined)).toEqual(KEY);
});

it("the store's credentials may be absent", async () => {
  expect(await readStoreCredentials({ AWS_SESSION_TOKEN: "st" }, undefined)).toBeUndefined();
});

it.each([
  ["bare lines", "aws_access_key_id=AK\naws_secret_access_key = sk\n"],
  [
    "the section default",
    "[other]\naws_access_key_id = no\n[default]\r\naws_access_key_id = AK\r\naws_secret_access_key = sk",
  ],
  ["sections behind", "[default]\nAWS_ACCESS_KEY_ID = AK\naws_secret_access_key = sk\n[x]\naws_secret_access_key = no"],
])("the store's credentials are read from a file with %s", async (_, text) => {
  expect(await readStoreCredentials({}, privateFile(text))).toEqual(KEY);
});

it.each([
  ["half a key", "aws_access_key_id = AK", /half/],
  ["a key of another section alone", "[x]\naws_access_key_id = AK\naws_secret_access_key = sk", /half/],
  ["nothing", "\n", /empty/],
])("a file of store credentials with %s is refused", async (_, text, message) => {
  const file = privateFile(text);
  await expect(readStoreCredentials({}, file)).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(message),
    hint: expect.any(String),
  });
});

it("store credentials in a file that others may read, or half a key in the environment, are refused", async () => {
  const file = privateFile("aws_access_key_id = AK\naws_secret_access_key = sk");
  chmodSync(file, 0o644);
  await expect(readStoreCredentials({}, file)).rejects.toMatchObject({
    message: expect.stringMatching(/others may read/),
  });
  await expect(readStoreCredentials({ AWS_ACCESS_KEY_ID: "AK" }, undefined)).rejects.toMatchObject({ code: "config" });
});
