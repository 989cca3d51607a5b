import path from "node:path";
import { expect, test } from "vitest";
import { changes } from "../../../src/commands/changes/changes.ts";
import { PUSH_SETTINGS, thingsFolder, thingsSettings } from "../../job/sample-job.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { initDependencies } from "../init/init-scene.ts";

test("a list of changes that Ctrl-C cut short is reported as incomplete", async () => {
  const folder = thingsFolder(Array.from({ length: 3000 }, (_, index) => `K-${index + 1},Ann,01/02/1990,a.pdf`));
  const stop = new AbortController();
  const notices: string[] = [];
  let listed = 0;
  const summary = await changes(
    { job: thingsSettings(folder), target: PUSH_SETTINGS.target, ledger: path.join(folder, "ledger.db") },
    {
      ...initDependencies(temporaryFolder()),
      drain: stop.signal,
      notice: (text) => notices.push(text),
    },
    (batch) => {
      listed += batch.length;
      stop.abort();
    },
  );
  expect(listed).toBeGreaterThan(0);
  expect(listed).toBeLessThan(3000);
  expect(summary).toMatchObject({ isComplete: false, hasRemoved: false, counts: { new: listed } });
  expect(notices).toEqual([
    "stopped before all records were compared, so the list is incomplete: run the command again",
  ]);
});
