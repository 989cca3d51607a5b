import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CliEnd, CliOptions } from "./cli.ts";
import { type Extract, goodAccounts, useSandbox, type Workplace, workplace } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

/** Canaries: invented values that occur nowhere else. A canary in any output is a leaked value. */
const PERSONAL = {
  NAME: "Canarina Quellbach",
  ADDRESS: "71 Zwitschergasse",
  FIRST: "Canarina",
  LAST: "Quellbach",
  MOBILE: "07700 913572",
} as const;
const WRONG = "sk_canary_Kx83hTqz5Lm2";

/**
 * A valid record, records that contain every canary in an invalid cell, and a customer without an account. The platform
 * refuses the postcode of EXT-4.
 */
const EXTRACT: Extract = {
  accounts: [
    { REF: "EXT-1", ...PERSONAL },
    { REF: "EXT-2", ...PERSONAL, ADDRESS: PERSONAL.ADDRESS.repeat(9) },
    { REF: "EXT-3", ...PERSONAL, TYPE: PERSONAL.NAME },
    { REF: "EXT-4", ...PERSONAL, POSTCODE: PERSONAL.LAST },
    { REF: "EXT-5", ...PERSONAL, MPAN: PERSONAL.MOBILE },
  ],
  customers: [
    { REF: "EXT-1", ...PERSONAL },
    { REF: "EXT-2", ...PERSONAL, MOBILE: PERSONAL.LAST },
    { REF: "EXT-3", ...PERSONAL, DOB: PERSONAL.FIRST },
    { REF: "EXT-9", ...PERSONAL },
    { REF: "EXT-4", ...PERSONAL },
    { REF: "EXT-5", ...PERSONAL },
  ],
};

/** Returns the value and its usual encodings. */
function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret)
    .toString("base64")
    .replace(/.{2}=*$/, "");
  return [secret, base64, Buffer.from(secret).toString("hex"), encodeURIComponent(secret)];
}

function escaped(texts: readonly string[], secrets: readonly string[]): readonly string[] {
  return secrets.flatMap(formsOf).filter((form) => texts.some((text) => text.includes(form)));
}

/**
 * Returns the contents of all files of a run, except the extract and the rejects, which contain rows of the extract.
 */
function filesLeft(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^(accounts|customers)\.csv$|rejects/.test(name))
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "latin1"));
}

const LOUD = ["--verbose", "--log-format", "json", "--out", "report"];

interface Scene {
  readonly what: string;
  readonly code: number;
  readonly faults?: object;
  readonly flags?: readonly string[];
  readonly options?: CliOptions;
  /** Whether the output of other commands about the same run is also checked. */
  readonly asked?: true;
}

const SCENES: readonly Scene[] = [
  { what: "a push with refused records", code: 1, asked: true },
  { what: "a push with other formats", code: 1, flags: ["--format", "github", "--log-format", "text"] },
  {
    what: "a push to a platform that replies with errors",
    code: 5,
    faults: { errorBefore: { every: 1 } },
    asked: true,
  },
  { what: "a push whose connections the platform resets", code: 5, faults: { resetAfter: { every: 1 } } },
  { what: "a push with a wrong key", code: 4, options: { env: { MIGRATE_API_KEY: WRONG } } },
  { what: "a push with an invalid token", code: 4, options: { env: { MIGRATE_TOKEN: WRONG } } },
  {
    what: "a push with NODE_DEBUG",
    code: 1,
    options: { env: { NODE_DEBUG: "http,https,undici,fetch,stream,module_timer" } },
  },
];

describe("no secret and no cell of the extract is shown", () => {
  test.each(SCENES)("by $what", async ({ code, faults = {}, flags = [], options = {}, asked }) => {
    const work = workplace(EXTRACT, sandbox);
    await admin.faults(faults);
    const noDedupe = code === 5 ? ["--contract", "no-dedupe.yaml"] : [];
    const end = await work.push([...LOUD, ...noDedupe, ...flags], options);
    expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code });
    const after = asked ? await afterwards(work) : [];
    const texts = [end, ...after].flatMap(({ stdout, stderr }) => [stdout, stderr]).concat(filesLeft(work.folder));
    expect(texts.some((text) => text.includes("EXT-2"))).toBe(true);
    expect(escaped(texts, [sandbox.ready.apiKey, WRONG, ...Object.values(PERSONAL)])).toEqual([]);
  });

  test("unless --show-values is given", async () => {
    const { stdout } = await workplace(EXTRACT, sandbox).push([...LOUD, "--show-values", "--dry-run"]);
    const asked = [PERSONAL.NAME, PERSONAL.LAST, PERSONAL.MOBILE];
    expect(escaped([stdout], asked)).toEqual(expect.arrayContaining(asked));
  });

  test("by a failing function of the mapping whose error message quotes a cell", async () => {
    const work = workplace(EXTRACT, sandbox);
    writeFileSync(
      work.file("functions.mjs"),
      "export function fail(cell) { throw new Error(`cannot read '${cell}'`); }\n",
    );
    const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
    const calling = mapping.replace("billing_name: NAME", "billing_name: { from: NAME, call: fail }");
    writeFileSync(work.file("mapping.yaml"), `${calling}functions: ./functions.mjs\n`);
    const end = await work.push(LOUD);
    expect(end.code).not.toBe(0);
    expect(escaped([end.stdout, end.stderr, ...filesLeft(work.folder)], Object.values(PERSONAL))).toEqual([]);
  });
});

