import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { goodAccounts } from "../e2e/push-scene.ts";
import { axeViolations } from "../report/page/pages.ts";
import {
  ACTIVE,
  correctionsIn,
  fixAddress,
  LONG_VALUE,
  nameCell,
  NOT_SAVED,
  project,
  showValues,
  status,
} from "./fix-page-scene.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

const WRONG_TYPES = { accounts: goodAccounts(3).map((account) => ({ ...account, TYPE: "X" })) };

const LONG_NAME = {
  accounts: [
    { REF: "A", TYPE: "X", NAME: "n".repeat(5000) },
    { REF: "B", TYPE: "X" },
  ],
};

/** Types a value into the name cell of a row, and leaves the cell editor open. */
async function typeName(page: Page, row: number, value: string): Promise<void> {
  await page.click(nameCell(row));
  await page.keyboard.type(value);
}

/** Returns the values of a column in the corrections file, in order. */
function corrected(folder: string): readonly string[] {
  if (!existsSync(path.join(folder, "corrections.csv"))) return [];
  return correctionsIn(folder).map((line) => line.split(",")[5] ?? "");
}

describeWebPages("saving on the Fix page", (open) => {
  it("lists a typed value that is not saved because the program has ended", async () => {
    const web = await startWeb(project(WRONG_TYPES));
    const { page } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    await typeName(page, 1, "Mine");
    web.cli.kill("SIGKILL");
    await web.cli.ended;
    await page.keyboard.press("Enter");
    await page.waitForSelector(NOT_SAVED);
    expect(await page.textContent(`${NOT_SAVED} li`)).toContain(
      "NAME of EXT-00002: The program stopped before it confirmed the change.",
    );
    expect(await page.inputValue(`${NOT_SAVED} textarea`)).toBe("Mine");
    await typeName(page, 2, "Second");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(`${NOT_SAVED} li`).count()).toBe(2);
    expect(await axeViolations(page)).toEqual([]);
  });

  it("lists a value that the mapping prevented from being saved, until the user dismisses the list", async () => {
    const folder = project(WRONG_TYPES);
    const file = path.join(folder, "mapping.yaml");
    const mapping = readFileSync(file, "utf8");
    const web = await startWeb(folder);
    const { page } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    await typeName(page, 1, "Mine");
    writeFileSync(file, `${mapping}\nbroken: [\n`);
    await page.click("text=Check again");
    await page.waitForSelector("text=mapping.yaml:");
    expect(await page.inputValue(`${NOT_SAVED} textarea`)).toBe("Mine");
    writeFileSync(file, mapping);
    await page.click("text=Check again");
    await typeName(page, 0, "Other");
    await page.keyboard.press("Enter");
    await status(page, "1 cell saved");
    expect(await page.inputValue(`${NOT_SAVED} textarea`)).toBe("Mine");
    await page.click("text=Dismiss");
    await page.waitForSelector(NOT_SAVED, { state: "detached" });
    expect(corrected(folder)).toEqual(["Other"]);
    await web.stop();
  });

  it("keeps the text of a long value that is not saved", async () => {
    const web = await startWeb(project(LONG_NAME));
    const { page } = await open(fixAddress(web));
    await showValues(page, "nnnn");
    await page.click(nameCell(0));
    await page.fill(LONG_VALUE, "Long text");
    web.cli.kill("SIGKILL");
    await web.cli.ended;
    await page.click(".fix-details button:has-text('Save')");
    await page.waitForSelector(NOT_SAVED);
    expect(await page.inputValue(`${NOT_SAVED} textarea`)).toBe("Long text");
    expect(await page.inputValue(LONG_VALUE)).toBe("Long text");
  });

  it("saves a long value when the user leaves the text area", async () => {
    const folder = project(LONG_NAME);
    const web = await startWeb(folder);
    const { page, complaints } = await open(web.address);
    await page.click("nav >> text=Fix");
    await showValues(page, "nnnn");
    await page.click(nameCell(0));
    await page.fill(LONG_VALUE, "Left");
    await page.click(nameCell(1));
    await status(page, "1 cell saved");
    await page.keyboard.press("Control+z");
    await status(page, "1 cell restored");
    await page.click(nameCell(0));
    await page.fill(LONG_VALUE, "Checked");
    await page.click("text=Check again");
    await expect.poll(() => corrected(folder)).toEqual(["Left", "", "Checked"]);

    await page.waitForSelector(ACTIVE);
    await page.click(nameCell(0));
    await page.click("text=Restore the value from the extract");
    await page.waitForSelector(LONG_VALUE);
    await page.fill(LONG_VALUE, "Back");
    await page.goBack();
    await page.waitForSelector("h1:has-text('Overview')");
    await expect.poll(() => corrected(folder)).toEqual(["Left", "", "Checked", "", "Back"]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("saves the value in an open cell editor when the user clicks outside the grid or leaves the page", async () => {
    const folder = project({
      accounts: WRONG_TYPES.accounts,
      customers: goodAccounts(3).map(({ REF }) => ({ REF, DOB: "31/02/1971" })),
    });
    const web = await startWeb(folder);
    const { page, complaints } = await open(web.address);
    await page.click("nav >> text=Fix");
    const clicks: Readonly<Record<string, string>> = {
      source: ".fix-source:has-text('customers')",
      cause: ".fix-causes li:nth-child(2) button",
      shown: "label.switch",
      hidden: "label.switch",
      details: ".fix-details h2",
      check: "text=Check again",
      page: "nav >> text=Problems",
    };
    for (const [name, target] of Object.entries(clicks)) {
      await page.waitForSelector(ACTIVE);
      await page.click(".fix-causes li:nth-child(1) button");
      await page.click(".fix-source:has-text('accounts')");
      await typeName(page, 1, name);
      await page.click(target);
      await expect.poll(() => corrected(folder).at(-1)).toBe(name);
    }
    expect(corrected(folder)).toEqual(Object.keys(clicks));

    await page.click("nav >> text=Fix");
    await page.waitForSelector(ACTIVE);
    await page.click(".fix-source:has-text('accounts')");
    await typeName(page, 0, "undone");
    await page.click("text=Undo");
    await status(page, "1 cell restored");
    await typeName(page, 0, "back");
    await page.goBack();
    await page.waitForSelector("h1:has-text('Problems')");
    await expect.poll(() => corrected(folder).slice(-3)).toEqual(["undone", "", "back"]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("shows values, not shapes, after an edit that is answered after the values are shown", async () => {
    const web = await startWeb(project(WRONG_TYPES));
    const { page } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    const held: (() => void)[] = [];
    await page.route("**/api/fix/edits", async (route) => {
      const reply = await route.fetch();
      await new Promise<void>((resolve) => held.push(resolve));
      await route.fulfill({ response: reply });
    });
    await typeName(page, 1, "Mine");
    await page.click("label.switch");
    await page.waitForSelector(`${nameCell(1)}:has-text("Mine")`);
    await expect.poll(() => held.length).toBe(1);
    for (const answer of held) answer();
    await status(page, "1 cell saved");
    await page.waitForSelector(`${nameCell(1)}:has-text("Mine")`);
    await web.stop();
  });

  it("asks before the tab is closed while a value is typed or not saved", async () => {
    const folder = project(WRONG_TYPES);
    const web = await startWeb(folder);
    const { page } = await open(fixAddress(web));
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.waitForSelector(ACTIVE);
    await page.reload();
    await page.waitForSelector(ACTIVE);
    expect(asked).toEqual([]);
    await typeName(page, 1, "Mine");
    await page.reload();
    await page.waitForSelector(ACTIVE);
    expect(asked).toEqual(["beforeunload"]);
    await typeName(page, 1, "Mine");
    appendFileSync(path.join(folder, "mapping.yaml"), "\nbroken: [\n");
    await page.keyboard.press("Enter");
    await page.waitForSelector(NOT_SAVED);
    await page.reload();
    await page.waitForSelector(ACTIVE);
    expect(asked).toEqual(["beforeunload", "beforeunload"]);
    await web.stop();
  });
});
