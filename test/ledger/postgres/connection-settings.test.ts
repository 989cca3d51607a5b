import { X509Certificate } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { connectionSettings } from "../../../src/ledger/postgres/connection/connection-settings.ts";
import { maskPostgresUrl } from "../../../src/ledger/postgres/connection/postgres-url.ts";
import { serverCertificate } from "../../../src/sandbox/certificate.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

function settingsOf(url: string, variables: Record<string, string> = {}, home = "/nowhere") {
  return connectionSettings(url, { variables, home });
}

describe("connection settings from a URL", () => {
  test.each([
    ["postgres://ann@db.example:6432/moves", { host: "db.example", port: 6432, database: "moves", user: "ann" }],
    ["postgresql://ann@db.example", { host: "db.example", port: 5432, database: "ann", user: "ann" }],
    ["postgres://ann@[::1]:6432/moves", { host: "::1", port: 6432 }],
    ["postgres://ann@%2Frun%2Fpg/moves", { host: "/run/pg", database: "moves" }],
    ["postgres://ann@/moves?host=/run/pg&port=6432", { host: "/run/pg", port: 6432, database: "moves", user: "ann" }],
    ["postgres:///moves?host=/run/pg&user=ann", { host: "/run/pg", database: "moves", user: "ann" }],
    ["postgres://a%40b@db.example/my%20moves", { user: "a@b", database: "my moves" }],
    ["postgres://ann@db.example/?dbname=moves&connect_timeout=3", { database: "moves", connectTimeoutMs: 3000 }],
  ])("are read from %s", (url, expected) => {
    expect(settingsOf(url)).toMatchObject({ ...expected, shown: url });
  });

  test("are completed from the service file, then from the environment", () => {
    const home = temporaryFolder({
      ".pg_service.conf":
        "# ours\n[other]\nhost=no\n\n[moves]\nhost=db.example\nport=6432\npassword=s3cret\n[z]\nport=1\n",
    });
    const variables = { PGHOST: "no.example", PGPORT: "1", PGUSER: "ann", PGDATABASE: "", PGPASSWORD: "no" };
    const settings = settingsOf("postgres:///?service=moves&port=7000", variables, home);
    expect(settings).toMatchObject({ host: "db.example", port: 7000, user: "ann", database: "ann" });
    expect(settings.password()).toBe("s3cret");
    expect(settingsOf("postgres://", { ...variables, PGSERVICE: "moves" }, home)).toMatchObject({ host: "db.example" });
  });

  test.each([
    ["postgres://ann:pw@db.example/moves", /contains a password \(postgres:\/\/ann@db.example\/moves\)/],
    ["postgres://db.example/moves?password=pw", /contains a password \(postgres:\/\/db.example\/moves\)/],
    ["postgres://ann:p/w@db.example/moves", /not a PostgreSQL URL: postgres:\/\/ann@db.example\/moves/],
    ["postgres://one,two/moves", /several hosts/],
    ["postgres://db.example/moves?ssl=true", /unknown parameter: ssl/],
    ["postgres://db.example:0/moves", /not between 1 and 65535/],
    ["postgres://db.example/moves?connect_timeout=soon", /connect_timeout=soon/],
    ["postgres://db.example/moves?sslmode=always", /unknown sslmode=always/],
    [
      "postgres://db.example/moves?sslmode=require&sslrootcert=system",
      /system cannot be combined with sslmode=require/,
    ],
    ["postgres://localhost/moves?sslmode=prefer&sslrootcert=system", /system cannot be combined with sslmode=prefer/],
    ["postgres://db.example/moves?sslmode=verify-ca", /verify-ca needs a certificate authority/],
    [
      "postgres://db.example/moves?sslrootcert=/nowhere/ca.pem",
      /sslrootcert: \/nowhere\/ca.pem cannot be read: ENOENT/,
    ],
    ["postgres:///?service=moves", /the service moves is not defined in \/nowhere\/.pg_service.conf/],
    ["postgres://ann@db.example/%zz", /not a PostgreSQL URL/],
    ["postgres:ann:p@db.example/moves", /not a PostgreSQL URL: postgres@db.example\/moves/],
  ])("are refused, with an explanation that hides the password, if the URL is %s", (url, message) => {
    const refused = (): unknown => settingsOf(url);
    expect(refused).toThrow(message);
    expect(refused).not.toThrow(/pw|p\/w/);
  });
});

test.each(["db.example", "localhost"])("sslrootcert=system checks the certificate of the server %s", (host) => {
  const { tls } = settingsOf(`postgres://ann@${host}/moves?sslrootcert=system`);
  expect(tls).toEqual([expect.objectContaining({ rejectUnauthorized: true })]);
  expect(tls[0]).not.toHaveProperty("ca");
});

