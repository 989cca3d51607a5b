import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "..");

interface Package {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const own: Package = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const lock: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(path.join(ROOT, "package-lock.json"), "utf8"),
);
const locked = Object.entries(lock.packages).filter(([name]) => name !== "");

/** The bundled packages and their purposes. Justify each new package, because it can access credentials and data. */
const BUNDLED: Readonly<Record<string, string>> = {
  "@aws-sdk/credential-provider-node": "access keys of profiles and roles, loaded for a bucket without a key",
  "@hono/node-server": "serves the sandbox and `migrate web`",
  "@photostructure/sqlite": "the ledger, with its binary inside",
  ajv: "payload validation in the sandbox",
  "ajv-formats": "formats for ajv",
  aws4fetch: "signs requests to document stores",
  chalk: "colours",
  commander: "the command line",
  "csv-parse": "records with quotes",
  "csv-stringify": "reports and rejects",
  "fastest-levenshtein": '"did you mean"',
  graphql: "parses the token mutation in the sandbox",
  hono: "the routes of the sandbox and of `migrate web`",
  "iconv-lite": "encodings other than UTF-8",
  "json-p3": "targets of overlays",
  "libphonenumber-js": "phone numbers in rules",
  numfmt: "numbers as a workbook shows them",
  ora: "progress",
  "p-limit": "requests in flight",
  pg: "the PostgreSQL client, loaded for a PostgreSQL ledger",
  "pg-boss": "distributes the ranges of a run to its workers",
  preact: "the pages of `migrate web`, in the browser",
  slickgrid: "the grid of the Fix page of `migrate web`, in the browser",
  "prom-client": "metrics of a run, loaded for `--metrics`",
  re2js: "patterns that take exponential time in JavaScript",
  selfsigned: "the sandbox's certificate",
  saxes: "the XML of workbooks",
  "string-width": "display width of text on a terminal",
  "temporal-polyfill": "time zones",
  tinyglobby: "globs",
  undici: "HTTPS",
  yazl: "writes the zip archives of workbooks",
  yauzl: "the zip archives of workbooks",
  yaml: "contracts, mappings, configuration",
  zod: "shapes of documents",
};

/** Packages with an install script. The tool works without these scripts. */
const WITH_INSTALL_SCRIPTS: readonly string[] = ["node_modules/@photostructure/sqlite"];

describe("the package", () => {
  it("bundles exactly the expected packages", () => {
    const notices = readFileSync(path.join(ROOT, "dist/NOTICES.md"), "utf8");
    const held = new Set([...notices.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name));
    const named = Object.keys(own.devDependencies).filter((name) => held.has(name));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => BUNDLED[name] === undefined)).toEqual([]);
    expect(Object.keys(BUNDLED).filter((name) => own.devDependencies[name] === undefined)).toEqual([]);
  });

  it("has no runtime dependencies", () => {
    const { dependencies, optionalDependencies, peerDependencies } = own;
    expect({ ...dependencies, ...optionalDependencies, ...peerDependencies }).toEqual({});
  });

  it("pins every dependency to an exact version", () => {
    const versions = Object.entries(own.devDependencies);
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it("locks every package with a checksum", () => {
    const loose = locked.filter(([, { link, integrity }]) => link !== true && !integrity?.startsWith("sha512-"));
    expect(loose.map(([name]) => name)).toEqual([]);
  });

  it("is installed without install scripts", () => {
    const names = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name);
    expect(names.toSorted()).toEqual([...WITH_INSTALL_SCRIPTS].toSorted());
    const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
    expect(hooks.filter((name) => name in own.scripts)).toEqual([]);
    expect(readFileSync(path.join(ROOT, ".ci/setup.mjs"), "utf8")).toContain('"ci", "--ignore-scripts"');
  });

  it("publishes only programs, contracts and documents", () => {
    const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    });
    const [{ files }]: readonly [{ readonly files: readonly { readonly path: string }[] }] = JSON.parse(listed);
    const tops = new Set(files.map((file) => /^(?:dist\/|fixtures\/)?[^/]+/.exec(file.path)?.[0] ?? ""));
    const expected = [
      "CHANGELOG.md",
      "README.md",
      "bin",
      "dist/NOTICES.md",
      "dist/browser",
      "dist/overlays",
      "dist/page",
      "dist/program",
      "dist/sqlite",
      "dist/types",
      "docs",
      "fixtures/contract",
      "fixtures/demo",
      "package.json",
    ];
    expect([...tops].toSorted()).toEqual(expected);
  });
});

/** May disable certificate checks: users choose the TLS mode of a PostgreSQL ledger, as in every PostgreSQL client. */
const SSL_MODES = ["ledger/postgres/connection/tls-choices.js"];

// Checks the unbundled modules, because the bundle also contains third-party code.
describe("the compiled program", () => {
  const sources = readdirSync(path.join(ROOT, "dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js") && !/^(?:program|sqlite)/.test(name))
    .map((name) => ({ name, text: readFileSync(path.join(ROOT, "dist", name), "utf8") }));

  it.each([
    ["disables certificate checks", /rejectUnauthorized:(?!\s*true)|checkServerIdentity/, SSL_MODES],
    ["evaluates code from text", /\beval\(|new Function\(|node:vm\b/],
    ["contains a failpoint, because the tests inject their own (test/failpoints)", /FAILPOINT/i],
    ["follows redirects", /interceptors\.redirect|RedirectHandler/],
  ])("never %s", (_, pattern, allowed: readonly string[] = []) => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name)).toEqual(allowed);
  });
});
