import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { projectFile, runCli } from "../e2e/cli.ts";
import { axeViolations } from "../report/page/pages.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { describeWebPages, startWeb } from "./web-scene.ts";

/** Copies the worked example of docs/mapping.md without its agreements. Returns the folder. */
function withoutAgreements(): string {
  const folder = temporaryFolder();
  cpSync(projectFile("fixtures/map/worked-example"), folder, { recursive: true });
  const file = path.join(folder, "mapping.yaml");
  const text = readFileSync(file, "utf8")
    .replace(/ {2}agreements: .*\n/, "")
    .replace(/ {10}agreements:\n[\s\S]*$/, "");
  writeFileSync(file, `# for the trial\n${text}`);
  const contract = projectFile("fixtures/contract/contract.yaml");
  writeFileSync(
    path.join(folder, "migrate.yaml"),
    `contract: ${contract}\nmapping: mapping.yaml\nsupplier: OLDCO-2024\n`,
  );
  return folder;
}

describeWebPages("the page for sources and parts of the mapping", (open) => {
  it("adds a file as a source and as the items of a list, and a part with a condition", async () => {
    const folder = withoutAgreements();
    const web = await startWeb(folder);
    const { page, complaints } = await open(web.address.replace("/#", "/mapping#"));
    await page.waitForSelector("[role=treeitem]");
    await page.focus(".new-source summary");
    await page.keyboard.press("Enter");
    const added = page.locator(".new-source");
    await added.getByLabel("File").selectOption("agreements.csv");
    await added.getByText("The selected columns are the best match").waitFor();
    expect(await added.getByLabel("Parent").inputValue()).toBe("meters");
    expect(await axeViolations(page)).toEqual([]);
    await added.getByRole("button", { name: "Add this source" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "agreements", exact: true }).waitFor();
    expect(await page.locator(".notice.error").count()).toBe(0);

    const item = (name: string) => page.locator(`[role=treeitem]:has-text("${name}")`).first();
    const side = page.locator(".side");
    await page.fill("input[type=search]", "agreements");
    await item("agreements").click();
    await side.getByLabel("Items: one for each row of").first().selectOption("agreements");
    await page.getByText("has an item for each row of agreements").waitFor({ state: "attached" });
    await page.fill("input[type=search]", "tariff_code");
    await item("tariff_code").click();
    await side.getByRole("button", { name: "TARIFF" }).first().click();
    await page.getByText("TARIFF fills").waitFor({ state: "attached" });

    await page.fill("input[type=search]", "meter_points");
    await page.locator('[role=treeitem]:has-text("meter_points")').first().click();
    await side.getByText("Add items from other rows").focus();
    await page.keyboard.press("Enter");
    await side.locator("details").getByLabel("Items: one for each row of").selectOption("meters");
    await side.locator("details").getByLabel("Only rows where").selectOption("FUEL");
    await side.locator("details").getByLabel("is one of").fill("G");
    expect(await axeViolations(page)).toEqual([]);
    await side.getByRole("button", { name: "Add a part" }).focus();
    await page.keyboard.press("Enter");
    await item("part 2").click();
    await side.getByRole("button", { name: "Remove this part" }).waitFor();
    expect(await side.getByLabel("is one of").inputValue()).toBe("G");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 768, height: 1000 });
    expect(await axeViolations(page)).toEqual([]);
    await side.getByRole("button", { name: "Remove this part" }).click();
    await page.getByText("part 2 was removed").waitFor({ state: "attached" });

    await page.click("text=Save");
    await page.waitForSelector("text=All changes are saved.");
    const saved = readFileSync(path.join(folder, "mapping.yaml"), "utf8");
    expect(saved).toMatch(/^# for the trial\n/);
    expect(saved).toContain("agreements: { files: agreements.csv, parent: meters, on: MPAN }");
    expect(saved).toMatch(/each: agreements\n +item: { tariff_code: TARIFF }/);
    const previewed = await runCli(["preview", "--format", "json", "--show-values"], { cwd: folder });
    expect(previewed.stdout).toContain("VAR-22");
    expect(complaints).toEqual([]);
    await web.stop();
  });
});
