import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { runCli } from "../e2e/cli.ts";
import { useSandbox } from "../e2e/push-scene.ts";
import { axeViolations } from "../report/page/pages.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { demoProject, describeWebPages, type RunningWeb, startWeb } from "./web-scene.ts";

describeWebPages("the Overview and Problems pages", (open) => {
  const { sandbox, admin } = useSandbox();

  async function startProject(folder: string, flags: readonly string[] = []): Promise<RunningWeb> {
    const { MIGRATE_API_KEY } = sandbox.env;
    const web = await startWeb(folder, flags, { env: { MIGRATE_API_KEY } });
    onTestFinished(() => web.stop());
    return web;
  }

  it("show the errors in the files, push after a confirmation and show the remaining records, using only the keyboard", async () => {
    const web = await startProject(demoProject({ sandbox: sandbox.ready }));
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

    await press(page, "button", "See the problems");
    await page.getByRole("heading", { name: "25 records need work" }).waitFor();
    await press(page, "button", /^Tariff code is not accepted by the platform/);
    await page.getByRole("region", { name: "Rows with this cause" }).getByText("meter_points.csv:34").waitFor();
    await page.getByText("What to do").waitFor();
    await expectAccessible(page);
    const causes = page.getByRole("navigation", { name: "Causes" }).getByRole("button");
    const all = await causes.count();
    const files = page.getByRole("combobox", { name: "File", exact: true });
    await files.selectOption((await files.locator("option", { hasText: "readings.csv" }).getAttribute("value")) ?? "");
    await expect.poll(() => causes.count()).toBeLessThan(all);
    expect(await causes.first().textContent()).toContain("readings.*.value");

    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
  });

  it("follow a push of another process, with its latest errors, in two tabs", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    const web = await startProject(folder);
    const { page, complaints } = await open(web.address);
    const second = await page.context().newPage();
    await second.goto(web.origin);
    await admin.faults({ latencyMs: 1000 });
    const { MIGRATE_API_KEY } = sandbox.env;
    const pushing = runCli(["push"], { cwd: folder, env: { MIGRATE_API_KEY }, isProcess: true });
    for (const tab of [page, second]) {
      await tab.getByText(/\d+ of 204 records sent/).waitFor();
      await tab.getByRole("heading", { name: "Latest errors" }).waitFor();
      await tab.getByText("Another process is using this ledger.").waitFor();
      expect(await tab.getByRole("button", { name: "Start a push" }).isDisabled()).toBe(true);
    }
    await expectAccessible(page);
    await admin.faults({});
    await pushing;
    for (const tab of [page, second]) {
      await tab.getByRole("heading", { name: "197 of 219 records are on the platform" }).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  it("show hostile keys as text", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    const file = path.join(folder, "accounts.csv");
    const key = "<img src=x onerror=alert(1)>\u202e";
    writeFileSync(file, readFileSync(file, "utf8").replace("00010008", key));
    const web = await startProject(folder);
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

  it("ask for the supplier's code before sending to production", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    appendFileSync(path.join(folder, "migrate.yaml"), "    environment: production\n");
    const web = await startProject(folder, ["--limit", "20"]);
    const { page } = await open(web.address);
    await page.getByRole("button", { name: "Start a push" }).click();
    const send = page.getByRole("dialog").getByRole("button", { name: "Send 18 records" });
    await send.waitFor();
    expect(await send.isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByLabel(/Type the code of the supplier/).fill("SANDBO");
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel(/Type the code of the supplier/).fill("SANDBOX");
    await send.click();
    await page.getByText(/^Push \S+ has ended\.$/).waitFor();
    expect(await admin.imports()).toHaveLength(18);
  });

  it("name the errors in the files, and show the page once the files are repaired", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    const web = await startProject(folder);
    const { page } = await open(web.address);
    await page.getByText("There are no runs yet.").waitFor();
    const config = path.join(folder, "migrate.yaml");
    const good = readFileSync(config, "utf8");

    writeFileSync(config, good.replace("contract:", "contrat:"));
    await page.getByRole("alert").getByText('unknown setting "contrat"').first().waitFor();
    await expectAccessible(page);
    writeFileSync(config, good);
    await page.getByRole("alert").first().waitFor({ state: "detached" });

    writeFileSync(path.join(folder, "broken.yaml"), "openapi: 3.0.3\ninfo: {}\npaths: [\n");
    writeFileSync(config, good.replace(/contract: .*/, "contract: broken.yaml"));
    await page.getByRole("link", { name: "Problems" }).click();
    await page
      .getByRole("alert")
      .getByText(/broken\.yaml:\d+/)
      .waitFor();
    await expectAccessible(page);
    writeFileSync(config, good);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "19 records in the current files need work" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("show the current numbers again after an error that was not reported by an event", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    const web = await startProject(folder);
    const { page } = await open(web.address);
    const config = path.join(folder, "migrate.yaml");
    const good = readFileSync(config, "utf8");
    await page.getByText("There are no runs yet.").waitFor();
    await page.route("**/api/overview/events", () => undefined);
    await page.reload();
    await page.getByText("There are no runs yet.").waitFor();
    writeFileSync(config, good.replace("contract:", "contrat:"));
    await page.getByRole("link", { name: "Problems" }).click();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("alert").getByText('unknown setting "contrat"').first().waitFor();
    writeFileSync(config, good);
    await page.getByRole("alert").first().waitFor({ state: "detached" });
    expect(await page.getByText("There are no runs yet.").isVisible()).toBe(true);
  });

  it("explain an empty folder, a missing token and a stopped program", async () => {
    const web = await startProject(temporaryFolder());
    const { page: stranger } = await open(web.origin);
    await stranger.getByText("This page does not belong to the running program").waitFor();
    await expectAccessible(stranger);

    const { page } = await open(web.address);
    await page.getByText("This folder has no migrate.yaml").waitFor();
    expect(await page.getByRole("button", { name: "Start a push" }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.goto(`${web.origin}/problems`);
    await page.getByRole("alert").getByText("no contract was given").waitFor();

    await web.stop();
    await page.getByText("The program is no longer running").first().waitFor();
    await expectAccessible(page);
  });
});

/** Moves the focus to an element, and presses Enter, as a user without a mouse does. */
async function press(page: Page, role: "button" | "link", name: string | RegExp): Promise<void> {
  const element = page.getByRole(role, { name }).last();
  await element.waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press("Tab");
      return element.and(page.locator(":focus")).count();
    })
    .toBe(1);
  await page.keyboard.press("Enter");
}

/** Expects no accessibility violations in light, dark and narrow pages. */
async function expectAccessible(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  expect(await axeViolations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await axeViolations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 768, height: 1000 });
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  await page.setViewportSize({ width, height });
}
