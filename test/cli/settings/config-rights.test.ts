import { chmodSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { refuseWritableByOthers } from "../../../src/cli/settings/config-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

it("a configuration file that any user can change is refused, one that any user can read is accepted", async () => {
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
