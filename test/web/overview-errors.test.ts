import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { useSandbox } from "../e2e/push-scene.ts";
import { expectAccessible } from "../report/page/pages.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { demoProject, describeWebPages, startWithSandbox } from "./web-scene.ts";

describeWebPages("the Overview and Problems pages", (open) => {
  const { sandbox } = useSandbox();

  it("name the errors in the files, and show the page once the files are repaired", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    const web = await startWithSandbox(folder, sandbox);
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
    const web = await startWithSandbox(folder, sandbox);
    const { page } = await open(web.address);
    const config = path.join(folder, "migrate.yaml");
    const good = readFileSync(config, "utf8");
    await page.getByText("There are no runs yet.").waitFor();
    await page.route("**/api/overview/live", () => undefined);
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

  it("say that the ledger is being read (the Overview page used to stay empty)", async () => {
    const web = await startWithSandbox(demoProject({ sandbox: sandbox.ready }), sandbox);
    const { page } = await open(web.address);
    await page.getByText("There are no runs yet.").waitFor();
    await page.route("**/api/overview", () => undefined);
    await page.reload();
    await page.getByText("Reading the ledger…").waitFor();
    await page.unroute("**/api/overview");
    await page.reload();
    await page.getByText("There are no runs yet.").waitFor();
    expect(await page.isVisible("text=Reading the ledger…")).toBe(false);
  });

  it("explain an empty folder, a missing token and a stopped program", async () => {
    const web = await startWithSandbox(temporaryFolder(), sandbox);
    const { page: stranger } = await open(web.origin);
    await stranger.getByText("This page has no valid session").waitFor();
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
