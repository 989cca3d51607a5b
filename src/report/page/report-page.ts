import { factsList } from "./facts-list.ts";
import type { Severity } from "../../model/problem.ts";
import { counted, formatCount, plural } from "../../text/count.ts";
import { readPageFiles } from "../page-files.ts";
import type { Report, RunFacts, Write } from "../report.ts";
import { causesChart, causesSection } from "./causes-section.ts";
import type { CauseCollector, PageCause } from "./collect-rows.ts";
import { headline } from "./headline.ts";
import { dataElement, html, type Html } from "./html.ts";
import type { PageData } from "./page-data.ts";
import { pageFrame } from "./page-frame.ts";
import { recordsSection } from "./records-section.ts";
import { moment, timelineSection } from "./timeline-section.ts";

/** Maximum number of cards. The page only counts further causes. */
const MAX_CARDS = 100;

/**
 * Writes `report.html` (docs/errors.md, "HTML report"), with the causes collected from all outcomes. The size of its
 * content is bounded, for any input.
 */
export async function writeReportPage(report: Report, collector: CauseCollector, write: Write): Promise<void> {
  const frame = pageFrame(report.title, await readPageFiles({ script: true }));
  const causes = collector.causes();
  const shown = causes.slice(0, MAX_CARDS);
  const { timeline } = report.run ?? {};
  const pieces = [
    frame.start,
    header(report),
    html`<main id="content">
      ${lead(report, causes)} ${report.summary.records > 0 ? recordsSection(report.summary) : undefined}
      ${causesChart(shown)} ${causesSection(shown, leftOut(causes.slice(MAX_CARDS), collector.others()))}
      ${timeline && timelineSection(timeline)}
    </main>`,
    footer(report),
    dataElement("data", pageData(report, shown)),
    frame.end,
  ];
  for (const { markup } of pieces) await write(markup);
}

function header(report: Report): Html {
  const { title, run, showValues } = report;
  return html`<a class="skip" href="#content">Skip to the content</a>
    <header>
      <p class="kicker">${kickerOf(run)} · <span>${title}</span></p>
      <h1>${headline(report)}</h1>
      ${ownerSection(report)} ${run === undefined ? undefined : facts(run)}${showValues ? SECRET : undefined}
    </header> `;
}

/** Tells the owner of a package what to do; undefined for the report of a whole run. */
function ownerSection({ owner }: Report): Html | undefined {
  if (owner === undefined) return undefined;
  const { name, address, due } = owner;
  return html`${factsList([
      ["Owner", name],
      ["Address", address],
      ["Return by", due],
    ])}
    <p class="lead">
      ${name}: correct these records, and return the folder${due === undefined ? "" : ` by ${due}`}. Correct either
      rejects.xlsx, where cells with an error are red, or the files whose names start with rejects and end with .csv,
      not both. Rows in files that end with .ndjson are only there. Keep the file names, the columns and all rows, and
      do not change other files. Return the folder to the sender. It contains customer data, so use the same protected
      way in which you received it.
    </p> `;
}

const SECRET: Html = html`<p class="secret">This page contains customer data. Protect it like the extract itself.</p> `;

function kickerOf(run: RunFacts | undefined): string {
  if (run?.command === "push") return run.dryRun ? "Dry run: nothing was sent" : "Migration report";
  return run?.command === "documents check" ? "Check of documents" : "Check of the data: nothing was sent";
}

function facts({ id, startedAt, finishedAt, target, supplier, operation, command }: RunFacts): Html {
  return factsList([
    ["Began", moment(startedAt)],
    ["Ended", finishedAt === undefined ? undefined : moment(finishedAt)],
    ["Platform", target],
    ["Import supplier", supplier],
    ["Operation", operation],
    ["Run", command === "push" ? id : undefined],
  ]);
}

function lead({ summary }: Report, causes: readonly PageCause[]): Html | undefined {
  const errors = totalOf(summary.errors);
  const warnings = totalOf(summary.warnings);
  if (errors + warnings === 0)
    return summary.records === 0 ? undefined : html`<p class="lead">No errors were found.</p> `;
  const count = (severity: Severity): number => causes.filter((cause) => cause.severity === severity).length;
  const behind = count("error");
  const sentence =
    errors === 0
      ? "No errors were found."
      : `${counted(errors, "error")} ${errors === 1 ? "has" : "have"} ${counted(behind, "cause")}. Each cause below includes advice.`;
  const warned =
    warnings === 0
      ? ""
      : ` ${counted(warnings, "warning")} ${warnings === 1 ? "does" : "do"} not prevent a record from being sent.`;
  return html`<p class="lead">${sentence}${warned}</p> `;
}

function leftOut(hidden: readonly PageCause[], others: Readonly<Record<Severity, number>>): Html | undefined {
  const beyond = others.error + others.warning;
  const problems = hidden.reduce((sum, { problems: each }) => sum + each, beyond);
  if (problems === 0) return undefined;
  const causes =
    hidden.length === 0 ? "further" : `${formatCount(hidden.length)}${beyond > 0 ? " or more" : ""} further`;
  return html`<p class="left-out">
    Not on this page: ${counted(problems, "problem")} of ${causes} ${plural(Math.max(2, hidden.length), "cause")}. They
    are in errors.csv.
  </p> `;
}

function footer({ showValues }: Report): Html {
  const shown = showValues
    ? "Values are shown next to their shape"
    : "Only the shape of values is shown, so that the page can be shared";
  return html`<footer>
    <h2>How to read this page</h2>
    <p>
      ${shown}: <code>A</code> means an upper-case letter, <code>a</code> a lower-case letter, <code>9</code> a digit,
      and <code>9{11}</code> eleven digits in a row.
    </p>
    <p>
      Lines are counted from 1, including the line with the column names. In the same folder, errors.csv lists every
      problem, and the files whose names start with rejects contain the original rows that need work. Correct these
      rows, and return the files to the migration team.
    </p>
  </footer> `;
}

function pageData({ showValues }: Report, causes: readonly PageCause[]): PageData {
  return {
    showValues,
    causes: causes.map(({ code, attr, words, severity, problems, places }) => ({
      code,
      attr,
      words,
      severity,
      problems,
      places,
    })),
  };
}

function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
