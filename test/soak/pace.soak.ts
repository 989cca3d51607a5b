import { expect, test } from "vitest";

import { outcomeLines, statusCounts } from "../e2e/push-scene.ts";
import { seededDice } from "../seeded-dice.ts";
import { startChaosPlatform } from "./chaos-platform.ts";
import { soakWorkplace } from "./soak-workplace.ts";

const seconds = Number(process.env["SOAK_SECONDS"] ?? 40);
const SETTLED_MS = 10_000;

test.each([20, 50, 200])("finds and keeps an undocumented limit of %i requests per second", async (perSecond) => {
  const records = perSecond * seconds;
  const platform = await startChaosPlatform({ dice: seededDice(1), perSecond, injectsFaults: false });
  try {
    const work = soakWorkplace(platform, records);
    const end = await work.push([], { timeoutMs: 10_000 * seconds });
    expect(statusCounts(outcomeLines(end.stdout))).toEqual({ accepted: records });
    const requests = await platform.imports();
    const from = Date.parse(requests[0]?.at ?? "") + SETTLED_MS;
    const late = requests.filter(({ at }) => Date.parse(at) >= from);
    const through = late.filter(({ processed }) => processed);
    const took = (Date.parse(late.at(-1)?.at ?? "") - from) / 1_000;
    const rate = through.length / took;
    const refused = 1 - through.length / late.length;
    process.stderr.write(`limit of ${perSecond}/s: ${rate.toFixed(1)}/s, ${(100 * refused).toFixed(2)}% refused\n`);
    expect(Math.abs(rate / perSecond - 1)).toBeLessThan(0.15);
    expect(refused).toBeLessThan(0.05);
  } finally {
    await platform.server.close();
  }
});
