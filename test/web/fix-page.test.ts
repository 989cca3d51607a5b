import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../e2e/cli.ts";
import { axeViolations } from "../report/page/pages.ts";
import {
  ACTIVE,
  activeText,
  correctionsIn,
  FIVE_WRONG_DATES,
  fixAddress,
  nameCell,
  project,
  status,
  tabTo,
  typeDate,
} from "./fix-page-scene.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

describeWebPages("the Fix page", (open) => {
  it("corrects every record with only the keyboard, and is accessible in each state", async () => {
    const folder = project(FIVE_WRONG_DATES);
    const web = await startWeb(folder);
    const { page, complaints, foreign } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    expect(await page.textContent(".fix-summary")).toContain("6 records need work");
    expect(await page.content()).not.toContain("31/02/1971");
    expect(await axeViolations(page)).toEqual([]);

    await tabTo(page, "[role=switch]");
    await page.keyboard.press("Space");
    await tabTo(page, ".fix-causes li:nth-child(2) button");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.textContent(".fix-cause h2")).toBe("Date of birth is not valid");
    await tabTo(page, ".slick-cell");
    await expect.poll(() => activeText(page)).toMatch(/^▲31\/02\/1971. Error: /);
    await expect.poll(() => page.textContent(".fix-details")).toContain("DOB of EXT-00001");

    // Types an invalid value, then a valid value. Enter moves down.
    await page.keyboard.type("1971-02-30");
    await page.keyboard.press("Enter");
    await status(page, "1 cell saved. 6 records need work.");
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => activeText(page)).toMatch(/1971-02-30. Error: /);
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("28");
    await page.keyboard.press("Enter");
    await status(page, "1 cell saved. 5 records need work.");
    expect(correctionsIn(folder)).toHaveLength(2);

    // Copies the value and pastes it into two cells, fills down, and undoes the last change.
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Control+c");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Control+v");
    await status(page, "2 cells saved. 3 records need work.");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Control+d");
    await status(page, "1 cell saved. 2 records need work.");
    await page.keyboard.press("Control+z");
    await status(page, "1 cell restored. 3 records need work.");
    expect(await axeViolations(page)).toEqual([]);

    // Replaces the value in all rows of the cause.
    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Replace…");
    await page.keyboard.press("Enter");
    await page.waitForSelector("dialog option:nth-child(2)", { state: "attached" });
    expect(await axeViolations(page)).toEqual([]);
    await tabTo(page, "dialog input");
    await page.keyboard.type("1971-02-28");
    await tabTo(page, "dialog button.main");
    await page.keyboard.press("Enter");
    await status(page, "2 cells saved. 1 record needs work.");

    // Corrects the last record by choosing one of the possible values.
    await tabTo(page, ".fix-causes li:nth-child(3) button");
    await page.keyboard.press("Enter");
    await page.waitForSelector("[aria-label='Possible values']");
    await tabTo(page, "[aria-label='Possible values'] button");
    await page.keyboard.press("Enter");
    await status(page, "1 cell saved. 0 records need work.");
    await tabTo(page, ".fix-summary button");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=No records need work");
    expect(await axeViolations(page)).toEqual([]);

    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await web.stop();
    expect((await runCli(["validate"], { cwd: folder })).code).toBe(0);
  });

  it("says that no row has the chosen cause if only a push finds the cause", async () => {
    const web = await startWeb(project(FIVE_WRONG_DATES));
    const cause = encodeURIComponent("near_known_key external_identifier");
    const { page, complaints } = await open(fixAddress(web).replace("/fix", `/fix?cause=${cause}`));
    await page.waitForSelector(ACTIVE);
    expect(await page.textContent(".notice.info")).toContain("No row here has the chosen cause");
    expect(await axeViolations(page)).toEqual([]);
    await page.goto(`${web.origin}/fix?cause=${encodeURIComponent("invalid customers.*.date_of_birth")}`);
    await page.waitForSelector(ACTIVE);
    await expect.poll(() => page.textContent(".fix-cause h2")).toBe("Date of birth is not valid");
    expect(await page.isVisible("text=No row here has the chosen cause")).toBe(false);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("lists a correction that is not applied even if no records need work (it used to be hidden)", async () => {
    const folder = project({ accounts: [{ REF: "A", TYPE: "X" }] });
    appendFileSync(path.join(folder, "migrate.yaml"), "corrections: corrections.csv\n");
    expect((await runCli(["corrections", "add", "A", "TYPE", "B"], { cwd: folder })).code).toBe(0);
    const extract = path.join(folder, "accounts.csv");
    writeFileSync(extract, readFileSync(extract, "utf8").replace(",X,", ",D,"));
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await page.getByText("No records need work").waitFor();
    await page.getByText("1 correction in corrections.csv not applied: the extract has changed since").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("shows and copies hostile values as text", async () => {
    const script = "<img src=x onerror=\"document.title='hit'\"><script>document.title='hit'</script>";
    const folder = project({
      accounts: [
        { REF: "A", TYPE: "X", NAME: script },
        { REF: "B", NAME: "n".repeat(1_000_000) },
        { REF: "C", TYPE: "X", NAME: "=1+1" },
      ],
    });
    const web = await startWeb(folder);
    const { page, complaints } = await open(fixAddress(web));
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.waitForSelector(ACTIVE);
    await page.click("label.switch");
    await expect.poll(() => page.textContent(nameCell(0))).toContain("onerror");
    expect(await page.textContent(`${nameCell(0)} > span`)).toBe(script);
    expect(await page.title()).not.toBe("hit");
    expect(((await page.textContent(`${nameCell(1)} > span`)) ?? "").length).toBeLessThan(3000);

    await page.click(nameCell(2));
    await page.keyboard.press("Control+c");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("'=1+1");
    await page.keyboard.press("ArrowUp");
    await expect
      .poll(() => page.evaluate("document.querySelector('.fix-details textarea')?.value.length"))
      .toBe(1_000_000);
    await page.focus(ACTIVE);
    await page.keyboard.press("Control+v");
    await status(page, "1 cell saved. 2 records need work.");
    expect(correctionsIn(folder)[0]).toContain(",,=1+1,");
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await web.stop();
  });

  it("names a changed mapping once when it refuses an edit", async () => {
    const folder = project(FIVE_WRONG_DATES);
    const web = await startWeb(folder);
    const { page } = await open(fixAddress(web));
    await page.waitForSelector(ACTIVE);
    await page.click("button.fix-source:has-text('customers')");
    await page.waitForSelector(".slick-row[data-row='0'] .slick-cell.l6.faulty");
    appendFileSync(path.join(folder, "mapping.yaml"), "# changed\n");
    await typeDate(page, "1972-02-28");
    const title = ".notice-title:has-text('mapping.yaml has changed since the check')";
    await page.waitForSelector(`.notice.error ${title}`);
    await expect.poll(() => page.locator(title).count(), { timeout: 20_000 }).toBe(1);
    await web.stop();
  });

  it("shows the edits of another tab, and refuses to edit a cell that has changed in the extract", async () => {
    const folder = project(FIVE_WRONG_DATES);
    const web = await startWeb(folder);
    const one = await open(fixAddress(web));
    const { page } = one;
    await page.waitForSelector(ACTIVE);
    await page.click("label.switch");
    const two = await page.context().newPage();
    await two.goto(`${web.origin}/fix`);
    await two.waitForSelector(ACTIVE);
    await page.click("button.fix-source:has-text('customers')");
    await two.click("button.fix-source:has-text('customers')");
    await page.waitForSelector(".slick-row[data-row='0'] .slick-cell.l6.faulty");
    await two.waitForSelector(".slick-row[data-row='0'] .slick-cell.l6.faulty");
    await typeDate(page, "1971-02-28");
    await status(page, "1 cell saved. 5 records need work.");
    await expect.poll(() => two.textContent(".fix-summary")).toContain("5 records need work");

    appendFileSync(path.join(folder, "customers.csv"), "EXT-00009,1,A,B,07700 900730,1947-06-16\n");
    await typeDate(two, "1972-02-28");
    await status(two, "1 cell saved");
    expect(await two.textContent(".notice.info .notice-title")).toBe("customers.csv has changed since the check");
    writeFileSync(
      path.join(folder, "customers.csv"),
      readFileSync(path.join(folder, "customers.csv"), "utf8").replace("31/02/1971", "30/02/1971"),
    );
    await typeDate(two, "1973-02-28");
    await two.waitForSelector(".notice.error");
    expect(await two.textContent(".notice.error")).toContain("The value of this cell in the file has changed");
    expect(await axeViolations(two)).toEqual([]);
    expect(one.complaints).toEqual([]);
    await web.stop();
  });
});
