import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectionSettings } from "../../../src/ledger/postgres/connection/connection-settings.ts";
import { openPool } from "../../../src/ledger/postgres/connection/open-pool.ts";
import { createTestFolder, temporaryFolder } from "../../temporary-folder.ts";
import {
  POSTGRES_IS_HERE,
  PRIVATE_POSTGRES_IS_HERE,
  SKIPPED_WITHOUT_POSTGRES,
  startPostgres,
  startPrivatePostgres,
} from "./cluster.ts";

test.skipIf(!POSTGRES_IS_HERE)(
  `a test can create its own database on the server ${SKIPPED_WITHOUT_POSTGRES}`,
  async () => {
    const server = await startPostgres();
    try {
      const url = await server.createDatabase("migrate_test_pool");
      const pool = await openPool(connectionSettings(url));
      const { rows } = await pool.query<{ name: string }>("select current_database() as name");
      await pool.end();
      expect(rows).toEqual([{ name: "migrate_test_pool" }]);
    } finally {
      await server.stop();
    }
  },
);

test("a connection that the server ends as soon as it is ready does not end the process", async () => {
  const server = createServer((socket) => {
    // AuthenticationOk, ReadyForQuery and ErrorResponse, in one chunk.
    const error = "SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";
    const replies = [protocolMessage("R", "\0\0\0\0"), protocolMessage("Z", "I"), protocolMessage("E", error)];
    socket.on("error", () => undefined).once("data", () => socket.end(Buffer.concat(replies)));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const pool = await openPool(connectionSettings(`postgres://tester@127.0.0.1:${port}/db?sslmode=disable`));
  const client = await pool.connect();
  await expect(client.query("select 1")).rejects.toThrow(/not queryable/);
  client.release(true);
  await pool.end();
  server.close();
});

/** Returns a message from a PostgreSQL server. */
function protocolMessage(type: string, content: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
}

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`connections to a server ${SKIPPED_WITHOUT_POSTGRES}:`, () => {
  let server: Awaited<ReturnType<typeof startPrivatePostgres>>;
  let plain: Awaited<ReturnType<typeof startPrivatePostgres>>;
  beforeAll(async () => {
    server = await startPrivatePostgres();
    plain = await startPrivatePostgres(["ssl = off"]);
  });
  afterAll(async () => {
    await server.stop();
    await plain.stop();
  });

  test("TLS is used on this machine if the server supports it", async () => {
    expect(await connected(server.url)).toEqual({ who: "tester", ssl: true });
    expect(await connected(`${server.url}?sslmode=disable`)).toEqual({ who: "tester", ssl: false });
    expect(await connected(`${server.url}?sslmode=allow`)).toEqual({ who: "tester", ssl: false });
    expect(await connected(plain.url)).toEqual({ who: "tester", ssl: false });
  });

  test("verify-full accepts a certificate from the named authority for the named host", async () => {
    expect(await connected(`${server.url}?sslmode=verify-full&sslrootcert=${server.caFile}`)).toMatchObject({
      ssl: true,
    });
  });

  test("a Unix socket is selected by its folder", async () => {
    const folder = server.caFile.replace(/\/[^/]*$/, "");
    const url = `postgres://tester@/postgres?host=${folder}&port=${server.port}`;
    expect(await connected(url)).toEqual({ who: "tester", ssl: false });
  });

  test("the password comes from the environment, and a missing password is reported", async () => {
    const url = server.url.replace("tester", "guarded");
    expect(await connected(url, { PGPASSWORD: "s3cret" })).toMatchObject({ who: "guarded" });
    const { folder, remove } = createTestFolder();
    remove();
    await expect(connected(url, { PGPASSFILE: `${folder}/none` })).rejects.toMatchObject({
      code: "config",
      message: "the ledger's server needs a password for guarded, but none is set",
    });
  });

  test.each<readonly [string, (url: string) => string, string, RegExp]>([
    ["a wrong password", (url) => url.replace("tester", "guarded"), "config", /the password for guarded is wrong/],
    ["an unknown user", (url) => url.replace("tester", "nobody"), "config", /the server rejects nobody/],
    ["an unknown database", (url) => url.replace(/postgres$/, "none"), "config", /has no database none/],
    ["a closed port", (url) => url.replace(/:\d+\//, ":1/"), "storage", /cannot be reached/],
    ["an unknown host", (url) => url.replace("127.0.0.1", "no-host.invalid"), "storage", /cannot be reached/],
    ["an unknown authority", (url) => `${url}?sslmode=verify-full`, "config", /certificate is not trusted/],
    ["a server without TLS", () => `${plain.url}?sslmode=require`, "config", /offers no TLS/],
  ])("%s is reported without the password", async (_, change, code, message) => {
    const refused: unknown = await connected(change(server.url), { PGPASSWORD: "wr0ng" }).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code });
    expect(String(refused)).toMatch(message);
    expect(String(refused)).not.toContain("wr0ng");
  });

  test("the hint for an unknown database names the server and the user", async () => {
    await expect(connected(server.url.replace(/postgres$/, "none"))).rejects.toMatchObject({
      hint: expect.stringMatching(/`createdb -h 127\.0\.0\.1 -p \d+ -U tester none`/),
    });
  });
});

/** Returns the user of a connection, and whether the connection uses TLS. */
async function connected(url: string, variables: Record<string, string> = {}): Promise<unknown> {
  const pool = await openPool(connectionSettings(url, { variables, home: temporaryFolder() }));
  try {
    const sql = "select current_user as who, ssl from pg_stat_ssl where pid = pg_backend_pid()";
    return (await pool.query<Record<string, unknown>>(sql)).rows[0];
  } finally {
    await pool.end();
  }
}
