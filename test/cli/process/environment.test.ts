import { describe, expect, it } from "vitest";
import { environmentNotices } from "../../../src/cli/process/environment.ts";

describe("the environment of a push", () => {
  it("is refused if it disables certificate checks", () => {
    const unsafe = { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" }, execArgv: [] };
    expect(() => environmentNotices(unsafe)).toThrow(expect.objectContaining({ code: "config", exitCode: 2 }));
  });

  it.each([
    [{ NODE_DEBUG: "http" }, [], /NODE_DEBUG/],
    [{ SSLKEYLOGFILE: "/tmp/keys" }, [], /TLS keys/],
    [{}, ["--tls-keylog=/tmp/keys"], /TLS keys/],
    [{ NODE_OPTIONS: "--inspect-brk" }, [], /debugger/],
    [{}, ["--inspect"], /debugger/],
  ])("causes a notice for the variables %j and the Node.js options %j", (env, execArgv, notice) => {
    expect(environmentNotices({ env, execArgv })).toEqual([expect.stringMatching(notice)]);
  });

  it("causes no notice if it contains no risky setting", () => {
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "1", NODE_OPTIONS: "--max-old-space-size=512" };
    expect(environmentNotices({ env, execArgv: [] })).toEqual([]);
  });
});
