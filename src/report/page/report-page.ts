import { factsList } from "./facts-list.ts";
import type { Severity } from "../../model/problem.ts";
import { counted, formatCount, plural } from "../../text/count.ts";
import { readPageFiles } from "../page-files.ts";
import type { Report, RunFacts, Write } from "../report.ts";
import { causesChart, causesSection, SHAPE_NOTATION } from "./causes-section.ts";
import { type CauseCollector, MAX_CAUSES, type PageCause, type PageFinding } from "./collect-rows.ts";
import { type FieldTitle, problemTitle } from "../problem-title.ts";
import { headline } from "./headline.ts";
import { dataElement, html, type Html } from "./html.ts";
import type { AlsoData, PageData } from "./page-data.ts";
import { pageFrame } from "./page-frame.ts";
import { recordsSection } from "./records-section.ts";
import type { Rejects } from "../rejects/write-rejects.ts";
import { stepsSection } from "./steps-section.ts";
import { moment, timelineSection } from "./timeline-section.ts";

/** Maximum number of cards. The page only counts further causes. */
const MAX_CARDS = 100;

interface PageContent {
  readonly collector: CauseCollector;
  /** The rejects files in the folder of the page; absent if there are none. */
  readonly rejects?: Rejects | undefined;
}

/**
 * Writes `report.html` (docs/errors.md, "HTML report"), with the causes collected from all outcomes. The size of the
 * page is limited, however large the input is.
 */
export async function writeReportPage(
  report: Report,
  { collector, rejects }: PageContent,
  write: Write,
): Promise<void> {
  const frame = pageFrame(report.title, await readPageFiles({ script: true }));
  const causes = collector.causes();
  const shown = causes.slice(0, MAX_CARDS);
  const { fieldTitle, showValues, run: { timeline } = {} } = report;
  const pieces = [
    frame.start,
    header(report),
    html`<main id="content">
      ${stepsSection(report, rejects)} ${lead(report, collector)}
      ${report.summary.records > 0 ? recordsSection(report.summary) : undefined} ${causesChart(shown, fieldTitle)}
      ${causesSection(shown, { fieldTitle, showValues, leftOut: leftOut(causes.slice(MAX_CARDS), collector.others()) })}
      ${timeline && timelineSection(timeline)} ${report.run && runSection(report.run)}
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
      ${showValues ? SECRET : undefined}
    </header> `;
}

const SECRET: Html = html`<p class="secret">This page contains customer data. Protect it like the extract itself.</p> `;

function kickerOf(run: RunFacts | undefined): string {
  if (run?.command === "push") return run.dryRun ? "Dry run: nothing was sent" : "Migration report";
  return run?.command === "documents check" ? "Check of documents" : "Check of the data: nothing was sent";
}

function runSection({ id, startedAt, finishedAt, target, supplier, operation, command }: RunFacts): Html {
  const facts = factsList([
    ["Started", moment(startedAt)],
    ["Ended", finishedAt === undefined ? undefined : moment(finishedAt)],
    ["Platform", target],
    ["Import supplier", supplier],
    ["Operation", operation],
    ["Run", command === "push" ? id : undefined],
  ]);
  return html`<section aria-labelledby="run">
    <h2 id="run">The run</h2>
    ${facts}
  </section>`;
}

function lead({ summary }: Report, collector: CauseCollector): Html | undefined {
  const errors = totalOf(summary.errors);
  const warnings = totalOf(summary.warnings);
  if (errors + warnings === 0)
    return summary.records === 0 ? undefined : html`<p class="lead">No errors were found.</p> `;
  const { places, causes } = collector.totals();
  const where = places < errors ? ` in ${counted(places, "place")}` : "";
  const behind = `${formatCount(causes)}${causes >= MAX_CAUSES ? "+" : ""} ${plural(causes, "cause")}`;
  const shared = where === "" ? "" : " Errors in the same cell are shown together.";
  const sentence =
    errors === 0
      ? "No errors were found."
      : `${counted(errors, "error")}${where} ${errors === 1 ? "has" : "have"} ${behind}.${shared} Each cause below includes advice.`;
  const warned =
    warnings === 0
      ? ""
      : ` ${counted(warnings, "warning")} ${warnings === 1 ? "was" : "were"} found. Warnings do not prevent a record from being sent.`;
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
    <p>${shown}: ${SHAPE_NOTATION}</p>
    <p>
      Lines are counted from 1, including the line with the column names. In the same folder, errors.csv lists every
      problem, and the files whose names start with rejects contain the original rows that need work.
    </p>
  </footer> `;
}

function pageData({ showValues, fieldTitle }: Report, causes: readonly PageCause[]): PageData {
  return {
    showValues,
    causes: causes.map(({ severity, places, also, ...cause }) => ({
      ...findingData(cause, fieldTitle),
      severity,
      places,
      also: also.map((finding) => findingData(finding, fieldTitle)),
    })),
  };
}

function findingData({ code, attr, words, first, count }: PageFinding, fieldTitle: FieldTitle | undefined): AlsoData {
  return { code, attr, title: problemTitle(first, fieldTitle), words, count };
}

function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
