import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { projectFile, runCli } from "../e2e/cli.ts";
import { axeViolations } from "../report/page/pages.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { demoProject, describeWebPages, startWeb } from "./web-scene.ts";

/** Presses Tab until the focus is on an element that the selector matches. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 300; presses += 1) {
    await page.keyboard.press("Tab");
    const isThere: boolean = await page.evaluate(
      `document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`,
    );
    if (isThere) return;
  }
  throw new Error(`no tab stop ${selector}`);
}

/** Waits until a trial of the current mapping has ended. Returns its result. */
async function trial(page: Page): Promise<string> {
  await page.waitForSelector(".toolbar .valid strong");
  return (await page.textContent(".toolbar .valid")) ?? "";
}

async function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement?.textContent ?? ''");
}

const status = (page: Page): Promise<string | null> => page.textContent("main .mapping > p.quiet[role=status]");

describeWebPages("the mapping", (open) => {
  it("is created from three extracts and a contract, and saved, with only the keyboard", async () => {
    const folder = temporaryFolder();
    for (const name of ["accounts.csv", "customers.csv", "meter_points.csv"])
      cpSync(projectFile("fixtures/demo", name), path.join(folder, name));
    cpSync(projectFile("fixtures/contract/contract.yaml"), path.join(folder, "contract.yaml"));
    const web = await startWeb(folder);
    const { page, complaints, foreign } = await open(web.address);
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    await page.waitForSelector("h1");
    await tabTo(page, 'nav a[href="/mapping"]');
    await press("Enter");
    await page.waitForSelector("option[value=import-account]", { state: "attached" });
    expect(await axeViolations(page)).toEqual([]);
    await tabTo(page, "input[autocomplete=off]");
    await page.keyboard.type("SANDBOX");
    await press("Enter");

    await page.waitForSelector("[role=treeitem]");
    expect(await trial(page)).toBe("0 of 223 records are valid.");
    expect(await axeViolations(page)).toEqual([]);
    expect(await page.textContent("main")).not.toMatch(/Amina|Hughes/);

    await tabTo(page, ".progress button");
    await press("Enter");
    const wanted = "supply_addresses.*.meter_points.*.meters.*.registers.*.identifier";
    await page.waitForSelector(`#field-title:has-text("${wanted}")`);
    await tabTo(page, ".side .field input");
    await page.keyboard.type("1");
    await press("Tab");
    await page.waitForSelector('.toolbar .valid:has-text("206 of 223")');

    // The selected column fills the field on which Enter is pressed.
    await tabTo(page, '[role=listbox][aria-labelledby="source-customers"] [role=option]');
    for (const letter of ["E", "M", "E"]) await press(letter);
    expect(await focused(page)).toMatch(/^EMAIL/);
    await press("Enter");
    expect(await status(page)).toContain("EMAIL of customers is selected");
    await tabTo(page, "[role=tree] [role=treeitem]");
    await press("Home");
    while (!(await focused(page)).startsWith("email")) await press("ArrowDown");
    await press("Delete");
    await page.waitForSelector('p.quiet:has-text("customers.*.email is no longer filled.")', {
      state: "attached",
    });
    await press("Enter");
    await page.waitForSelector('p.quiet:has-text("EMAIL fills customers.*.email.")', { state: "attached" });
    expect(await focused(page)).toMatch(/^emailEMAIL/);
    expect(await trial(page)).toBe("206 of 223 records are valid.");
    expect(await axeViolations(page)).toEqual([]);

    await tabTo(page, ".skip");
    await tabTo(page, ".toolbar button.main");
    await press("Enter");
    await page.waitForSelector("text=All changes are saved.");
    expect(readFileSync(path.join(folder, "migrate.yaml"), "utf8")).toContain(
      "mapping: mapping.yaml\nsupplier: SANDBOX\n",
    );
    const mapping = readFileSync(path.join(folder, "mapping.yaml"), "utf8");
    expect(mapping).toContain('identifier: { value: "1" }');
    expect(mapping).toMatch(/billing_name: NAME +# required; 0\.58/);
    const validated = await runCli(["validate", "--format", "json"], { cwd: folder });
    expect(validated.stdout).toContain('"valid":206');

    await tabTo(page, ".switch input");
    await press("Space");
    await page.waitForSelector('pre:has-text("Amina")');
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await web.stop();
  });

  it("keeps the text of the file, undoes changes, and refuses to overwrite a file that has changed", async () => {
    const folder = demoProject();
    const file = path.join(folder, "mapping.yaml");
    const text = readFileSync(file, "utf8");
    const web = await startWeb(folder);
    const { page, complaints } = await open(web.address.replace("/#", "/mapping#"), { colorScheme: "dark" });
    const first = await trial(page);
    await page.dragAndDrop('[role=option]:has-text("TOWN")', '[role=treeitem]:has-text("billing_name")');
    await page.waitForSelector('[role=treeitem]:has-text("billing_name"):has-text("TOWN")');
    await page.click("text=Undo");
    // The test compares with TOWN, because `:has-text` ignores case, so the field's own name matches NAME.
    await page.waitForSelector('[role=treeitem]:has-text("billing_name"):not(:has-text("TOWN"))');
    await expect.poll(() => trial(page)).toBe(first);
    expect(await axeViolations(page)).toEqual([]);

    await page.dragAndDrop('[role=option]:has-text("TOWN")', '[role=treeitem]:has-text("billing_name")');
    await page.waitForSelector('[role=treeitem]:has-text("billing_name"):has-text("TOWN")');
    writeFileSync(file, `# changed elsewhere\n${text}`);
    await page.click("text=Save");
    await page.waitForSelector("text=has changed since this page read it");
    expect(readFileSync(file, "utf8")).toBe(`# changed elsewhere\n${text}`);
    expect(await axeViolations(page)).toEqual([]);
    await page.click("text=Apply my changes to the new version");
    await page.waitForSelector("text=Your changes were applied", { state: "attached" });
    await page.click("text=Save");
    await page.waitForSelector("text=All changes are saved.");
    expect(readFileSync(file, "utf8")).toBe(
      `# changed elsewhere\n${text}`.replace(/billing_name: .*?(?=\s+#|\n)/, "billing_name: TOWN"),
    );

    await page.click("text=Undo");
    await page.waitForSelector("text=Not saved: you undid a saved change.");
    writeFileSync(file, text);
    await page.click("text=Save");
    await page.waitForSelector("text=You undid a saved change");
    expect(await page.isVisible("text=Apply my changes to the new version")).toBe(false);
    await page.click("text=Discard my changes");
    await page.waitForSelector("text=All changes are saved.");
    await page.setViewportSize({ width: 768, height: 1000 });
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints.filter((message) => !message.includes("409"))).toEqual([]);
    await web.stop();
  });

  it("separates the trial run from the field with a line above it on a narrow screen (the line used to be on its left)", async () => {
    const web = await startWeb(demoProject());
    const { page } = await open(web.address.replace("/#", "/mapping#"), { width: 390 });
    await page.waitForSelector(".side > section + section");
    const widths = "(({ borderTopWidth, borderLeftWidth }) => [borderTopWidth, borderLeftWidth])";
    const trialStyle = `${widths}(getComputedStyle(document.querySelector(".side > section + section")))`;
    expect(await page.evaluate(trialStyle)).toEqual(["1px", "0px"]);
    await page.setViewportSize({ width: 900, height: 800 });
    expect(await page.evaluate(trialStyle)).toEqual(["0px", "1px"]);
    await web.stop();
  });

  it("says once that the server cannot be reached, and checks the records when the server answers again", async () => {
    const web = await startWeb(demoProject());
    const { page } = await open(web.address.replace("/#", "/mapping#"));
    const before = await trial(page);
    await page.route("**/api/overview/live", (route) => route.abort());
    await page.reload();
    await page.waitForSelector("text=The program is no longer running");
    await page.waitForSelector('[role=option]:has-text("TOWN")');
    await page.route("**/api/mapping/**", (route) => route.abort());
    await page.dragAndDrop('[role=option]:has-text("TOWN")', '[role=treeitem]:has-text("billing_name")');
    await page.click("label.switch");
    await page.waitForSelector(".toolbar .valid:has-text('Checking')");
    expect(await page.locator(".notice.error").count()).toBe(1);
    await page.unrouteAll();
    await page.waitForSelector(".notice.error", { state: "detached" });
    expect(await trial(page)).toBe(before);
    await web.stop();
  });
});
