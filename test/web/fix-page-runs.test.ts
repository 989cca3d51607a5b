import { expect, it } from "vitest";
import { runCli } from "../e2e/cli.ts";
import { useSandbox } from "../e2e/push-scene.ts";
import { fixAddress } from "./fix-page-scene.ts";
import { demoProject, describeWebPages, startWithSandbox } from "./web-scene.ts";

describeWebPages("the Fix page after a push", (open) => {
  const { sandbox } = useSandbox();

  it("says that a run has ended since the check (it used to say that no rejections remain)", async () => {
    const folder = demoProject({ sandbox: sandbox.ready });
    const { MIGRATE_API_KEY } = sandbox.env;
    const only = ["--only", "00010003,00010010"];
    const web = await startWithSandbox(folder, sandbox, only);
    const { page, complaints } = await open(fixAddress(web));
    await page.getByText("no rejections by the platform remain").waitFor();

    await runCli(["push", ...only], { cwd: folder, env: { MIGRATE_API_KEY } });
    await page.getByText("A run has started or ended since the check").waitFor();
    expect(await page.isVisible("text=no rejections by the platform remain")).toBe(false);
    await page.goto(`${web.origin}/problems`);
    await page.getByText("Correct these cells").first().click();
    await page.getByText("A run has started or ended since the check").waitFor();
    expect(await page.isVisible("text=No row here has the chosen cause")).toBe(false);

    await page.getByRole("button", { name: "Check again" }).click();
    await page.getByText(/records? needs? work/).waitFor();
    expect(await page.isVisible("text=A run has started or ended")).toBe(false);
    expect(complaints).toEqual([]);
  });
});
