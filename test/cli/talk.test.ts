import { describe, expect, it } from "vitest";
import { sayEnd } from "../../src/cli/end-of-process.ts";
import { SecondSignal } from "../../src/cli/interrupts.ts";
import type { Talk, TalkOptions } from "../../src/cli/talk.ts";
import { createTalk } from "../../src/cli/talk.ts";
import { Failure } from "../../src/model/failure.ts";

function listen(options: Partial<TalkOptions> = {}): { readonly talk: Talk; readonly said: () => string } {
  let said = "";
  const write = (text: string): void => {
    said += text;
  };
  const defaults = { quiet: false, verbose: false, logFormat: "text", write, now: () => Date.UTC(2026, 0, 2) } as const;
  return { talk: createTalk({ ...defaults, ...options }), said: () => said };
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
      sayEnd(FAILURE, talk);
      expect(said()).toBe(`${expected}migrate: no such setting\n  at m.yaml:3\n  mend it\n  or not\n`);
    }
  });

  it("is one JSON object a line when asked for JSON, whatever is said", () => {
    const { talk, said } = listen({ logFormat: "json", verbose: true });
    talk.notice("two\nlines");
    talk.detail("detail");
    talk.lines("summary\n\n  more\n");
    sayEnd(FAILURE, talk);
    sayEnd(new TypeError("oops"), talk);
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
    sayEnd(new Failure("config", `${HOSTILE} here`, { hint: HOSTILE, place: { file: HOSTILE, line: 1 } }), json.talk);
    json.talk.notice(HOSTILE);
    json.talk.lines(HOSTILE);
    expect(json.said().replaceAll("\n", "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(json.said().split("\n")[1] ?? "")).toMatchObject({ text: HOSTILE });
  });
});

describe("the end of the process", () => {
  it("has the exit code of what ended it", () => {
    const { talk } = listen();
    expect(sayEnd(FAILURE, talk)).toBe(2);
    expect(sayEnd(new SecondSignal("SIGINT"), talk)).toBe(130);
    expect(sayEnd(new SecondSignal("SIGTERM"), talk)).toBe(143);
    expect(sayEnd(new Error("bug"), talk)).toBe(70);
    expect(sayEnd("thrown text", talk)).toBe(70);
  });

  it("shows the stack of a bug, and no value that its message quotes", () => {
    const { talk, said } = listen();
    sayEnd(new SyntaxError(`Unexpected token in "Amina Hughes, 07700900123"... is not valid JSON`), talk);
    sayEnd("Amina thrown", talk);
    expect(said()).toMatch(/SyntaxError: Unexpected token in "Aa\{4} .*"\.\.\. is not valid JSON/);
    expect(said()).toContain("talk.test.ts");
    expect(said()).not.toMatch(/Amina|Hughes|07700/);
  });
});
