import { describe, expect, it } from "vitest";
import { logExit } from "../../../src/cli/process/process-exit.ts";
import { SecondSignal } from "../../../src/cli/process/interrupts.ts";
import { createLogger, type Logger, type LoggerOptions } from "../../../src/cli/process/logger.ts";
import { Failure } from "../../../src/model/failure.ts";

function listen(options: Partial<LoggerOptions> = {}): { readonly logger: Logger; readonly written: () => string } {
  let text = "";
  const write = (piece: string): void => {
    text += piece;
  };
  const defaults = { quiet: false, verbose: false, logFormat: "text", write, now: () => Date.UTC(2026, 0, 2) } as const;
  return { logger: createLogger({ ...defaults, ...options }), written: () => text };
}

/** A 7-bit and an 8-bit escape sequence, a direction mark, a line separator, NUL, DEL and a byte order mark. */
const HOSTILE = "\u001b[2J\u009b31m\u202Egpj.exe\u2028\u0000\u007f\ufeff";

const FAILURE = new Failure("config", "no such setting", {
  hint: "mend it\nor not",
  place: { file: "m.yaml", line: 3 },
});

describe("the logger", () => {
  it("writes details only with --verbose, and only failures with --quiet", () => {
    for (const [options, expected] of [
      [{}, "notice\nlines\n"],
      [{ verbose: true }, "notice\ndetail\nlines\n"],
      [{ quiet: true, verbose: true }, ""],
    ] as const) {
      const { logger, written } = listen(options);
      logger.notice("notice");
      logger.detail("detail");
      logger.lines("lines\n", "notice", {});
      expect(written()).toBe(expected);
      logExit(FAILURE, logger);
      expect(written()).toBe(`${expected}migrate: no such setting\n  at m.yaml:3\n  mend it\n  or not\n`);
    }
  });

  it("writes a line break in a file name as an escape, so that the name cannot forge a message", () => {
    const { logger, written } = listen();
    logExit(new Failure("config", "a\nmigrate: 900 accepted: no column\n  b.csv:1", { hint: "x\nmigrate: y" }), logger);
    expect(written()).toBe("migrate: a\\u000amigrate: 900 accepted: no column\n  b.csv:1\n  x\n  migrate: y\n");
  });

  it("writes alerts even with --quiet", () => {
    const { logger, written } = listen({ quiet: true });
    logger.notice("replies are in a file", "alert");
    expect(written()).toBe("replies are in a file\n");
  });

  it("writes one JSON object per line with --log-format json for any message", () => {
    const { logger, written } = listen({ logFormat: "json", verbose: true });
    logger.notice("two\nlines");
    logger.detail("detail");
    logger.lines("summary\n\n  more\n", "report", { title: "push", records: 2, counts: { accepted: 2 } });
    logExit(FAILURE, logger);
    logExit(new TypeError("oops"), logger);
    const lines = written().trimEnd().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { time: "2026-01-02T00:00:00.000Z", level: "info", event: "notice", message: "two\nlines" },
      { time: "2026-01-02T00:00:00.000Z", level: "debug", event: "detail", message: "detail" },
      {
        time: "2026-01-02T00:00:00.000Z",
        level: "info",
        event: "report",
        title: "push",
        records: 2,
        counts: { accepted: 2 },
      },
      {
        time: "2026-01-02T00:00:00.000Z",
        level: "error",
        event: "failure",
        message: "no such setting",
        code: "config",
        place: "m.yaml:3",
        hint: "mend it\nor not",
      },
      expect.objectContaining({ event: "failure", code: "bug", hint: expect.stringContaining("TypeError: oops") }),
    ]);
  });

  it("escapes everything that could move a terminal's cursor", () => {
    const { logger, written } = listen();
    logger.notice("\u001b[2Jgone");
    expect(written()).toBe("\\u001b[2Jgone\n");

    const json = listen({ logFormat: "json" });
    logExit(
      new Failure("config", `${HOSTILE} here`, { hint: HOSTILE, place: { file: HOSTILE, line: 1 } }),
      json.logger,
    );
    json.logger.notice(HOSTILE);
    json.logger.lines(HOSTILE, "report", { title: HOSTILE });
    expect(json.written().replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(json.written().split("\n")[1] ?? "")).toMatchObject({ message: HOSTILE });
  });
});

describe("a process that ends with an error", () => {
  it("has the exit code of the error", () => {
    const { logger } = listen();
    expect(logExit(FAILURE, logger)).toBe(2);
    expect(logExit(new SecondSignal("SIGINT"), logger)).toBe(130);
    expect(logExit(new SecondSignal("SIGTERM"), logger)).toBe(143);
    expect(logExit(new Error("bug"), logger)).toBe(70);
    expect(logExit("thrown text", logger)).toBe(70);
  });

  it("shows the stack of a bug, without the values that its message quotes", () => {
    const { logger, written } = listen();
    logExit(new SyntaxError(`Unexpected token in "Amina Hughes, 07700900123"... is not valid JSON`), logger);
    logExit("Amina thrown", logger);
    expect(written()).toMatch(/SyntaxError: Unexpected token in "Aa\{4} .*"\.\.\. is not valid JSON/);
    expect(written()).toContain("logger.test.ts");
    expect(written()).not.toMatch(/Amina|Hughes|07700/);
  });
});
