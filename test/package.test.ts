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

/** What the bundle holds, and why. A new one is a decision: it is trusted with credentials and with data. */
const BUNDLED: Readonly<Record<string, string>> = {
  "@aws-sdk/credential-provider-node": "access keys of profiles and roles, loaded for a bucket whose key is not given",
  "@hono/node-server": "serves the sandbox",
  "@photostructure/sqlite": "the ledger, with its binary inside",
  ajv: "the sandbox's own judgement of payloads",
  "ajv-formats": "formats of the same",
  aws4fetch: "signs requests to document stores",
  chalk: "colours",
  commander: "what can be typed",
  "csv-parse": "records with quotes",
  "csv-stringify": "reports and rejects",
  "fastest-levenshtein": '"did you mean"',
  graphql: "the sandbox's token mutation",
  hono: "the sandbox's routes",
  "iconv-lite": "encodings beside UTF-8",
  "json-p3": "targets of overlays",
  "libphonenumber-js": "phone numbers in rules",
  numfmt: "numbers as a workbook shows them",
  ora: "progress",
  "p-limit": "requests in flight",
  pg: "the client of PostgreSQL, loaded for a ledger that is kept there",
  "pg-boss": "hands the ranges of a run out to its workers",
  "prom-client": "metrics of a run, loaded for `--metrics`",
  re2js: "patterns that JavaScript could take very long on",
  selfsigned: "the sandbox's certificate",
  saxes: "the XML of workbooks",
  "string-width": "columns that a text takes on a terminal",
  "temporal-polyfill": "time zones",
  tinyglobby: "globs",
  undici: "HTTPS",
  yazl: "writes the zip archives of workbooks",
  yauzl: "the zip archives of workbooks",
  yaml: "contracts, mappings, configuration",
  zod: "shapes of documents",
};

/** Packages that run a program of their own when they are installed: the tool works without any of them having run. */
const WITH_INSTALL_SCRIPTS: readonly string[] = ["node_modules/@photostructure/sqlite"];

describe("the package", () => {
  it("holds the packages that are listed here, and no others that it names itself", () => {
    const notices = readFileSync(path.join(ROOT, "dist/NOTICES.md"), "utf8");
    const held = new Set([...notices.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name));
    const named = Object.keys(own.devDependencies).filter((name) => held.has(name));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => BUNDLED[name] === undefined)).toEqual([]);
    expect(Object.keys(BUNDLED).filter((name) => own.devDependencies[name] === undefined)).toEqual([]);
  });

  it("brings no other package with it when it is installed", () => {
    const { dependencies, optionalDependencies, peerDependencies } = own;
    expect({ ...dependencies, ...optionalDependencies, ...peerDependencies }).toEqual({});
  });

  it("names every dependency by one exact version", () => {
    const versions = Object.entries(own.devDependencies);
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it("is locked to packages of a registry, each with its checksum", () => {
    const loose = locked.filter(([, { link, integrity }]) => link !== true && !integrity?.startsWith("sha512-"));
    expect(loose.map(([name]) => name)).toEqual([]);
  });

  it("is installed without any package's script", () => {
    const names = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name);
    expect(names.toSorted()).toEqual([...WITH_INSTALL_SCRIPTS].toSorted());
    const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
    expect(hooks.filter((name) => name in own.scripts)).toEqual([]);
    expect(readFileSync(path.join(ROOT, ".ci/setup.mjs"), "utf8")).toContain('"ci", "--ignore-scripts"');
  });

  it("publishes programs, contracts and documents, and no test, fixture or configuration beside them", () => {
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

/** A user can say how far the server of a ledger is trusted, as with every client of PostgreSQL. */
const SSL_MODES = ["ledger/postgres/connection/tls-choices.js"];

// The bundle holds the same modules, and other people's.
describe("the compiled program", () => {
  const sources = readdirSync(path.join(ROOT, "dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js") && !/^(?:program|sqlite)/.test(name))
    .map((name) => ({ name, text: readFileSync(path.join(ROOT, "dist", name), "utf8") }));

  it.each([
    ["switches the checking of certificates off", /rejectUnauthorized:(?!\s*true)|checkServerIdentity/, SSL_MODES],
    ["makes programs of texts", /\beval\(|new Function\(|node:vm\b/],
    ["holds a failpoint: those of the tests come from outside (test/failpoints)", /FAILPOINT/i],
    ["follows redirects", /interceptors\.redirect|RedirectHandler/],
  ])("never %s", (_, pattern, allowed: readonly string[] = []) => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name)).toEqual(allowed);
  });
});