/** Returns the output of other commands about the same run. */
async function afterwards({ migrate }: Workplace): Promise<readonly CliEnd[]> {
  return [
    await migrate(["status", "--verbose"]),
    await migrate(["report", "--format", "json", "--verbose"]),
    await migrate(["explain", "EXT-2", "--verbose"]),
  ];
}

describe("credentials", () => {
  test.each([["--token"], ["--api-key"], ["--password"]])("are refused as %s, without being printed", async (flag) => {
    const { code, stdout, stderr } = await workplace(EXTRACT, sandbox).push([flag, WRONG]);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain(WRONG);
  });

  test.each([["apiKey"], ["token"], ["password"]])("are refused as %s in the configuration file", async (name) => {
    const work = workplace(EXTRACT, sandbox);
    const target = `{ baseUrl: https://localhost:9/v1/, auth: { ${name}: ${WRONG} } }`;
    writeFileSync(work.file("migrate.yaml"), `targets:\n  here: ${target}\n`);
    const { code, stdout, stderr } = await work.push(["--target", "here"], { env: { MIGRATE_BASE_URL: undefined } });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`auth.${name}`);
    expect(stderr).not.toContain(WRONG);
  });
});

test("a proxy in the environment receives no connection", async () => {
  let seen = 0;
  const trap = createServer((socket) => {
    seen += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    trap.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void trap.close());
  const address = trap.address();
  const proxy = `http://user:${WRONG}@127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
  const env = Object.fromEntries(names.map((name) => [name, proxy]));
  const work = workplace({ accounts: goodAccounts(5) }, sandbox);
  const { code, stdout, stderr } = await work.push([], { env: { ...env, NODE_USE_ENV_PROXY: "1" } });
  expect([code, seen]).toEqual([0, 0]);
  expect(stdout + stderr).not.toContain(WRONG);
});

describe("a push", () => {
  test("writes files that only their owner can read, even with umask 000 and over existing files", async () => {
    const work = workplace(EXTRACT, sandbox);
    mkdirSync(work.file("report"));
    for (const name of ["outcomes.ndjson", "errors.csv", "report.html", "rejects.csv", "summary.json"]) {
      writeFileSync(work.file("report", name), "an older report");
      chmodSync(work.file("report", name), 0o666);
    }
    writeFileSync(work.file("elsewhere"), "must stay");
    symlinkSync(work.file("elsewhere"), work.file("report", "rejects.customers.csv"));
    mkdirSync(work.file(".migrate"));
    writeFileSync(work.file(".migrate/ledger.db"), "");
    chmodSync(work.file(".migrate/ledger.db"), 0o666);
    const { code } = await work.push(["--out", "report"], { under: ["sh", "-c", 'umask 000; exec "$0" "$@"'] });
    expect(code).toBe(1);
    expect(readFileSync(work.file("elsewhere"), "utf8")).toBe("must stay");
    for (const folder of ["report", ".migrate"]) {
      for (const name of readdirSync(work.file(folder))) {
        const found = lstatSync(work.file(folder, name));
        expect({ name, mode: (found.mode & 0o777).toString(8) }).toEqual({
          name,
          mode: found.isDirectory() ? "700" : "600",
        });
      }
    }
  });

  test("writes nothing to a ledger that belongs to another supplier", async () => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    expect((await work.push()).code).toBe(0);
    await admin.reset();
    const { code, stdout, stderr } = await work.push(["--supplier", "SECOND", "--yes"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`belongs to supplier ${sandbox.ready.supplier}`);
    expect(await admin.history()).toEqual([]);
    expect(existsSync(work.file(".migrate/ledger.db.lock"))).toBe(false);
  });

  test("refuses a configuration file that any user can change, but accepts a file that its group can change", async () => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    writeFileSync(work.file("migrate.yaml"), `supplier: ${sandbox.ready.supplier}\n`);
    chmodSync(work.file("migrate.yaml"), 0o666);
    const { code, stderr } = await work.push();
    expect(code).toBe(2);
    expect(stderr).toContain("chmod o-w migrate.yaml");
    expect(await admin.history()).toEqual([]);
    chmodSync(work.file("migrate.yaml"), 0o664);
    expect((await work.push()).code).toBe(0);
  });
});
