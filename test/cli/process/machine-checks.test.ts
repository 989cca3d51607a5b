import { describe, expect, it } from "vitest";
import { environmentCheck, nodeCheck } from "../../../src/cli/process/machine-checks.ts";

const REQUIRED = "^20.19.0 || >=22.12.0";

describe("the version of Node.js", () => {
  it.each([
    ["20.19.0", "warning"],
    ["20.20.2", "warning"],
    ["22.12.0", "ok"],
    ["24.0.0", "ok"],
    ["26.1.3", "ok"],
  ])("%s has the status %s", (version, status) => {
    expect(nodeCheck(version, REQUIRED)).toMatchObject({ status, exitCode: 0 });
  });

  it.each(["18.20.0", "20.18.3", "21.7.0", "22.11.9"])(
    "%s is refused, and the message names the required version",
    (version) => {
      expect(nodeCheck(version, REQUIRED)).toMatchObject({
        status: "failed",
        exitCode: 2,
        text: expect.stringContaining(REQUIRED),
      });
    },
  );
});

describe("the environment check", () => {
  it("passes if every variable is read by a command", () => {
    const check = environmentCheck({ env: { MIGRATE_CA: "x", PATH: "y" }, execArgv: [] }, ["MIGRATE_CA"]);
    expect(check.status).toBe("ok");
  });

  it("suggests no variable that is similar only because of the common prefix", () => {
    const check = environmentCheck({ env: { MIGRATE_QUIET: "1" }, execArgv: [] }, ["MIGRATE_OUT"]);
    expect(check.text).toBe("MIGRATE_QUIET is set, but no command reads it");
  });

  it("warns of an unknown variable, even if no known variable has a similar name", () => {
    const check = environmentCheck({ env: { MIGRATE_ZZZZZZZZ: "x" }, execArgv: [] }, ["MIGRATE_CA"]);
    expect(check).toMatchObject({ status: "warning", text: "MIGRATE_ZZZZZZZZ is set, but no command reads it" });
  });
});