describe("the URL for screens, reports and logs", () => {
  test.each([
    ["postgres://ann:secret@db.example/moves", "postgres://ann@db.example/moves"],
    ["postgres://ann:se@cret@db.example/moves", "postgres://ann@db.example/moves"],
    ["postgres://ann:se/cret@db.example/moves", "postgres://ann@db.example/moves"],
    ["postgres://ann:se?cret@db.example/moves", "postgres://ann@db.example/moves"],
    ["postgres://:secret@db.example/moves", "postgres://@db.example/moves"],
    ["postgres://ann@db.example:5432/moves?user=a@b", "postgres://ann@db.example:5432/moves?user=a@b"],
    ["postgres://[::1]:5432/moves", "postgres://[::1]:5432/moves"],
    [
      "postgres://db.example/m?sslmode=require&password=secret&port=1",
      "postgres://db.example/m?sslmode=require&port=1",
    ],
    ["postgres://db.example/m?passw%6Frd=secret", "postgres://db.example/m"],
    ["postgres://db.example/m?passfile=/home/ann/.pgpass", "postgres://db.example/m?passfile=/home/ann/.pgpass"],
  ])("contains no password: %s is shown as %s", (url, shown) => {
    expect(maskPostgresUrl(url)).toBe(shown);
  });
});

describe("the password from a file", () => {
  const lines = [
    "# a comment: of:five:fields:here:no",
    "other.example:5432:moves:ann:wrong",
    "db.example:*:moves:ann:se\\:cr\\\\et",
    "localhost:5432:*:*:by socket",
  ].join("\n");

  test("is on the first matching line, whose fields may be * and may contain escaped colons", () => {
    const home = temporaryFolder({ ".pgpass": lines });
    expect(settingsOf("postgres://ann@db.example/moves", {}, home).password()).toBe("se:cr\\et");
    expect(settingsOf("postgres://ann@/moves?host=/tmp", {}, home).password()).toBe("by socket");
    expect(settingsOf("postgres://ann@db.example/moves", { PGPASSWORD: "first" }, home).password()).toBe("first");
    const passfile = path.join(home, ".pgpass");
    expect(settingsOf(`postgres://ann@db.example/moves?passfile=${passfile}`).password()).toBe("se:cr\\et");
    expect(settingsOf("postgres://ann@db.example/moves", { PGPASSFILE: passfile }).password()).toBe("se:cr\\et");
  });

  test("is reported as missing, with the name of the user who needs it", () => {
    expect(settingsOf("postgres://ann@db.example/moves").password).toThrow(/needs a password for ann, but none is set/);
  });

  test("is ignored in a file that other users may read", () => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, ".pgpass"), lines);
    chmodSync(path.join(home, ".pgpass"), 0o640);
    expect(settingsOf("postgres://ann@db.example/moves", {}, home).password).toThrow(
      /other users can access the password file/,
    );
  });
});

describe("TLS by sslmode:", () => {
  test.each([
    ["postgres://127.0.0.1/m", [true, false]],
    ["postgres://localhost/m?sslmode=verify-full", [true]],
    ["postgres://db.example/m", [true]],
    ["postgres://db.example/m?sslmode=disable", [false]],
    ["postgres://db.example/m?sslmode=allow", [false, true]],
    ["postgres:///m?host=/run/pg&sslmode=verify-full", [false]],
  ])("%s tries connections with TLS (true) or without (false), in the order %j", (url, tried) => {
    expect(settingsOf(url).tls.map((choice) => choice !== false)).toEqual(tried);
  });

  test.each([
    ["prefer", false, false],
    ["require", true, false],
    ["verify-ca", true, false],
    ["verify-full", true, true],
  ])("%s checks the certificate authority: %s, and the host name: %s", async (mode, authority, name) => {
    const { cert, caPath: file } = await serverCertificate(temporaryFolder());
    const [choice] = settingsOf(`postgres://db.example/m?sslmode=${mode}&sslrootcert=${file}`).tls;
    if (choice === undefined || choice === false) throw new Error("no TLS");
    const wrongName = choice.checkServerIdentity?.("", new X509Certificate(cert).toLegacyObject());
    expect([choice.rejectUnauthorized, wrongName !== undefined]).toEqual([authority, name]);
  });

  test("a remote host's certificate is verified if no mode is set, but not with `require` and no root certificate", () => {
    expect(settingsOf("postgres://db.example/m").tls).toMatchObject([{ rejectUnauthorized: true }]);
    expect(settingsOf("postgres://db.example/m?sslmode=require").tls).toMatchObject([{ rejectUnauthorized: false }]);
  });
});
