import { describe, expect, test } from "vitest";
import { initOf } from "./init-scene.ts";

describe("the root of the mapping", () => {
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  const file = (header: string, line: (index: number) => string): string =>
    `${header}\n${numbers.map(line).join("\n")}\n`;
  /** As in SAP: contract accounts refer to business partners, contracts to contract accounts, readings to contracts. */
  const SAP = {
    "accounts.csv": file("VKONT,GPART,KTOKL", (index) => `${200_000 + 7 * index},${900 + (index % 30)},D`),
    "partners.csv": file("PARTNER,NAME_LAST,ADRNR", (index) => `${900 + index},Smith${index},${70 + index}`),
    "contracts.csv": file(
      "VERTRAG,VKONTO,ANLAGE",
      (index) => `${5000 + index},${200_000 + 7 * index},${80_000 + index}`,
    ),
    "readings.csv": `ANLAGE,ADAT,WERT\n${numbers.flatMap((index) => [1, 2, 3].map((month) => `${80_000 + index},2025-0${month}-01,${index * month}`)).join("\n")}\n`,
  };

  test("is the source whose key other sources refer to, not the longest source", async () => {
    const { result } = await initOf({
      "long.csv": `ACC_READ_NO,NR,WERT,DATUM\n${numbers.flatMap((index) => [1, 2, 3].map((part) => `${500 + 3 * index + part},K${index},${part * index},2025-01-0${part}`)).join("\n")}\n`,
      "head.csv": file("NR,ART", (index) => `K${index},D`),
      "more.csv": `NR,TEXT\n${numbers.flatMap((index) => [`K${index},a`, `K${index},b`]).join("\n")}\n`,
    });
    expect(result.guessed.tree.root.source.name).toBe("head");
  });

  test("is followed by comments that list the prefixed columns of each source that fills no list", async () => {
    const { mapping } = await initOf(SAP);
    expect(mapping).toContain(
      "TODO contracts: joined, but no list in the payload seems to use its rows; with `pick: first`",
    );
    expect(mapping.replaceAll(/\n *# /g, " ")).toContain("readings.WERT; to use all rows, fill a list with `each`");
    expect(mapping.replaceAll(/\n *# /g, " ")).toContain("fields: contracts.VERTRAG, contracts.readings.ADAT");
  });

  test("is joined by a column whose name means a row number, but whose values are codes of the root", async () => {
    const lines = numbers.flatMap((index) => [1, 2].map((part) => `R${100 + index},${part}`)).join("\n");
    const { result } = await initOf({
      "orders.csv": file("REF,NAME", (index) => `R${100 + index},Smith${index}`),
      "lines.csv": `ORD,POS\n${lines}\n`,
    });
    expect(result.guessed.tree.root).toMatchObject({
      source: { name: "orders" },
      children: [{ source: { name: "lines" } }],
    });
  });

  test("can be chosen, and so can its key", async () => {
    const { result, mapping } = await initOf(SAP, undefined, { root: "contracts", key: "VERTRAG" });
    expect(result.guessed.tree.root.source.name).toBe("contracts");
    expect(mapping).toMatch(/^ +external_account_number: VERTRAG /m);
    const byKey = await initOf(SAP, undefined, { key: "VKONTO" });
    expect(byKey.result.guessed.tree.root.source.name).toBe("contracts");
    expect(byKey.mapping).toMatch(/^ +external_account_number: VKONTO /m);
  });

  test.each([
    [{ root: "contract" }, "--root contract: there is no such source", 'did you mean "contracts"?'],
    [
      { root: "accounts", key: "VERTRAG" },
      "--key VERTRAG: accounts has no such column",
      "the columns are: VKONT, GPART",
    ],
    [{ key: "VKNT" }, "--key VKNT: no source has this column", 'did you mean "VKONT"?'],
  ])("is refused if the chosen source or key does not exist: %o", async (chosen, message, hint) => {
    const refused = initOf(SAP, undefined, chosen);
    await expect(refused).rejects.toMatchObject({ code: "usage", message, hint: expect.stringContaining(hint) });
  });
});
