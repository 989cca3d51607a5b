import { expect, test } from "vitest";
import { SecondSignal } from "../../../src/cli/process/interrupts.ts";
import { logExit } from "../../../src/cli/process/process-exit.ts";
import type { Logger } from "../../../src/cli/process/logger.ts";

test.each(["EMFILE", "ENFILE"])(
  "%s is reported as a failure with exit code 6, not as a bug, and the hint names the limit to raise",
  (code) => {
    const written: object[] = [];
    const logger: Pick<Logger, "failure"> = { failure: (failure) => void written.push(failure) };
    const error = Object.assign(new Error("too many open files, open '/somewhere/module.js'"), { code });
    expect(logExit(error, logger)).toBe(6);
    expect(written).toEqual([
      {
        code: "storage",
        message: `the limit on open files is too low (${code})`,
        hint: "raise the limit (`ulimit -n 1024`), then run the same command again",
      },
    ]);
  },
);

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("a second %s ends the process silently with exit code %i", (signal, code) => {
  const logger: Pick<Logger, "failure"> = { failure: () => expect.unreachable() };
  expect(logExit(new SecondSignal(signal), logger)).toBe(code);
});
