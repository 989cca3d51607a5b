import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/ledger/records/run.ts";
import type { Outcome, Summary } from "../../src/model/outcome.ts";
import type { PlatformProblem } from "../../src/model/problem.ts";
import type { JobSettings } from "../../src/job/settings/job-settings.ts";
import {
  manualDecisions,
  mayResumeSettle,
  nextCommand,
  hasSettledNothing,
  type RunRemainder,
} from "../../src/pipeline/run/next-command.ts";
import { shellCommand } from "../../src/text/shell-command.ts";
import { PUSH_SETTINGS } from "../job/sample-job.ts";

const JOB: JobSettings = {
  folder: process.cwd(),
  config: "conf/my migrate.yaml",
  contract: ["c.yaml", "o.yaml"],
  operation: "import-thing",
  mapping: "m.yaml",
  sources: ["a.csv"],
  namedSources: {},
  supplier: "ACME",
  delimiter: ";",
  encoding: "latin1",
  limit: 3,
};

function remainderOf(more: {
  readonly run?: Partial<Run>;
  readonly summary?: Partial<Summary>;
  readonly rest?: Partial<RunRemainder>;
}): RunRemainder {
  return {
    run: {
      id: "20261120-2341-7f3a",
      command: "push",
      target: "t",
      supplier: "ACME",
      operation: "import-thing",
      endpoint: "POST t/data-import/things",
      settings: { ...PUSH_SETTINGS, job: JOB },
      dryRun: false,
      startedAt: "2026-11-20T23:41:07.000Z",
      state: "finished",
      ...more.run,
    },
    settings: JOB,
    summary: { records: 3, counts: { accepted: 3 }, errors: {}, warnings: {}, exitCode: 0, ...more.summary },
    rejects: [],
    flags: [],
    ledger: "l.db",
    readsBack: true,
    comparesContent: false,
    settlesAmbiguous: false,
    ...more.rest,
  };
}

const RESUME = "migrate resume 20261120-2341-7f3a --ledger l.db";
const MEANT =
  "--config 'conf/my migrate.yaml' --contract c.yaml --contract o.yaml --operation import-thing --mapping m.yaml";
const READ = "--supplier ACME --delimiter ';' --encoding latin1";

const REFUSED: PlatformProblem = { by: "platform", attr: "a", severity: "error", code: "invalid", detail: "No." };

