import { expect, it } from "vitest";
import { axeViolations } from "../report/page/pages.ts";
import { demoProject, describeWebPages, startWeb } from "./web-scene.ts";

describeWebPages("the overview", (open) => {
  it("opens with the token of its address, and removes the token from the address", async () => {
    const web = await startWeb(demoProject());
    const { page, complaints, foreign } = await open(web.address);
    await page.waitForSelector("h1");
    expect(await page.textContent("h1")).toBe("Overview");
    expect(page.url()).toBe(`${web.origin}/`);
    expect(await page.evaluate("document.cookie")).toBe("");
    expect(await axeViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([]);
    await web.stop();
  });
});
