import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import type { TestSandbox } from "./cli.ts";
import { type Workplace, workplace } from "./push-scene.ts";
import { readRejects } from "./rejects-scene.ts";

/** The owners of `pushedByOwner`, as in a configuration file. */
export const OWNERS = `owners:
  - { owner: Contact data, address: contacts@example.com, days: 5, attrs: [customers.*.mobile] }
  - { owner: Billing, statuses: [invalid], attrs: [account_type] }
  - { owner: Data office }
`;

/**
 * Pushes K1, which is valid, K2 and K3 with a wrong mobile number, K3 and K4 with a wrong type, and K5 without a
 * postcode.
 */
export async function pushedByOwner(sandbox: TestSandbox, owners = OWNERS): Promise<Workplace> {
  const work = workplace(
    {
      accounts: [
        { REF: "K1" },
        { REF: "K2" },
        { REF: "K3", TYPE: "?" },
        { REF: "K4", TYPE: "?" },
        { REF: "K5", POSTCODE: "" },
      ],
      customers: ["K1", "K2", "K3", "K4", "K5"].map((REF) => ({
        REF,
        ...((REF === "K2" || REF === "K3") && { MOBILE: "1" }),
      })),
    },
    sandbox,
  );
  writeFileSync(work.file("migrate.yaml"), owners);
  const { code } = await work.push(["--out", "report"]);
  expect(code).toBe(1);
  return work;
}

/** Returns the keys in the rejects of an owner. */
export function keysIn(work: Workplace, folder: string): readonly (string | undefined)[] {
  return readRejects(work, "rejects.csv", `report/${folder}`).map(({ REF }) => REF);
}
