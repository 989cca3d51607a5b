import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { projectFile } from "../e2e/cli.ts";
import { axeViolations } from "../report/page/pages.ts";
import { temporaryFolder } from "../temporary-folder.ts";

export const MODULE = `export const clean = (value) => value.trim();
export function salutation(value, row) {
  return row.TYPE === "B" ? value : "Dear " + value;
}
`;

/** Copies the worked example of docs/mapping.md, and adds a module of functions and a table. Returns the folder. */
export function exampleProject(): string {
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
export async function tabTo(page: Page, label: string): Promise<void> {
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
export async function select(page: Page, attr: string): Promise<void> {
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
export async function enter(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.type(text);
  await page.keyboard.press("Tab");
}

/** Opens the list with the label, and chooses the option that begins with the text. */
export async function choose(page: Page, label: string, text: string): Promise<void> {
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

export async function save(page: Page): Promise<void> {
  await page.locator(".toolbar button.main:enabled").waitFor();
  await tabTo(page, "Skip to the content");
  await tabTo(page, "Save");
  await page.keyboard.press("Enter");
}

export const said = (page: Page, text: string): Promise<void> => page.getByText(text).waitFor({ state: "attached" });
export const valid = (page: Page, text: string): Promise<void> =>
  page.locator(".toolbar .valid").getByText(text).waitFor();

export async function violations(page: Page): Promise<readonly string[]> {
  const wide = await axeViolations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 768, height: 1000 });
  const narrow = await axeViolations(page);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
  return [...wide, ...narrow];
}
