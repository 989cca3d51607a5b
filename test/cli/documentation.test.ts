import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readConfig } from "../../src/cli/settings/config-file.ts";
import { createProgram } from "../../src/cli/program.ts";
import { IDLE_SESSION } from "./idle-session.ts";
import { withOptionTables } from "./option-docs.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");

it("docs/configuration.md contains the tables generated from the option definitions (update them with -u)", async () => {
  await expect(withOptionTables(page)).toMatchFileSnapshot("../../docs/configuration.md");
});

/** Returns the names in the first column of the tables of a section. */
function documented(section: string): readonly string[] {
  const start = page.indexOf(`## ${section}\n`);
  const end = page.indexOf("\n## ", start + 1);
  const text = page.slice(start, end === -1 ? undefined : end);
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = ""]) => name);
}

/** Returns the valid settings listed in the error for an unknown setting. */
async function known(text: string): Promise<readonly string[]> {
  const refused: unknown = await readConfig(undefined, temporaryFolder({ "migrate.yaml": text })).catch(
    (error: unknown) => error,
  );
  const hint = refused instanceof Error && "hint" in refused ? String(refused.hint) : "";
  return hint.replace(/^[^]*valid names here: /, "").split(", ");
}

it.each([
  ["Settings", "zzzzzzzzzzzz: 1"],
  ["Targets", "targets: { t: { baseUrl: x, zzzzzzzzzzzz: 1 } }"],
  ["Store", "store: { zzzzzzzzzzzz: 1 }"],
  ["Owners", "owners: [{ owner: x, zzzzzzzzzzzz: 1 }]"],
  ["Suppliers", "suppliers: { s: { zzzzzzzzzzzz: 1 } }"],
  ["Suppliers", "targets: { t: { baseUrl: x, suppliers: { s: { zzzzzzzzzzzz: 1 } } } }"],
  ["Timeouts", "targets: { t: { baseUrl: x, timeouts: { zzzzzzzzzzzz: 1 } } }"],
  ["Authentication", "targets: { t: { baseUrl: x, auth: { zzzzzzzzzzzz: 1 } } }"],
])("docs/configuration.md lists the valid settings under %s: %s", async (section, text) => {
  expect(documented(section).toSorted()).toEqual((await known(text)).toSorted());
});

const CREDENTIALS = [
  "MIGRATE_API_KEY",
  "MIGRATE_TOKEN",
  "MIGRATE_PROXY_CREDENTIALS",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_PROFILE",
];

it("the main flags have settings with the same names in the configuration file", async () => {
  const settings = await known("zzzzzzzzzzzz: 1");
  const flags = ["contract", "operation", "mapping", "supplier", "encoding", "delimiter", "out", "ledger", "target"];
  expect(settings).toEqual(expect.arrayContaining(flags));
});

it("docs/configuration.md lists the environment variables for flags and credentials", () => {
  const flags = createProgram(IDLE_SESSION)
    .commands.flatMap((command) => [command, ...command.commands])
    .flatMap((command) => command.options)
    .flatMap(({ envVar }) => envVar ?? []);
  const all = new Set([...flags, ...CREDENTIALS]);
  expect(documented("Environment").toSorted()).toEqual([...all].toSorted());
});

it("the example of docs/configuration.md is a valid configuration file", async () => {
  const [, example = ""] = /```yaml\n([^`]*)```/.exec(page) ?? [];
  expect(await readConfig(undefined, temporaryFolder({ "migrate.yaml": example }))).toMatchObject({ target: "test" });
});
