import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../e2e/cli.ts";
import {
  choose,
  enter,
  exampleProject,
  MODULE,
  said,
  save,
  select,
  tabTo,
  valid,
  violations,
} from "./mapping-entry-scene.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

describeWebPages("the page for fields of the mapping, with only the keyboard,", (open) => {
  it("calls a function, replaces text, and reads a table from a file", async () => {
    const folder = exampleProject();
    const file = path.join(folder, "mapping.yaml");
    const text = readFileSync(file, "utf8");
    const web = await startWeb(folder);
    const { page, complaints } = await open(web.address.replace("/#", "/mapping#"));
    const { keyboard } = page;
    await page.waitForSelector("[role=treeitem]");

    await tabTo(page, "Functions: no module");
    await keyboard.press("Enter");
    await page.locator("option:text-is('functions.mjs')").waitFor({ state: "attached" });
    await choose(page, "Module with functions", "functions.mjs");
    await said(page, "The mapping can now call the functions in functions.mjs.");
    await select(page, "billing_name");
    await choose(page, "The cell is", "an argument");
    await page.getByRole("combobox", { name: "Function", exact: true }).waitFor();
    await select(page, "billing_name");
    await choose(page, "Function", "salutation");
    await page.locator("[role=treeitem]").getByText("function salutation").waitFor();
    await valid(page, "2 of 2 records");
    expect(await violations(page)).toEqual([]);

    // A function that no longer exists is reported, and another function can be chosen.
    writeFileSync(path.join(folder, "functions.mjs"), MODULE.replace("salutation", "greeting"));
    await select(page, "customers.*.mobile");
    await enter(page, "Find, new replacement", "-");
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await page.getByLabel("Find, replacement 2").waitFor();
    expect(await page.evaluate("document.activeElement?.ariaLabel")).toBe("Find, new replacement");
    await page.locator(".notice.error").getByText('there is no function "salutation"').waitFor();
    await select(page, "billing_name");
    await page.locator(".side").getByText("functions.mjs exports no function “salutation”").waitFor();
    expect(await violations(page)).toEqual([]);
    await save(page);
    await page.getByText("The mapping is not saved, because it has an error").waitFor();
    expect(readFileSync(file, "utf8")).toBe(text);
    await choose(page, "Function", "greeting");
    await valid(page, "2 of 2 records");
    expect(await page.locator(".notice.error").count()).toBe(0);

    await select(page, "account_type");
    await page.locator("option:text-is('in the file types.csv')").waitFor({ state: "attached" });
    await choose(page, "Table with the codes", "in the file types.csv");
    await page.getByText("A CSV file with a header").waitFor();
    await valid(page, "2 of 2 records");
    expect(await violations(page)).toEqual([]);

    await save(page);
    await page.getByText("All changes are saved.").waitFor();
    const expected = text
      .replace("billing_name: NAME", "billing_name: { from: NAME, call: greeting }")
      .replace('replace: { " ": "" }', 'replace: { " ": "", "-": "" }')
      .replace("lookup: { D: DOMESTIC, B: BUSINESS }", "lookup: types.csv");
    expect(readFileSync(file, "utf8")).toBe(`${expected}functions: functions.mjs\n`);
    const previewed = await runCli(["preview", "--format", "json", "--show-values"], { cwd: folder });
    expect(previewed.stdout).toContain("Dear Ms Ada Byron");
    expect(complaints.filter((message) => !message.includes("422"))).toEqual([]);
    await web.stop();
  });

  it("keeps every value typed into a table, even if the page has not yet shown the previous value", async () => {
    const folder = exampleProject();
    const file = path.join(folder, "mapping.yaml");
    const codes = ["a", "b", "c", "d", "e"];
    const lookup = `billing_name: { from: NAME, lookup: { ${codes.map((code) => `${code}: 0`).join(", ")} }, otherwise: keep }`;
    writeFileSync(file, readFileSync(file, "utf8").replace(/billing_name:.*/, lookup));
    const web = await startWeb(folder);
    const { page } = await open(web.address.replace("/#", "/mapping#"));
    await page.waitForSelector("[role=treeitem]");
    await select(page, "billing_name");
    await tabTo(page, "Value for a");
    for (const code of codes) {
      await page.keyboard.press("ControlOrMeta+A");
      await page.keyboard.type(code.toUpperCase());
      await page.keyboard.press("Tab");
    }
    await save(page);
    await page.getByText("All changes are saved.").waitFor();
    expect(readFileSync(file, "utf8")).toContain("lookup: { a: A, b: B, c: C, d: D, e: E }");
    await web.stop();
  });
});
