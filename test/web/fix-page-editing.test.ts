import { expect, it } from "vitest";
import { goodAccounts } from "../e2e/push-scene.ts";
import { ACTIVE, correctionsIn, fixAddress, nameCell, project, status } from "./fix-page-scene.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

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
});
