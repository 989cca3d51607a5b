import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { BINARY, type CliEnd, projectFile } from "./cli.ts";
import { CONTRACT } from "./push-scene.ts";
import { QUICK_MS, type SharedPush, useSharedRuns } from "./shared-run-scene.ts";

const page = readFileSync(projectFile("docs/cluster.md"), "utf8");
const [, jobFile = ""] = /```yaml\n(apiVersion: batch[^`]*)```/.exec(page) ?? [];
const script: string = parse(jobFile).spec.template.spec.containers[0].args[0].replaceAll("/transfer/", "");

const RECORDS = 5;

/** Runs the script of the Job in docs/cluster.md as pod 0. */
function podZero({ folder, file, start, ledger }: SharedPush, database: string = ledger): Promise<CliEnd> {
  mkdirSync(file("bin"), { recursive: true });
  writeFileSync(file("bin", "migrate"), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`);
  chmodSync(file("bin", "migrate"), 0o755);
  const baseUrl = "https://127.0.0.1/v1/";
  const settings = { contract: CONTRACT, mapping: "mapping.yaml", targets: { live: { baseUrl } } };
  writeFileSync(file("migrate.yaml"), JSON.stringify(settings));
  const env = {
    PATH: `${file("bin")}${delimiter}${process.env["PATH"] ?? ""}`,
    JOB_COMPLETION_INDEX: "0",
    MIGRATE_LEDGER: database,
  };
  return start([], { cwd: folder, env, under: ["sh", "-c", script] }).ended;
}

describe.skipIf(!POSTGRES_IS_HERE)(`pod 0 of the Kubernetes Job in docs/cluster.md ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { admin, inScene } = useSharedRuns(QUICK_MS);

  test("pushes after a dry run and a start without a database, and then resumes its run", async () => {
    const scene = await inScene(RECORDS);
    expect((await scene.push(["--dry-run", "--ledger", scene.ledger])).code).toBe(0);
    const unreachable = await podZero(scene, "postgres://migrate@127.0.0.1:1/none");
    expect(unreachable.stderr).toMatch(/cannot be reached/);
    expect(unreachable.code).toBe(6);
    expect((await podZero(scene)).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(RECORDS);
    expect((await scene.push(["--dry-run", "--ledger", scene.ledger])).code).toBe(0);
    expect((await podZero(scene)).code).toBe(0);
    expect(await scene.query("select dry_run from migrate.runs order by id")).toEqual(
      [true, false, true].map((isDry) => ({ dry_run: isDry })),
    );
  });
});
