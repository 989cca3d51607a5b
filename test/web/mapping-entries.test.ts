import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { choose, enter, exampleProject, said, save, select, valid, violations } from "./mapping-entry-scene.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

describeWebPages("the page for entries of the mapping, with only the keyboard,", (open) => {
  it("adds a condition to an item, and changes the rows of a part", async () => {
    const folder = exampleProject();
    const file = path.join(folder, "mapping.yaml");
    const text = readFileSync(file, "utf8");
    const web = await startWeb(folder);
    const { page, complaints } = await open(web.address.replace("/#", "/mapping#"));
    await page.waitForSelector("[role=treeitem]");
    await valid(page, "2 of 2 records");

    await select(page, "supply_addresses.*.meter_points");
    await choose(page, "Items: one for each row of", "accounts");
    await said(page, "supply_addresses.*.meter_points has one item, built from the row itself.");
    await page.getByText("The records cannot be checked.").waitFor();
    expect(await violations(page)).toEqual([]);
    await choose(page, "Items: one for each row of", "meters");
    await said(page, "supply_addresses.*.meter_points has an item for each row of meters.");
    await valid(page, "2 of 2 records");

    await select(page, "supply_addresses");
    await choose(page, "Only rows where", "TYPE");
    await said(page, "The condition of supply_addresses was changed.");
    await valid(page, "0 of 2 records");
    await enter(page, "is one of", "D");
    await valid(page, "1 of 2 records");
    expect(await violations(page)).toEqual([]);
    await save(page);
    await page.getByText("All changes are saved.").waitFor();
    const saved = readFileSync(file, "utf8");
    expect(saved).toContain(
      "    - when: { column: TYPE, in: [D] }\n      item:\n        supply_address1: ADDR1\n        supply_postcode",
    );
    expect(saved).toMatch(/meter_points:\n {10}- each: meters\n {12}item:\n {14}identifier: MPAN\n/);
    expect(saved.replaceAll(/[\s-]+/g, " ")).toBe(
      text
        .replaceAll(/[\s-]+/g, " ")
        .replace("supply_address1", "when: { column: TYPE, in: [D] } item: supply_address1"),
    );
    expect(complaints.filter((message) => !message.includes("422"))).toEqual([]);
    await web.stop();
  });
});
