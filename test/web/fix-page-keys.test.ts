import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { runCli } from "../e2e/cli.ts";
import { correctionsIn, fixAddress, project, showValues, status } from "./fix-page-scene.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

const WRONG_TYPES = {
  accounts: [1, 2, 3].map((number) => ({ REF: `REF-${number}`, TYPE: "X", NAME: `Name ${number}` })),
};

function cell(row: number, column: number): string {
  return `.slick-row[data-row="${row}"] .slick-cell.l${column}`;
}

/** Shows the values, and allows the page to use the clipboard. */
async function showValuesToCopy(page: Page): Promise<void> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await showValues(page, "Name 1");
}

async function paste(page: Page, text: string, target: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.click(target);
  await page.keyboard.press("Control+v");
}

/** Returns the key, the column and the new value of each correction. */
function newValues(folder: string): readonly string[] {
  return correctionsIn(folder).map((line) => [0, 2, 5].map((index) => line.split(",")[index]).join(" "));
}

describeWebPages("the keyboard and the clipboard on the Fix page", (open) => {
  it("copies and pastes the same columns if the selection includes the Row column, and pastes only tables that fit", async () => {
    const folder = project(WRONG_TYPES);
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await showValuesToCopy(page);
    await page.click(cell(0, 0));
    await page.keyboard.press("Control+c");
    await status(page, "The “Row” column does not belong to the source.");
    for (const _ of [1, 2, 3]) await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("Control+c");
    await status(page, "3 values copied.");
    await page.click(cell(2, 1));
    await page.click(cell(2, 0));
    await page.keyboard.press("Control+v");
    await status(page, "The “Row” column does not belong to the source.");
    await paste(page, "D", cell(2, 0));
    await status(page, "The “Row” column does not belong to the source.");
    await paste(page, "D\tName\nD\tName\nD\tName", cell(1, 2));
    await status(page, "The clipboard contains 3 rows and 2 columns, but only 2 rows and");
    const last = (await page.locator(".slick-header-column").count()) - 1;
    await paste(page, "a\tb", cell(1, last));
    await status(page, "The clipboard contains 1 row and 2 columns, but only 2 rows and 1 column");
    await paste(page, "D\tPasted", cell(1, 2));
    await status(page, "2 cells saved");
    expect(newValues(folder)).toEqual(["REF-2 TYPE D", "REF-2 NAME Pasted"]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("starts an edit with a character typed with Alt or AltGr, and ignores shortcuts with Shift or Alt", async () => {
    const folder = project(WRONG_TYPES);
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await showValuesToCopy(page);
    for (const [row, character] of ["Alt+@", "Control+Alt+@"].entries()) {
      await page.click(cell(row, 3));
      await page.keyboard.press(character);
      await page.keyboard.type("home");
      await page.keyboard.press("Enter");
      await page.waitForSelector(`${cell(row, 3)}.corrected`);
    }
    await page.click(cell(0, 2));
    await page.keyboard.press("Shift+ArrowDown");
    for (const shortcut of ["Control+Shift+Z", "Control+Shift+D", "Control+Alt+z", "Alt+d"])
      await page.keyboard.press(shortcut);
    await page.click(cell(2, 3));
    await page.keyboard.press("Delete");
    await page.waitForSelector(`${cell(2, 3)}.corrected`);
    await status(page, "1 cell saved");
    expect(newValues(folder)).toEqual(["REF-1 NAME @home", "REF-2 NAME @home", "REF-3 NAME "]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("says that an undo did not change a cell, and says only once that the program is no longer running", async () => {
    const folder = project(WRONG_TYPES);
    const web = await startWeb(folder);
    const { page } = await open(fixAddress(web));
    await showValuesToCopy(page);
    await page.click(cell(1, 3));
    await page.keyboard.press("Delete");
    await status(page, "1 cell saved");
    const removed = await runCli(["corrections", "remove", "REF-2", "--in", "accounts"], { cwd: folder });
    expect(removed).toMatchObject({ code: 0 });
    await page.waitForSelector(`${cell(1, 3)}:not(.corrected)`);
    await page.keyboard.press("Control+z");
    await status(page, "0 cells restored, 1 cell not changed.");
    await web.stop();
    await page.keyboard.press("Delete");
    await page.waitForSelector(".notice.error:has-text('The program is no longer running')");
    await expect.poll(() => page.textContent(".fix-status")).toBe("");
    expect(await page.getByText("The program is no longer running").count()).toBe(1);
  });
});
