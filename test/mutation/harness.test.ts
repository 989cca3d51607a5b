import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const SCRIPT = `
  import { collect, it } from "./harness.mjs";
  const tests = await collect(async () => ["fast", "slow"].forEach((title) => it(title, () => {})));
  console.log(tests.map(({ name }) => name).join());
`;

function collectWithout(title: string): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", SCRIPT], {
    cwd: import.meta.dirname,
    env: { ...process.env, MUTATION_LEFT_OUT: JSON.stringify([title]) },
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

test("mutation tests skip the tests whose titles are in `leftOut`, and fail if a title matches no test", () => {
  expect(collectWithout("slow")).toEqual({ status: 0, output: " > fast\n" });
  expect(collectWithout("renamed")).toEqual({
    status: 1,
    output: expect.stringContaining('no test has the title "renamed": correct `leftOut` in test/mutation/run.mjs'),
  });
});
