import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { startWeb } from "./web-scene.ts";

it("migrate web writes only its address to stdout, even with --quiet", async () => {
  const { address, cli, stop } = await startWeb(temporaryFolder(), ["--quiet"]);
  await stop();
  expect(await cli.ended).toMatchObject({ code: 0, stdout: `${address}\n`, stderr: "" });
});
