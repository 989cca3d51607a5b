import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { goodAccounts } from "../e2e/push-scene.ts";
import { jsonAccount, jsonCustomer, writeJsonExtract } from "../e2e/json-extract.ts";
import { axeViolations } from "../report/page/pages.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { ACTIVE, correctionsIn, fixAddress, project, status } from "./fix-page-scene.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

describeWebPages("the Fix page", (open) => {
  it("edits nested JSON values, and refuses an edit at a path that the JSON of the row cannot contain", async () => {
    const folder = temporaryFolder();
    writeJsonExtract(folder, {
      accounts: [
        jsonAccount("A", { account: { ref: "A", type: "X", vacant: false }, balance: 12.345 }),
        jsonAccount("B", { address: "63 Station Road" }),
      ],
      customers: [jsonCustomer("A"), jsonCustomer("B")],
    });
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    await page.click("label.switch");
    expect(await page.textContent(".fix-grid")).toContain("address.lines.0");
    // The mark precedes the name, because a long name is cut off at its end.
    const mark = `getComputedStyle(document.querySelector(".structural .slick-column-name"), "::before").content`;
    expect(await page.evaluate(mark)).toBe('"⚷ "');
    await page.click(".slick-row[data-row='0'] .slick-cell.l2");
    await page.keyboard.type("B");
    await page.keyboard.press("Enter");
    await status(page, "1 cell saved. 2 records need work.");
    await page.click(".slick-row[data-row='0'] .slick-cell.l5");
    await expect.poll(() => page.textContent(".fix-details")).toContain("balance of A");
    await page.keyboard.type("12.34");
    await page.keyboard.press("Enter");
    await status(page, "1 cell saved. 1 record needs work.");
    expect(correctionsIn(folder).map((line) => line.split(",").slice(0, 3).join(" "))).toEqual([
      "A accounts account.type",
      "A accounts balance",
    ]);
    await page.click(".slick-row[data-row='1'] .slick-cell.l7");
    await page.keyboard.type("DE1 2GU");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.textContent("body")).toContain("This row has no cell in this column.");
    expect(correctionsIn(folder)).toHaveLength(2);
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("does not copy a number that lost digits when the file was read", async () => {
    const folder = temporaryFolder();
    writeJsonExtract(folder, { accounts: [jsonAccount("A", { mpan: 1 })], customers: [jsonCustomer("A")] });
    const file = path.join(folder, "accounts.ndjson");
    writeFileSync(file, readFileSync(file, "utf8").replace('"mpan":1', '"mpan":12345678901234567890'));
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    await page.click("label.switch");
    await page.waitForSelector(".slick-row[data-row='0'] .slick-cell:has-text('63 Station Road')");
    await page.click(".slick-row[data-row='0'] .slick-cell.faulty");
    expect(await page.textContent(`${ACTIVE} > span`)).toMatch(/^▲\. Error: The number would lose digits\./);
    await page.keyboard.press("Control+c");
    await status(page, "One of the selected cells has no value that can be copied.");
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("shows the progress of a replacement, and reports an interrupted replacement", async () => {
    const folder = project({
      accounts: goodAccounts(2500),
      customers: goodAccounts(2500).map(({ REF }) => ({ REF, DOB: "31/02/1971" })),
    });
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    await page.evaluate(`new MutationObserver(() => {
      window.seen = (window.seen ?? "") + document.querySelector(".fix-status").textContent;
    }).observe(document.querySelector(".fix-status"), { childList: true, characterData: true, subtree: true })`);
    await page.click("text=Replace…");
    await page.fill("dialog .field input", "1971-02-28");
    await page.click("dialog button.main");
    await status(page, "2,500 cells saved. 0 records need work.");
    expect(await page.evaluate("window.seen")).toContain("Saving…");
    expect(complaints).toEqual([]);
    await web.stop();

    const lines = correctionsIn(folder);
    const [, , , , , , by, savedAt = ""] = lines[0]?.split(",") ?? [];
    const at = "2026-11-22T17:50:00Z";
    const text = readFileSync(path.join(folder, "corrections.csv"), "utf8");
    const begin = text.indexOf(lines[1500] ?? "");
    writeFileSync(
      path.join(folder, "corrections.csv"),
      text.slice(0, begin) + text.slice(begin).replaceAll(savedAt, at),
    );
    const note = { pid: 2 ** 22 + 1, source: "customers", column: "DOB", at, by };
    writeFileSync(path.join(folder, "corrections.csv.1.unfinished"), JSON.stringify(note));
    writeFileSync(
      path.join(folder, "accounts.csv"),
      readFileSync(path.join(folder, "accounts.csv"), "utf8").replace(",D,", ",X,"),
    );
    appendFileSync(path.join(folder, "corrections.csv"), "EXT-00001,cust");
    const again = await startWeb(folder);
    const second = await open(fixAddress(again), { colorScheme: "dark", width: 768 });
    await second.page.waitForSelector(".notice.error");
    expect(await second.page.textContent(".notice.error")).toContain(
      "1,000 cells are saved, and the other cells are unchanged",
    );
    expect(await second.page.textContent("body")).toContain(
      "Line 2502 of corrections.csv is incomplete and is ignored",
    );
    expect(await axeViolations(second.page)).toEqual([]);
    await second.page.focus("text=Undo the saved cells");
    await second.page.keyboard.press("Enter");
    await expect.poll(() => second.page.textContent(".fix-summary")).toContain("1,001 records need work");
    expect(await second.page.locator(".notice.error").count()).toBe(0);
    expect(second.complaints).toEqual([]);
    await again.stop();
  });
});
