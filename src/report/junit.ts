import { formatPlace } from "../model/place.ts";
import { type Outcome, STATUSES, type Status, type Summary } from "../model/outcome.ts";
import type { Problem } from "../model/problem.ts";
import { allOutcomes } from "./all-outcomes.ts";
import { plainText } from "./plain-text.ts";
import type { Report, Write } from "./report.ts";
import { countOf } from "./summary-json.ts";
import { wordsFor } from "./words.ts";

type Verdict = "failure" | "error" | "skipped";

/** How JUnit counts a status; the others pass. */
const VERDICTS: Readonly<Partial<Record<Status, Verdict>>> = {
  invalid: "failure",
  rejected: "failure",
  duplicate: "failure",
  ambiguous: "error",
  blocked: "error",
  pending: "skipped",
  skipped: "skipped",
};

/** One test case a record: what needs work fails, what is uncertain or stopped is an error, what was not sent is skipped. */
export async function junit(report: Report, write: Write): Promise<void> {
  const counts = suiteCounts(report.summary);
  const name = xml(report.title);
  await write(`<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${name}" ${counts}>\n`);
  await write(`<testsuite name="${name}" ${counts}>\n`);
  for await (const batch of allOutcomes(report)) {
    await write(batch.map((outcome) => testCase(outcome, report.showValues)).join(""));
  }
  await write("</testsuite>\n</testsuites>\n");
}

function suiteCounts(summary: Summary): string {
  const count = (verdict: Verdict): number =>
    countOf(
      summary,
      STATUSES.filter((status) => VERDICTS[status] === verdict),
    );
  return `tests="${summary.records}" failures="${count("failure")}" errors="${count("error")}" skipped="${count("skipped")}"`;
}

function testCase(outcome: Outcome, showValues: boolean): string {
  const { record, key, source, status, problems } = outcome;
  const name = xml(`record ${record}${key === undefined ? "" : ` ${key}`}`);
  const attributes = `classname="${xml(source.file)}" name="${name}" file="${xml(source.file)}" line="${source.line}"`;
  const verdict = VERDICTS[status];
  if (verdict === undefined && problems.length === 0) return `<testcase ${attributes}/>\n`;
  const lines = problems.map((problem) => xml(problemLine(problem, showValues))).join("\n");
  if (verdict === undefined) return `<testcase ${attributes}><system-out>${lines}</system-out></testcase>\n`;
  const reason = `message="${xml(messageOf(outcome))}"`;
  if (verdict === "skipped") return `<testcase ${attributes}><skipped ${reason}/></testcase>\n`;
  return `<testcase ${attributes}><${verdict} type="${status}" ${reason}>${lines}</${verdict}></testcase>\n`;
}

function messageOf({ status, problems }: Outcome): string {
  const codes = new Set(problems.filter((problem) => problem.severity === "error").map((problem) => problem.code));
  return codes.size === 0 ? status : `${status}: ${[...codes].join(", ")}`;
}

function problemLine(problem: Problem, showValues: boolean): string {
  const { attr, code, severity, place, value } = problem;
  const where = place === undefined ? "" : ` (${formatPlace(place)})`;
  const what = showValues && value !== undefined ? ` [${value}]` : "";
  return `${severity} ${code} at ${attr}: ${wordsFor(problem)}${what}${where}`;
}

/** Text for an element or an attribute: what XML 1.0 cannot hold is made visible, the rest escaped. */
function xml(text: string): string {
  return plainText(text, LONGEST_TEXT).replace(/[<>&"']/g, (character) => ENTITIES[character] ?? "");
}

const LONGEST_TEXT = 2000;
const ENTITIES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};
