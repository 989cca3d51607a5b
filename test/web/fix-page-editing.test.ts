import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { FixState } from "../../src/web/fix/fix-types.ts";
import { runCli } from "../e2e/cli.ts";
import { goodAccounts } from "../e2e/push-scene.ts";
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
import { clientOf, describeWebPages, type RunningWeb, startWeb, type WebClient } from "./web-scene.ts";

const EDITOR = ".fix-grid .slick-cell.active :is(input, textarea)";

/** The index of the column `NAME` of the accounts. */
const NAME = 2;
const TYPE = 1;

const WRONG_TYPES = { accounts: goodAccounts(3).map((account) => ({ ...account, TYPE: "X" })) };

async function stateOf(client: WebClient): Promise<Extract<FixState, { status: "ready" }>> {
  for (;;) {
    const state = await client.get<FixState>("/api/fix");
    if (state.status === "failed") throw new Error(state.error.message);
    if (state.status === "ready") return state;
  }
}

/** Changes a cell of an account as another tab does. */
async function editElsewhere(web: RunningWeb, position: number, column: number, value: string): Promise<void> {
  const client = await clientOf(web);
  const { session, seq, sources } = await stateOf(client);
  const source = sources.findIndex(({ name }) => name === "accounts");
  const editor = { session, tab: "elsewhere", seen: seq, values: "hidden", source, cause: 0 };
  const reply = await client.post("/api/fix/edits", { ...editor, cells: [{ position, column, value }] });
  expect(reply.body).toContain('"saved":1');
}

/** Returns the current value of a text field. */
function valueOf(page: Page, selector: string): Promise<string> {
  return page.inputValue(selector);
}

