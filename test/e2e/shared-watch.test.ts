import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { useSandbox } from "./push-scene.ts";
import { sharedPush, useServer } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`in a run of several workers ${SKIPPED_WITHOUT_POSTGRES},`, () => {
  const { server } = useServer();
  const { sandbox } = useSandbox();

  test("metrics and status show the workers, their rates, and how long each has held its range", async () => {
    const scene = await sharedPush(400, sandbox, server());
    const push = scene.share(2, ["--rps", "20", "--metrics", "0", "--log-format", "json"]);
    await push.waitForOutput(/metrics_started.*\n/);
    const { url }: { url: string } = JSON.parse(/{.*metrics_started.*}/.exec(push.stderr())?.[0] ?? "{}");
    const working = await scene.whenWorking(2);

    const metric = async (name: string): Promise<readonly string[]> =>
      (await (await fetch(url)).text()).split("\n").filter((line) => line.startsWith(`${name}{`));
    await expect.poll(async () => (await metric("migrate_worker_ranges")).length).toBe(2);
    await expect.poll(async () => (await metric("migrate_pace_info")).length).toBe(1);
    for (const { pid } of working) {
      const own = expect.stringMatching(new RegExp(String.raw`\{worker="[^"]+:${pid}"\} \d`));
      for (const name of ["send_rate", "range_first_record", "range_last_record"])
        await expect.poll(() => metric(`migrate_worker_${name}`)).toContainEqual(own);
    }
    const [takenAt = ""] = await metric("migrate_worker_range_taken_timestamp_seconds");
    expect(Math.abs(Date.now() / 1000 - Number(takenAt.split(" ").at(-1)))).toBeLessThan(120);

    const { stdout } = await scene.migrate(["status", "--ledger", scene.ledger]);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const said = stdout.replaceAll(/\s+/g, " ");
    for (const { pid } of working)
      expect(said).toMatch(
        new RegExp(String.raw`\(process ${pid}\): [\d.]+/s, \d+ in flight[^;]*; records \d+-\d+ for \d+ s`),
      );
    push.kill("SIGTERM");
    expect((await push.ended).code).toBe(3);
  });
});
