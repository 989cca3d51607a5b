import { X509Certificate } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, test } from "vitest";
import { account, ACCOUNTS, connect } from "./sandbox-client.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("`ready` contains the loopback address, the credentials and the sample data of the sandbox", async () => {
  const { sandbox } = await connect({ apiKey: "sk_test" });
  const { port } = new URL(sandbox.ready.baseUrl);
  expect(sandbox.ready).toEqual({
    baseUrl: `https://127.0.0.1:${port}/v1/`,
    graphqlUrl: `https://127.0.0.1:${port}/v1/graphql/`,
    adminUrl: `https://127.0.0.1:${port}/admin/`,
    adminToken: expect.stringMatching(/^[\w-]{24}$/),
    ca: expect.stringMatching(/ca\.pem$/),
    apiKey: "sk_test",
    supplier: "SANDBOX",
    products: expect.arrayContaining(["VAR-24-01-01"]),
    tariff: { product: "HALFHOURLY-24-10-01", tariff: "E-1R-HALFHOURLY-24-10-01-C" },
    account: expect.stringMatching(/^A-[0-9A-F]{8}$/),
  });
});

test.each(["gb", "UK", " GB"])("the region %j is refused, because it is not a country code", async (region) => {
  await expect(connect({ region })).rejects.toMatchObject({ code: "config", message: expect.stringContaining(region) });
});

test("the certificate is valid for 127.0.0.1, ::1 and localhost, and only the owner can read the private key file", async () => {
  const { sandbox, folder } = await connect();
  const certificate = new X509Certificate(await readFile(join(folder, "server.pem")));
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certificate.checkIP("::1")).toBe("::1");
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.checkIssued(new X509Certificate(await readFile(sandbox.ready.ca)))).toBe(true);
  expect((await stat(join(folder, "server-key.pem"))).mode & 0o777).toBe(0o600);
});

test("clients that do not trust its certificate authority, or use an old TLS version, cannot connect", async () => {
  const { sandbox } = await connect();
  const { port } = new URL(sandbox.ready.baseUrl);
  const ca = await readFile(sandbox.ready.ca);
  const attempt = (options: object): Promise<string> =>
    new Promise((resolve) => {
      const socket = connectTls({ port: Number(port), host: "127.0.0.1", ...options }, () => {
        resolve("connected");
        socket.destroy();
      });
      socket.on("error", (error: Error & { code?: string }) => resolve(error.code ?? error.message));
    });
  expect(await attempt({ ca })).toBe("connected");
  expect(await attempt({})).toBe("SELF_SIGNED_CERT_IN_CHAIN");
  expect(await attempt({ ca, maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" })).not.toBe(
    "connected",
  );
});

test("certificates are reused, and replaced if they are corrupt", async () => {
  const folder = temporaryFolder();
  const first = await connect({ folder });
  const ca = await readFile(first.sandbox.ready.ca, "utf8");
  await first.sandbox.close();
  const second = await connect({ folder });
  expect(await readFile(second.sandbox.ready.ca, "utf8")).toBe(ca);
  await second.sandbox.close();
  await writeFile(join(folder, "server.pem"), "corrupt");
  const third = await connect({ folder });
  expect(await readFile(third.sandbox.ready.ca, "utf8")).not.toBe(ca);
  expect((await third.get("products/")).status).toBe(200);
});

test("a data file keeps accounts, notes and suppliers across restarts", async () => {
  const dataFile = join(temporaryFolder(), "data", "platform.json");
  const first = await connect({ dataFile });
  const { json } = await first.post(ACCOUNTS, account("E-1", { billing_postcode: "SW1A 1AA" }));
  const notes = { ...account("E-1"), notes: [{ body: "Dog" }] };
  await first.post("data-import/notes/", notes);
  first.sandbox.state.setSupplier("SANDBOX", "Complete");
  await first.sandbox.close();
  expect((await stat(dataFile)).mode & 0o777).toBe(0o600);

  const second = await connect({ dataFile });
  expect((await second.get(`accounts/${json.account_number}/`)).json.billing_postcode).toBe("SW1A 1AA");
  expect((await second.post(ACCOUNTS, account("E-2"))).json.code).toBe("import_supplier_migration_not_ongoing");
  second.sandbox.state.setSupplier("SANDBOX", "Ongoing");
  expect((await second.post(ACCOUNTS, account("E-1"))).json).toMatchObject({ account_number: json.account_number });
  expect((await second.post("data-import/notes/", notes)).json).toMatchObject([{ status: "NOTE_ALREADY_EXISTS" }]);
});

test("a data file that another sandbox uses is refused, until that sandbox is closed or could not start", async () => {
  const dataFile = join(temporaryFolder(), "platform.json");
  await expect(connect({ dataFile, region: "gb" })).rejects.toMatchObject({ code: "config" });
  const { sandbox } = await connect({ dataFile });
  await expect(connect({ dataFile })).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining("another sandbox uses this data file"),
  });
  await sandbox.close();
  await connect({ dataFile });
});

