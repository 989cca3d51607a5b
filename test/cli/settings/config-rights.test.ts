import { chmodSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { refuseWritableByOthers } from "../../../src/cli/settings/config-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

it("a configuration file is refused if any user can change it, and accepted if any user can read it", async () => {
  const file = path.join(temporaryFolder({ "migrate.yaml": "supplier: A\n" }), "migrate.yaml");
  chmodSync(file, 0o644);
  await expect(refuseWritableByOthers(file)).resolves.toBeUndefined();
  chmodSync(file, 0o646);
  await expect(refuseWritableByOthers(file)).rejects.toMatchObject({
    code: "config",
    hint: expect.stringContaining("chmod o-w"),
  });
  await expect(refuseWritableByOthers(undefined)).resolves.toBeUndefined();
});