describeWebPages("editing on the Fix page", (open) => {
  it("changes only the selected cell if a value is pasted after values are shown and another source is chosen", async () => {
    const accounts = goodAccounts(3).map((account) => ({ ...account, TYPE: "X" }));
    const customers = goodAccounts(3).map(({ REF }) => ({ REF, DOB: "31/02/1971" }));
    const folder = project({ accounts, customers });
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.waitForSelector(ACTIVE);
    await page.click(".fix-source:has-text('accounts')");
    await page.click("label.switch");
    await page.waitForSelector(`${nameCell(1)}:has-text('Amina Hughes')`);
    await page.click(nameCell(1));
    await page.click(".fix-source:has-text('customers')");
    await page.waitForSelector(".slick-row[data-row='2'] .slick-cell.l6.faulty");
    await page.evaluate("navigator.clipboard.writeText('1971-02-28')");
    await page.click(".slick-row[data-row='2'] .slick-cell.l6");
    await page.keyboard.press("Control+v");
    await status(page, "1 cell saved");
    await page.keyboard.press("Control+z");
    await status(page, "1 cell restored");
    expect(correctionsIn(folder).map((line) => line.split(",").slice(0, 3).join(" "))).toEqual([
      "EXT-00003 customers DOB",
      "EXT-00003 customers DOB",
    ]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("does not overwrite a cell that another user changes while the new value is being typed", async () => {
    const folder = project(WRONG_TYPES);
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await showValues(page);
    await page.click(nameCell(1));
    await page.keyboard.press("F2");
    await page.keyboard.type("Mine");
    await editElsewhere(web, 1, NAME, "Theirs");
    await page.waitForSelector(".fix-details:has-text('corrected by')");
    await page.keyboard.press("Enter");
    await page.waitForSelector(`${NOT_SAVED}:has-text('Another tab or user has changed this cell')`);
    expect(await valueOf(page, `${NOT_SAVED} textarea`)).toBe("Mine");

    await page.click("text=Replace…");
    await page.selectOption("dialog .field select", { label: "TYPE" });
    await page.fill("dialog .field input", "D");
    await editElsewhere(web, 2, TYPE, "Y");
    await page.waitForSelector(".slick-row[data-row='2'] .slick-cell.l2:has-text('Y')");
    await page.click("dialog button.main");
    await status(page, "2 cells saved, 1 cell not changed. 1 record needs work.");
    expect(correctionsIn(folder).map((line) => line.split(",")[5])).toEqual(["Theirs", "Y", "D", "D"]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("shows the typed value if the project was checked again in the meantime", async () => {
    const web = await startWeb(project(WRONG_TYPES));
    const { page } = await open(fixAddress(web));
    await showValues(page);
    await page.click(nameCell(1));
    await page.keyboard.press("F2");
    await page.keyboard.type("Mine");
    const client = await clientOf(web);
    await client.post("/api/fix/check");
    await stateOf(client);
    await page.waitForResponse((reply) => reply.url().includes("/api/fix/changes") && reply.status() === 409);
    expect(await valueOf(page, EDITOR)).toBe("Mine");
    await page.keyboard.press("Enter");
    await page.waitForSelector(NOT_SAVED);
    expect(await page.textContent(`${NOT_SAVED} li`)).toContain(
      "NAME of EXT-00002: The project has been checked again in the meantime.",
    );
    expect(await valueOf(page, `${NOT_SAVED} textarea`)).toBe("Mine");
    await page.waitForSelector(ACTIVE);
    await web.stop();
  });

  it("keeps the cell editor open if another row becomes invalid", async () => {
    const customers = goodAccounts(3).flatMap(({ REF }) => [
      { REF, DOB: "31/02/1971" },
      { REF, SEQ: "2" },
    ]);
    const folder = project({ accounts: goodAccounts(3), customers });
    appendFileSync(path.join(folder, "migrate.yaml"), "corrections: corrections.csv\n");
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    await page.click(".slick-row[data-row='1'] .slick-cell.l6");
    await page.keyboard.type("1971-");
    const where = ["--in", "customers", "--line", "3", "--reason", "test"];
    expect(await runCli(["corrections", "add", "EXT-00001", "DOB", "wrong", ...where], { cwd: folder })).toMatchObject({
      code: 0,
    });
    await page.waitForSelector(".fix-source:has-text('4 rows')");
    await page.keyboard.type("02-28");
    expect(await valueOf(page, EDITOR)).toBe("1971-02-28");
    await page.keyboard.press("Enter");
    await status(page, "1 cell saved. 2 records need work.");
    await page.waitForSelector(".slick-row[data-row='3'] .slick-cell.l6.faulty");
    expect(correctionsIn(folder).map((line) => line.split(",")[5])).toEqual(["wrong", "1971-02-28"]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("keeps the typed text of a long value if another cell of the row changes", async () => {
    const long = "n".repeat(5000);
    const folder = project({ accounts: [{ REF: "A", TYPE: "X", NAME: long }] });
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await showValues(page, "nnnn");
    await page.click(nameCell(0));
    await page.fill(LONG_VALUE, `${long}!`);
    await editElsewhere(web, 0, TYPE, "D");
    await page.waitForSelector(".slick-row[data-row='0'] .slick-cell.l2.corrected");
    expect(await valueOf(page, LONG_VALUE)).toBe(`${long}!`);
    await page.click(".fix-details button:has-text('Save')");
    await status(page, "1 cell saved");

    await page.fill(LONG_VALUE, `${long}?`);
    await editElsewhere(web, 0, NAME, `${long}theirs`);
    await expect.poll(() => page.textContent(".fix-details")).toContain("5,001 characters");
    await page.click(".fix-details button:has-text('Save')");
    await page.waitForSelector(NOT_SAVED);
    expect(await valueOf(page, `${NOT_SAVED} textarea`)).toBe(`${long}?`);
    await expect.poll(() => valueOf(page, LONG_VALUE)).toBe(`${long}theirs`);
    expect(correctionsIn(folder).map((line) => line.split(",")[5])).toEqual(["D", `${long}!`, `${long}theirs`]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("does not change the line endings of a cell that is opened and closed", async () => {
    const folder = project({ accounts: [{ REF: "A", TYPE: "X", NAME: "two\r\nlines" }] });
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await showValues(page, "two");
    await page.click(nameCell(0));
    await page.keyboard.press("F2");
    await page.keyboard.press("Enter");
    await page.click(nameCell(0));
    await page.keyboard.press("F2");
    await page.keyboard.press("Control+End");
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await status(page, "1 cell saved");
    const [, ...rows] = readFileSync(path.join(folder, "corrections.csv"), "utf8").split("A,accounts,NAME,");
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain('"two\r\nlines!"');
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("does not change cells if the clipboard contains no text, or more cells than one edit can change", async () => {
    const rows = 3400;
    const folder = project({ accounts: goodAccounts(rows).map((account) => ({ ...account, TYPE: "X" })) });
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.waitForSelector(ACTIVE);
    await page.click(".slick-row[data-row='0'] .slick-cell.l1");
    await page.evaluate(`document.querySelector("${ACTIVE}").dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true }))`);
    await status(page, "The clipboard contains no text to paste.");
    await page.evaluate(`navigator.clipboard.writeText("a\\tb\\tc\\td\\te\\tf\\n".repeat(${rows}))`);
    await page.keyboard.press("Control+v");
    await status(page, "At most 20,000 cells can be pasted or emptied at a time.");
    await page.click(".slick-row[data-row='1'] .slick-cell.l3");
    await page.keyboard.press("Delete");
    await status(page, "1 cell saved");
    expect(correctionsIn(folder).map((line) => line.split(",").slice(0, 3).join(" "))).toEqual([
      "EXT-00002 accounts NAME",
    ]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("does not scroll sideways on a screen that is 320 pixels wide", async () => {
    const web = await startWeb(project(WRONG_TYPES));
    const { page } = await open(fixAddress(web), { width: 320 });
    await page.waitForSelector(ACTIVE);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    await web.stop();
  });
});
