import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { FixState } from "../../../../src/web/fix/fix-types.ts";
import { runCli } from "../../../e2e/cli.ts";
import { CONTRACT, goodAccounts, writeExtract } from "../../../e2e/push-scene.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { clientOf, startWeb, type WebClient } from "../../web-scene.ts";

const ROWS = 40;

async function readyState(client: WebClient): Promise<FixState & { readonly status: "ready" }> {
  for (;;) {
    const state = await client.get<FixState>("/api/fix");
    if (state.status === "ready") return state;
    if (state.status === "failed") throw new Error(state.error.message);
    await delay(50);
  }
}

test.each([1, 7, 20])(
  "no edit that the server reported as saved is lost if the server is killed after %s replies",
  async (kept) => {
    const folder = temporaryFolder();
    writeExtract(folder, {
      accounts: goodAccounts(ROWS),
      customers: goodAccounts(ROWS).map(({ REF }) => ({ REF, DOB: "31/02/1971" })),
    });
    writeFileSync(
      path.join(folder, "migrate.yaml"),
      `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\ncorrections: fixes.csv\n`,
    );
    const web = await startWeb(folder);
    const client = await clientOf(web);
    const { session, sources } = await readyState(client);
    const source = sources.findIndex(({ name }) => name === "customers");
    const column = sources[source]?.columns.indexOf("DOB") ?? -1;

    const saved: string[] = [];
    const edits = Array.from({ length: ROWS }, async (_, position) => {
      const value = `1971-03-${String((position % 28) + 1).padStart(2, "0")}`;
      const cells = [{ position, column, value }];
      const edit = { session, tab: "one", seen: 0, values: "hidden", source, cause: 0, cells };
      const { status, body } = await client.post("/api/fix/edits", edit);
      expect([status, body]).toEqual([200, expect.anything()]);
      saved.push(value);
      if (saved.length === kept) web.cli.kill("SIGKILL");
    });
    await Promise.race([Promise.allSettled(edits), web.cli.ended]);
    await web.cli.ended;

    expect(saved.length).toBeGreaterThanOrEqual(kept);
    const text = readFileSync(path.join(folder, "fixes.csv"), "utf8");
    expect(saved.filter((value) => !text.includes(value))).toEqual([]);
    const listed = await runCli(["corrections", "list"], { cwd: folder });
    expect(listed.code).toBe(0);
    expect((await runCli(["validate", "--format", "json"], { cwd: folder })).stdout).toContain('"valid":');
  },
);
