import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { CONTRACT, type Extract, goodAccounts, writeExtract } from "../e2e/push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type RunningWeb } from "./web-scene.ts";

export function project(extract: Extract): string {
  const folder = temporaryFolder();
  writeExtract(folder, extract);
  const configuration = `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\n`;
  writeFileSync(path.join(folder, "migrate.yaml"), configuration);
  return folder;
}

export function fixAddress({ address }: RunningWeb): string {
  return address.replace("/#", "/fix#");
}

/** Presses Tab until the focus is on an element that matches. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let count = 0; count < 80; count += 1) {
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not reach ${selector}`);
}

export const ACTIVE = ".fix-grid .slick-cell.active";

/** The text area for a value that is too long for the grid. */
export const LONG_VALUE = ".fix-details textarea";

/** The list of the edits that were not saved. */
export const NOT_SAVED = ".notice.error:has(li)";

/** Shows the values, and waits until the first name starts with the text. */
export async function showValues(page: Page, name = "Amina"): Promise<void> {
  await page.waitForSelector(ACTIVE);
  await page.click("label.switch");
  await page.waitForSelector(`${nameCell(0)}:has-text("${name}")`);
  await page.waitForSelector(ACTIVE);
}

export async function activeText(page: Page): Promise<string> {
  return (await page.textContent(`${ACTIVE} > span`)) ?? "";
}

export function nameCell(row: number): string {
  return `.slick-row[data-row="${row}"] .slick-cell.l3`;
}

/** Types a date of birth into the first row. */
export async function typeDate(page: Page, value: string): Promise<void> {
  await page.click(".slick-row[data-row='0'] .slick-cell.l6");
  await page.keyboard.type(value);
  await page.keyboard.press("Enter");
}

/** Waits until the status line of the Fix page contains the text. */
export async function status(page: Page, text: string): Promise<void> {
  await expect.poll(() => page.textContent(".fix-status")).toContain(text);
}

export function correctionsIn(folder: string): readonly string[] {
  return readFileSync(path.join(folder, "corrections.csv"), "utf8").trim().split("\n").slice(1);
}

export const FIVE_WRONG_DATES: Extract = {
  accounts: [...goodAccounts(5), { REF: "BAD-TYPE", TYPE: "X" }],
  customers: [...goodAccounts(5).map(({ REF }) => ({ REF, DOB: "31/02/1971" })), { REF: "BAD-TYPE" }],
};
