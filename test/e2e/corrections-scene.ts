import { writeFileSync } from "node:fs";
import { CONTRACT, goodAccounts, type Workplace, workplace } from "./push-scene.ts";

export const CONFIGURATION = `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\ncorrections: fixes.csv\n`;

/** Writes three accounts. The second has an unknown type; the third has two customers with the same wrong date. */
export function threeAccounts(sandbox?: Parameters<typeof workplace>[1]): Workplace {
  const [one, two, three] = goodAccounts(3);
  const place = workplace(
    {
      accounts: [
        { ...one, REF: "EXT-00001" },
        { ...two, REF: "EXT-00002", TYPE: "X" },
        { ...three, REF: "EXT-00003" },
      ],
      customers: [
        { REF: "EXT-00001" },
        { REF: "EXT-00002" },
        { REF: "EXT-00003", SEQ: "1", DOB: "31/02/1971" },
        { REF: "EXT-00003", SEQ: "2", DOB: "31/02/1971" },
      ],
    },
    sandbox,
  );
  writeFileSync(place.file("migrate.yaml"), CONFIGURATION);
  return place;
}
