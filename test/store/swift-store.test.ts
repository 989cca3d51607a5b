import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore, type StoreOptions } from "../../src/store/open-store.ts";
import { storeOptions } from "./scene.ts";
import { describeStore } from "./store-behaviour.ts";
import { startSwift, type Swift, SWIFT_IS_HERE, SWIFT_KEY, SWIFT_REGION } from "./swift.ts";

describe.skipIf(!SWIFT_IS_HERE)("a bucket of OpenStack Swift (skipped without Debian's python3-swift)", () => {
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
    await swift.put("files");
  });
  afterAll(() => swift.stop());

  const options = (more: Partial<StoreOptions> = {}): StoreOptions =>
    storeOptions({
      location: "s3://files",
      endpoint: swift.endpoint,
      region: SWIFT_REGION,
      ca: swift.ca,
      credentials: async () => async () => SWIFT_KEY,
      ...more,
    });

  describeStore(async () => {
    const prefix = randomBytes(6).toString("hex");
    return {
      withDocuments: async (keys) => {
        for (const key of keys) await swift.put("files", `${prefix}/${key}`);
        return openStore(options({ location: `s3://files/${prefix}` }));
      },
    };
  });

  test.each<readonly [string, Partial<StoreOptions>, object]>([
    ["a missing bucket", { location: "s3://nowhere" }, { code: "config", message: /no bucket nowhere/ }],
    [
      "a wrong secret key",
      { credentials: async () => async () => ({ ...SWIFT_KEY, secretAccessKey: "wrong" }) },
      { code: "store_refused", message: /403, SignatureDoesNotMatch/ },
    ],
    [
      "an unknown access key",
      { credentials: async () => async () => ({ accessKeyId: "test:nobody", secretAccessKey: "x" }) },
      { code: "store_refused", message: /403/ },
    ],
    ["another region", { region: "us-east-1" }, { code: "config", hint: "pass --region eu-west-2" }],
    ["an unknown authority", { ca: undefined }, { code: "tls" }],
  ])("%s is reported before any document is requested", async (_, more, failure) => {
    const refused: unknown = await openStore(options(more)).catch((error: unknown) => error);
    const { message, ...rest } = { message: /./, ...failure };
    expect(refused).toMatchObject(rest);
    expect(String(refused)).toMatch(message);
  });
});
