import { appendFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../e2e/cli.ts";
import { useSandbox } from "../e2e/push-scene.ts";
import { expectAccessible } from "../report/page/pages.ts";
import { demoProject, describeWebPages, startWithSandbox } from "./web-scene.ts";

describeWebPages("the Overview page", (open) => {
  const { sandbox, admin } = useSandbox();

  it("shows the progress and the latest errors of another process's push in two tabs", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    const web = await startWithSandbox(folder, sandbox);
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

  it("is shown in any number of tabs (the seventh tab used to stay empty)", async () => {
    const web = await startWithSandbox(demoProject({ sandbox: sandbox.ready }), sandbox);
    const { page } = await open(web.address);
    await page.getByText("There are no runs yet.").waitFor();
    for (let tabs = 2; tabs <= 8; tabs += 1) {
      const tab = await page.context().newPage();
      await tab.goto(web.origin);
      await tab.getByText("There are no runs yet.").waitFor();
      expect(await tab.getByRole("alert").count()).toBe(0);
    }
  });

  it("asks for the supplier's code before sending to production", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    appendFileSync(path.join(folder, "migrate.yaml"), "    environment: production\n");
    const web = await startWithSandbox(folder, sandbox, ["--limit", "20"]);
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
});