describe("the next command", () => {
  it("repairs a ledger that was lost while sending", () => {
    const left = remainderOf({ summary: { counts: { pending: 3 } }, rest: { isLedgerLost: true } });
    expect(nextCommand(left)).toBe("migrate ledger repair --ledger l.db");
  });

  it("is absent if every record succeeded", () => {
    expect(nextCommand(remainderOf({}))).toBeUndefined();
  });

  it.each([
    ["records are pending", { summary: { counts: { pending: 1 }, exitCode: 3 } }],
    ["records are blocked", { summary: { counts: { blocked: 1, rejected: 1 }, exitCode: 4 } }],
    ["reading was stopped", { run: { state: "planning" }, summary: { counts: { valid: 2 }, exitCode: 3 } }],
  ] as const)("resumes the run when %s", (_, more) => {
    expect(nextCommand(remainderOf(more))).toBe(RESUME);
  });

  it("is `resume` for ambiguous records that a resume may resolve, and `reconcile` for other ambiguous records", () => {
    const summary = { counts: { ambiguous: 1 }, exitCode: 5 };
    expect(nextCommand(remainderOf({ summary, rest: { settlesAmbiguous: true } }))).toBe(RESUME);
    expect(nextCommand(remainderOf({ summary }))).toBe(RESUME.replace("resume", "reconcile"));
    const dryRun = { dryRun: true };
    expect(nextCommand(remainderOf({ summary, run: dryRun }))).toBeUndefined();
  });

  it("is not `reconcile` if the contract does not say how to look up the ambiguous records", () => {
    const left = remainderOf({ summary: { counts: { ambiguous: 2 }, exitCode: 5 }, rest: { readsBack: false } });
    expect(nextCommand(left)).toBeUndefined();
    expect(manualDecisions(left)).toContain("`migrate reconcile 20261120-2341-7f3a --accept <key>`");
    expect(manualDecisions({ ...left, readsBack: true })).toBeUndefined();
    expect(manualDecisions({ ...left, settlesAmbiguous: true })).toBeUndefined();
    expect(manualDecisions({ ...left, run: { ...left.run, dryRun: true } })).toBeUndefined();
  });

  it.each([
    [true, { accepted: 1, ambiguous: 2 }, { accepted: 1, ambiguous: 2 }],
    [false, { ambiguous: 2 }, { ambiguous: 1, accepted: 1 }],
    [false, { pending: 2, ambiguous: 1 }, { pending: 1, ambiguous: 1, rejected: 1 }],
    [false, { blocked: 1 }, { accepted: 1 }],
  ])("recognises a resume without progress: %s for %o before and %o after", (hasNoProgress, before, after) => {
    expect(hasSettledNothing(before, after)).toBe(hasNoProgress);
  });

  it.each<[may: boolean, what: string, outcome: Partial<Outcome>]>([
    [true, "ambiguous without a reply", {}],
    [true, "ambiguous with a local warning", { problems: [{ ...REFUSED, by: "local", code: "source_stray_quote" }] }],
    [false, "ambiguous after a refused repeat", { problems: [REFUSED] }],
    [false, "rejected", { status: "rejected" }],
  ])("depends on whether a resume may resolve the record: %s if it is %s", (may, _, more) => {
    const outcome: Outcome = {
      record: 1,
      source: { file: "a.csv", line: 2 },
      status: "ambiguous",
      problems: [],
      ...more,
    };
    expect(mayResumeSettle(outcome, { steps: [], dedupesByKey: true })).toBe(may);
    expect(mayResumeSettle(outcome, { steps: [], dedupesByKey: false })).toBe(false);
  });

  it("is absent for a dry run, which sends no records", () => {
    expect(nextCommand(remainderOf({ run: { dryRun: true }, summary: { counts: { pending: 2 } } }))).toBeUndefined();
  });

  it("is absent if too many records were invalid, because reading the input again would have the same result", () => {
    const rejects = [{ source: undefined, path: "out/rejects.csv" }];
    for (const counts of [{ invalid: 2 }, { invalid: 2, pending: 1 }]) {
      const more = { run: { state: "planning" }, summary: { counts, exitCode: 1 }, rest: { rejects } } as const;
      expect(nextCommand(remainderOf(more))).toBeUndefined();
    }
  });

  it("is absent after invalid usage or input, because a resumed run would end in the same way", () => {
    const rejects = [{ source: undefined, path: "out/rejects.csv" }];
    for (const state of ["planning", "finished"] as const) {
      const summary = { counts: { invalid: 1, pending: 2, ambiguous: 1, rejected: 1 }, exitCode: 2 };
      expect(nextCommand(remainderOf({ run: { state }, summary, rest: { rejects } }))).toBeUndefined();
    }
  });

  it("resumes a run that ended while sending, for example because the proxy refused the password", () => {
    const summary = { counts: { accepted: 1, pending: 2 }, exitCode: 2 };
    expect(nextCommand(remainderOf({ run: { state: "finished" }, summary }))).toContain("migrate resume");
  });

  it.each([
    ["resume", { summary: { counts: { pending: 1 } } }],
    ["reconcile", { summary: { counts: { ambiguous: 1 } } }],
    ["ledger repair", { rest: { isLedgerLost: true } }],
  ])("omits the default ledger from `%s`", (command, { summary, rest = {} }: Parameters<typeof remainderOf>[0]) => {
    const next = nextCommand(
      remainderOf({ ...(summary && { summary }), rest: { ...rest, ledger: ".migrate/ledger.db" } }),
    );
    expect(next).toMatch(new RegExp(`^migrate ${command}`));
    expect(next).not.toContain("--ledger");
  });

  it("re-imports rejects, and takes the other settings from the recorded run", () => {
    const rejects = [
      { source: "a", path: "out/rejects.csv" },
      { source: "b", path: "out/rejects.b.csv" },
    ];
    expect(nextCommand(remainderOf({ rest: { rejects } }))).toBe(
      "migrate push --rejects out --config 'conf/my migrate.yaml' --ledger l.db",
    );
    const { config: _, ...settings } = JOB;
    expect(nextCommand(remainderOf({ rest: { rejects, settings, ledger: ".migrate/ledger.db" } }))).toBe(
      "migrate push --rejects out",
    );
    const run = { command: "validate", settings: {} } as const;
    expect(nextCommand(remainderOf({ run, rest: { rejects, settings, ledger: undefined } }))).toBe(
      "migrate validate --rejects out",
    );
  });

  it("names the target if no ledger stores it", () => {
    const rest = { rejects: [{ source: undefined, path: "out/rejects.csv" }], flags: ["--remote-validate"] };
    const { config: _, ...settings } = JOB;
    expect(nextCommand(remainderOf({ rest: { ...rest, settings, ledger: undefined } }))).toBe(
      "migrate push --rejects out --target t --remote-validate",
    );
  });

  it("names the sources and flags of a document check", () => {
    const run = { command: "documents check", settings: {} } as const;
    const rejects = [{ source: "a", path: "out/rejects.csv" }];
    expect(nextCommand(remainderOf({ run, rest: { rejects, ledger: undefined } }))).toBe(
      `migrate documents check --source a=out/rejects.csv ${MEANT} ${READ}`,
    );
  });
});

describe("a shell line", () => {
  it("preserves any words", () => {
    const word = fc.string({
      unit: fc.constantFrom(...Array.from("aZ0 '\"\\$`!*?~#;&|<>(){}[]=%-\n\té")),
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const printed = execFileSync("sh", ["-c", `printf '%s\\0' ${shellCommand(words)}`], { encoding: "utf8" });
        expect(printed.split("\0").slice(0, -1)).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });

  it("quotes only words that need quotes", () => {
    expect(shellCommand(["migrate", "push", "a/b-1.csv", "--rps", "5%"])).toBe("migrate push a/b-1.csv --rps 5%");
  });
});
