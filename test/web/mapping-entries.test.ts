import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { projectFile, runCli } from "../e2e/cli.ts";
import { axeViolations } from "../report/page/pages.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

const MODULE = `export const clean = (value) => value.trim();
export function salutation(value, row) {
  return row.TYPE === "B" ? value : "Dear " + value;
}
`;

/** Copies the worked example of docs/mapping.md, and adds a module of functions and a table. Returns the folder. */
function exampleProject(): string {
  const folder = temporaryFolder();
  cpSync(projectFile("fixtures/map/worked-example"), folder, { recursive: true });
  writeFileSync(path.join(folder, "functions.mjs"), MODULE);
  writeFileSync(path.join(folder, "types.csv"), "code,type\nD,DOMESTIC\nB,BUSINESS\n");
  const contract = projectFile("fixtures/contract/contract.yaml");
  writeFileSync(
    path.join(folder, "migrate.yaml"),
    `contract: ${contract}\nmapping: mapping.yaml\nsupplier: OLDCO-2024\n`,
  );
  return folder;
}

/** Presses Tab until the focus is on the control with the label. */
async function tabTo(page: Page, label: string): Promise<void> {
  const found = `((element) => [element?.ariaLabel, element?.labels?.[0]?.firstChild?.textContent, element?.textContent]
    .some((text) => text?.trim() === ${JSON.stringify(label)}))(document.activeElement)`;
  for (let presses = 0; presses < 300; presses += 1) {
    await page.keyboard.press("Tab");
    const isFound: boolean = await page.evaluate(found);
    if (isFound) return;
  }
  throw new Error(`no tab stop ${label}`);
}

/** Selects a field in the tree. */
async function select(page: Page, attr: string): Promise<void> {
  await tabTo(page, "Find a field");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(attr);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Home");
  for (let presses = 0; presses < 100; presses += 1) {
    if ((await page.textContent("#field-title")) === attr) return;
    await page.keyboard.press("ArrowDown");
  }
  throw new Error(`no field ${attr}`);
}

/** Types the text into the control with the label, then presses Tab. */
async function enter(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.type(text);
  await page.keyboard.press("Tab");
}

/** Opens the list with the label, and chooses the option that begins with the text. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, label);
  const [current = 0, wanted = -1]: readonly number[] = await page.evaluate(
    `((list) => [list.selectedIndex, [...list.options].findIndex((option) => option.text.startsWith(${JSON.stringify(text)}))])(document.activeElement)`,
  );
  if (wanted < 0) throw new Error(`no option ${text}`);
  await page.keyboard.press("Alt+ArrowDown");
  for (let step = 0; step < Math.abs(wanted - current); step += 1)
    await page.keyboard.press(wanted > current ? "ArrowDown" : "ArrowUp");
  await page.keyboard.press("Enter");
}

async function save(page: Page): Promise<void> {
  await page.locator(".toolbar button.main:enabled").waitFor();
  await tabTo(page, "Skip to the content");
  await tabTo(page, "Save");
  await page.keyboard.press("Enter");
}

const said = (page: Page, text: string): Promise<void> => page.getByText(text).waitFor({ state: "attached" });
const valid = (page: Page, text: string): Promise<void> => page.locator(".toolbar .valid").getByText(text).waitFor();

async function violations(page: Page): Promise<readonly string[]> {
  const wide = await axeViolations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 768, height: 1000 });
  const narrow = await axeViolations(page);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
  return [...wide, ...narrow];
}

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
});