test("changes are written to the data file while the sandbox runs", async () => {
  const dataFile = join(temporaryFolder(), "platform.json");
  const { post } = await connect({ dataFile });
  await post(ACCOUNTS, account("E-1"));
  await expect.poll(() => readFile(dataFile, "utf8").catch(() => "")).toContain('"E-1"');
});

test.each(["{", "[]", '{"suppliers":{"A":"Asleep"},"accounts":[]}', '{"suppliers":{},"accounts":[{"number":1}]}'])(
  "a data file with other content is refused, and left unchanged: %s",
  async (text) => {
    const dataFile = join(temporaryFolder(), "other.json");
    await writeFile(dataFile, text);
    await expect(connect({ dataFile })).rejects.toMatchObject({ code: "storage" });
    expect(await readFile(dataFile, "utf8")).toBe(text);
  },
);

test("a data path that cannot be read causes a storage failure", async () => {
  await expect(connect({ dataFile: temporaryFolder() })).rejects.toMatchObject({ code: "storage" });
});

test("a data file that cannot be written causes a storage failure, and a second call of `close` writes the file", async () => {
  const folder = join(temporaryFolder(), "data");
  const dataFile = join(folder, "platform.json");
  const { sandbox } = await connect({ dataFile });
  await rm(folder, { recursive: true });
  await writeFile(folder, "a file where the folder was to be");
  await expect(sandbox.close()).rejects.toMatchObject({ code: "storage", hint: expect.stringContaining("--data") });
  await rm(folder);
  await sandbox.close();
  expect(await readFile(dataFile, "utf8")).toContain('"accounts"');
});

test("a folder that cannot be created for the certificates causes a storage failure", async () => {
  const file = join(temporaryFolder(), "file");
  await writeFile(file, "");
  await expect(connect({ folder: join(file, "sandbox") })).rejects.toMatchObject({
    code: "storage",
    hint: expect.stringContaining("writable folder"),
  });
});

test("a port in use causes a failure with a hint", async () => {
  const { sandbox } = await connect();
  const port = Number(new URL(sandbox.ready.baseUrl).port);
  await expect(connect({ port })).rejects.toMatchObject({
    code: "config",
    message: `the sandbox cannot listen on 127.0.0.1:${port}: another program is already listening there`,
    hint: expect.stringContaining("--port"),
  });
});

test("every request produces a log line without a query or a value", async () => {
  const lines: string[] = [];
  const { post, get } = await connect({ log: (line) => lines.push(line), faults: { resetAfter: { at: [2] } } });
  await post(ACCOUNTS, account("E-1"));
  await post(ACCOUNTS, account("E-2")).catch(() => undefined);
  await get("products/?brand=GREENFIELD");
  expect(lines).toEqual([
    "POST /v1/data-import/accounts/ 201",
    "POST /v1/data-import/accounts/ no reply",
    "GET /v1/products/ 200",
  ]);
});
