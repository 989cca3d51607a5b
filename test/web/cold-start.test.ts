import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { projectFile, runCli } from "../e2e/cli.ts";
import { useSandbox } from "../e2e/push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

const ACCOUNTS = ["01", "02", "04", "05", "06", "07", "08", "09", "11", "12", "13", "14", "56"].map(
  (end) => `000100${end}`,
);

/** Writes extracts with three errors: an unknown account type, an invalid postcode, and a date that does not exist. */
function extracts(): string {
  const folder = temporaryFolder();
  for (const name of ["accounts.csv", "customers.csv", "meter_points.csv"]) {
    const [header = "", ...rows] = readFileSync(projectFile("fixtures/demo", name), "utf8").split("\n");
    const own = rows.filter((row) => ACCOUNTS.some((account) => row.includes(`,${account},`)));
    writeFileSync(path.join(folder, name), [header, ...own, ""].join("\n").replace("EX4 4QJ", "unknown"));
  }
  cpSync(projectFile("fixtures/contract/contract.yaml"), path.join(folder, "contract.yaml"));
  return folder;
}

describeWebPages("a migration in the browser only", (open) => {
  const { sandbox, admin } = useSandbox();

  it("maps three extracts, corrects their errors and pushes every record", async () => {
    const folder = extracts();
    const { baseUrl, ca } = sandbox.ready;
    const { MIGRATE_API_KEY } = sandbox.env;
    const web = await startWeb(folder, ["--base-url", baseUrl, "--ca", ca], { env: { MIGRATE_API_KEY } });
    onTestFinished(() => web.stop());
    const { page, complaints } = await open(web.address);
    const click = (name: string): Promise<void> => page.getByRole("button", { name }).first().click();
    const goTo = (name: string): Promise<void> => page.getByRole("link", { name, exact: true }).first().click();

    await goTo("Mapping");
    await page.waitForSelector("option[value=import-account]", { state: "attached" });
    await page.getByLabel("Import supplier code").fill("SANDBOX");
    await click("Guess a mapping");
    await click("Next open field");
    await page.waitForSelector("#field-title:has-text('registers.*.identifier')");
    await page.locator(".side .field input").first().fill("1");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.textContent(".toolbar .valid")).toBe("10 of 13 records are valid.");
    await click("Save");
    await page.getByText("All changes are saved.").waitFor();

    await goTo("Fix");
    await page.getByText("3 records need work").first().waitFor();
    const values = { "Billing postcode is not valid": "EX4 4QJ", "Date of birth is not valid": "28/02/1994" };
    for (const [index, [cause, value]] of Object.entries(values).entries()) {
      await page.locator(".fix-causes").getByRole("button", { name: cause }).click();
      await page.locator(".fix-grid .slick-cell.active.faulty").click();
      await page.keyboard.type(value);
      await page.keyboard.press("Enter");
      await page
        .getByText(index === 0 ? "2 records need work" : "1 record needs work")
        .first()
        .waitFor();
    }
    await page.locator(".fix-causes").getByRole("button", { name: "Account type" }).click();
    await page.getByLabel("Possible values").getByRole("button").first().click();
    await page.getByText("0 records need work").first().waitFor();

    await goTo("Overview");
    await click("Start a push");
    await page.getByRole("dialog", { name: "Send 13 records?" }).getByRole("button", { name: "Send" }).click();
    await page.getByRole("heading", { name: "13 of 13 records are on the platform" }).waitFor();

    expect(await admin.imports()).toHaveLength(13);
    expect(complaints).toEqual([]);
    expect(existsSync(path.join(folder, "corrections.csv"))).toBe(true);
    expect((await runCli(["validate"], { cwd: folder })).code).toBe(0);
  });
});
