import { describe, expect, it } from "vitest";
import { logExit } from "../../../src/cli/process/process-exit.ts";
import { SecondSignal } from "../../../src/cli/process/interrupts.ts";
import type { Logger, LoggerOptions } from "../../../src/cli/process/logger.ts";
import { createLogger } from "../../../src/cli/process/logger.ts";
import { Failure } from "../../../src/model/failure.ts";

function listen(options: Partial<LoggerOptions> = {}): { readonly talk: Logger; readonly said: () => string } {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  const defaults = { quiet: false, verbose: false, logFormat: "text", write, now: () => Date.UTC(2026, 0, 2) } as const;
  return { talk: createLogger({ ...defaults, ...options }), said: () => said };
}

/** Escape sequences in seven and in eight bits, marks that turn the writing direction, ends of lines and of texts. */
const HOSTILE = "\u001b[2J\u009b31m\u202Egpj.exe\u2028\u0000\u007f\ufeff";

const FAILURE = new Failure("config", "no such setting", {
  hint: "mend it\nor not",
  place: { file: "m.yaml", line: 3 },
});

describe("talk", () => {
  it("says details only when asked to, and nothing but failures when told to be quiet", () => {
    for (const [options, expected] of [
      [{}, "notice\nlines\n"],
      [{ verbose: true }, "notice\ndetail\nlines\n"],
      [{ quiet: true, verbose: true }, ""],
    ] as const) {
      const { talk, said } = listen(options);
      talk.notice("notice");
      talk.detail("detail");
      talk.lines("lines\n");
      expect(said()).toBe(expected);
      logExit(FAILURE, talk);
      expect(said()).toBe(`${expected}migrate: no such setting\n  at m.yaml:3\n  mend it\n  or not\n`);
    }
  });

  it("is one JSON object a line when asked for JSON, whatever is said", () => {
    const { talk, said } = listen({ logFormat: "json", verbose: true });
    talk.notice("two\nlines");
    talk.detail("detail");
    talk.lines("summary\n\n  more\n");
    logExit(FAILURE, talk);
    logExit(new TypeError("oops"), talk);
    const lines = said().trimEnd().split("\n");
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { at: "2026-01-02T00:00:00.000Z", level: "notice", text: "two\nlines" },
      { at: "2026-01-02T00:00:00.000Z", level: "detail", text: "detail" },
      { at: "2026-01-02T00:00:00.000Z", level: "summary", text: "summary" },
      { at: "2026-01-02T00:00:00.000Z", level: "summary", text: "  more" },
      {
        at: "2026-01-02T00:00:00.000Z",
        level: "failure",
        text: "no such setting",
        code: "config",
        place: "m.yaml:3",
        hint: "mend it\nor not",
      },
      expect.objectContaining({ level: "failure", code: "bug", hint: expect.stringContaining("TypeError: oops") }),
    ]);
  });

  it("lets nothing through that would move a terminal's cursor", () => {
    const { talk, said } = listen();
    talk.notice("\u001b[2Jgone");
    expect(said()).toBe("\\u001b[2Jgone\n");

    const json = listen({ logFormat: "json" });
    logExit(new Failure("config", `${HOSTILE} here`, { hint: HOSTILE, place: { file: HOSTILE, line: 1 } }), json.talk);
    json.talk.notice(HOSTILE);
    json.talk.lines(HOSTILE);
    expect(json.said().replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(json.said().split("\n")[1] ?? "")).toMatchObject({ text: HOSTILE });
  });
});

describe("the end of the process", () => {
  it("has the exit code of what ended it", () => {
    const { talk } = listen();
    expect(logExit(FAILURE, talk)).toBe(2);
    expect(logExit(new SecondSignal("SIGINT"), talk)).toBe(130);
    expect(logExit(new SecondSignal("SIGTERM"), talk)).toBe(143);
    expect(logExit(new Error("bug"), talk)).toBe(70);
    expect(logExit("thrown text", talk)).toBe(70);
  });

  it("shows the stack of a bug, and no value that its message quotes", () => {
    const { talk, said } = listen();
    logExit(new SyntaxError(`Unexpected token in "Amina Hughes, 07700900123"... is not valid JSON`), talk);
    logExit("Amina thrown", talk);
    expect(said()).toMatch(/SyntaxError: Unexpected token in "Aa\{4} .*"\.\.\. is not valid JSON/);
    expect(said()).toContain("talk.test.ts");
    expect(said()).not.toMatch(/Amina|Hughes|07700/);
  });
});
