import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useSandbox } from "../e2e/push-scene.ts";
import { expectAccessible } from "../report/page/pages.ts";
import { demoProject, describeWebPages, startWithSandbox } from "./web-scene.ts";

describeWebPages("the Overview and Problems pages", (open) => {
  const { sandbox, admin } = useSandbox();

  it("show the errors in the files, push after a confirmation and show the remaining records, using only the keyboard", async () => {
    const web = await startWithSandbox(demoProject({ sandbox: sandbox.ready }), sandbox);
    const { page, complaints, foreign } = await open(web.address);
    await page.getByText("There are no runs yet.").waitFor();
    expect(page.url()).toBe(`${web.origin}/`);
    expect(await page.evaluate("document.cookie")).toBe("");
    await expectAccessible(page);

    await press(page, "link", "Problems");
    await page.getByRole("heading", { name: "19 records in the current files need work" }).waitFor();
    await page.getByRole("region", { name: "Rows with this cause" }).waitFor();
    await expectAccessible(page);

    await press(page, "link", "Overview");
    await press(page, "button", "Start a push");
    const dialog = page.getByRole("dialog", { name: "Send 204 records?" });
    await dialog.waitFor();
    for (const text of [new URL(sandbox.ready.baseUrl).host, "SANDBOX", "import-account", "204", "19 invalid"]) {
      await dialog.getByText(text, { exact: true }).waitFor();
    }
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await admin.imports()).toEqual([]);

    await press(page, "button", "Start a push");
    await dialog.waitFor();
    await press(page, "button", "Send 204 records");
    await page.getByText(/^Push \S+ has ended\.$/).waitFor();
    await page.getByRole("heading", { name: "197 of 219 records are on the platform" }).waitFor();
    expect(await admin.imports()).toHaveLength(204);
    await expectAccessible(page);
    await expectPrintable(page);

    await press(page, "button", "See the problems");
    await page.getByRole("heading", { name: "25 records need work" }).waitFor();
    await press(page, "button", /^Tariff code is not accepted by the platform/);
    await page.getByRole("region", { name: "Rows with this cause" }).getByText("meter_points.csv:34").waitFor();
    await page.getByText("What to do").waitFor();
    await expectAccessible(page);
    await expectPrintable(page);
    const causes = page.getByRole("navigation", { name: "Causes" }).getByRole("button");
    const all = await causes.count();
    const files = page.getByRole("combobox", { name: "File", exact: true });
    await files.selectOption((await files.locator("option", { hasText: "readings.csv" }).getAttribute("value")) ?? "");
    await expect.poll(() => causes.count()).toBeLessThan(all);
    expect(await causes.first().textContent()).toContain("readings.*.value");

    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it("show hostile keys as text", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    const file = path.join(folder, "accounts.csv");
    const key = "<img src=x onerror=alert(1)>\u202e";
    writeFileSync(file, readFileSync(file, "utf8").replace("00010008", key));
    const web = await startWithSandbox(folder, sandbox);
    const { page, complaints, foreign } = await open(web.address);
    await page.getByRole("link", { name: "Problems" }).click();
    const causes = page.getByRole("navigation", { name: "Causes" }).getByRole("button");
    await causes.filter({ hasText: "No row of accounts has this key" }).click();
    await causes.filter({ hasText: "Date of birth" }).click();
    await page.getByRole("region", { name: "Rows with this cause" }).waitFor();
    const texts: (string | null)[] = [];
    for (const cause of await causes.all()) {
      await cause.click();
      await page.getByRole("region", { name: "Rows with this cause" }).waitFor();
      texts.push(await page.textContent("main"));
    }
    expect(texts.join()).toContain("<img src=x onerror=alert(1)>");
    expect(texts.join()).not.toContain("\u202e");
    expect([complaints, foreign]).toEqual([[], []]);
  });
});

/** Moves the focus to an element, and presses Enter, as a user without a mouse does. */
async function press(page: Page, role: "button" | "link", name: string | RegExp): Promise<void> {
  const element = page.getByRole(role, { name }).last();
  await element.waitFor();
  await expect
    .poll(
      async () => {
        await page.keyboard.press("Tab");
        return element.and(page.locator(":focus")).count();
      },
      { interval: 5 },
    )
    .toBe(1);
  await page.keyboard.press("Enter");
}

/** Expects that A4 paper shows every row and column of tables and lists that scroll on a screen. */
async function expectPrintable(page: Page): Promise<void> {
  const screen = page.viewportSize();
  await page.setViewportSize({ width: 718, height: 900 });
  await page.emulateMedia({ media: "print" });
  const cut = await page.evaluate(
    `[...document.querySelectorAll(".table, .cause-list")].filter((list) =>
      list.scrollWidth > list.clientWidth || list.scrollHeight > list.clientHeight).map((list) => list.className)`,
  );
  expect(cut).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(718);
  await page.emulateMedia({ media: "screen" });
  if (screen !== null) await page.setViewportSize(screen);
}
