import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import { isRuleProblem } from "../../model/problem.ts";
import { counted, formatCount, plural } from "../../text/count.ts";
import { adviceFor } from "../advice.ts";
import type { PageCause } from "./collect-rows.ts";
import { html, type Html } from "./html.ts";
import { percent } from "./records-section.ts";

/** Maximum number of causes in the chart. It does not limit the number of cards. */
const CHARTED = 10;

/**
 * Renders the causes that affect the most records as bars that link to their cards; undefined with fewer than two
 * causes.
 */
export function causesChart(causes: readonly PageCause[]): Html | undefined {
  const charted = causes.filter(({ severity }) => severity === "error").slice(0, CHARTED);
  const most = charted[0]?.records ?? 0;
  if (charted.length < 2) return undefined;
  const bars = charted.map(
    (cause, at) =>
      html`<li>
        <a href="#cause-${at + 1}">
          <span class="bar-label">${titleOf(cause)} <span class="bar-place">${placeOf(cause)}</span></span>
          <svg class="bar" height="10" aria-hidden="true">
            <rect class="track" width="100%" height="10" rx="5"></rect>
            <rect class="fill-bad" width="${percent((100 * cause.records) / most)}" height="10" rx="5"></rect>
          </svg>
          <span class="number"
            >${formatCount(cause.records)}<span class="quiet"> ${plural(cause.records, "record")}</span></span
          ></a
        >
      </li> `,
  );
  return html`<section aria-labelledby="chart">
    <h2 id="chart">Most frequent causes</h2>
    <ol class="chart">
      ${bars}
    </ol>
  </section> `;
}

/** Renders each cause as a card; undefined without causes. `leftOut`: text about causes that the page omits. */
export function causesSection(causes: readonly PageCause[], leftOut: Html | undefined): Html | undefined {
  if (causes.length === 0) return undefined;
  const title = causes.some(({ severity }) => severity === "error") ? "Errors to fix" : "Warnings";
  return html`<section aria-labelledby="causes">
    <h2 id="causes">${title}</h2>
    ${FILTERS}
    <ol class="causes">
      ${causes.map(causeCard)}
    </ol>
    ${leftOut}
  </section>`;
}

/** Hidden until the script of the page runs, which fills in the choices. */
const FILTERS: Html = html`<form class="filters" role="search" aria-label="Filter the causes" hidden>
    <label for="search">Search <input type="search" id="search" autocomplete="off" spellcheck="false" /></label>
    ${choice("file", "File", "all files")} ${choice("column", "Column", "all columns")}
    ${choice("code", "Code", "all codes")}
    <button type="reset">Clear</button>
  </form>
  <p id="found" class="found" role="status" aria-live="polite"></p>`;

function choice(id: string, label: string, all: string): Html {
  return html`<label for="${id}"
    >${label}
    <select id="${id}">
      <option value="">${all}</option>
    </select></label
  >`;
}

/** Renders a cause as a card. The script adds its rows on demand. */
function causeCard(cause: PageCause, at: number): Html {
  const { attr, code, by, severity, records, problems, shapes } = cause;
  const form = formOf(cause);
  const held = severity === "error" ? "held back" : "affected";
  return html`<li>
    <article class="cause ${severity}" id="cause-${at + 1}" aria-labelledby="words-${at + 1}">
      <div class="cause-head">
        <h3 id="words-${at + 1}">${titleOf(cause)}</h3>
        <p class="tally"><strong>${formatCount(records)}</strong> ${plural(records, "record")} ${held}</p>
      </div>
      <p class="place">${placeOf(cause)}</p>
      <p class="tags">
        <code>${attr}</code> <span class="tag">${code}</span>
        <span class="tag">${by === "platform" ? "found by the platform" : "found before sending"}</span>
      </p>
      ${form && html`<p class="form">Required pattern, for the migration team: <code>${form}</code></p>`}
      <p class="advice"><span class="advice-label">What to do</span> ${adviceFor(cause.first)}</p>
      ${
        shapes.length === 0
          ? undefined
          : html`<p class="shapes">
              <span>The ${plural(shapes.length, "value")} ${shapes.length === 1 ? "looks" : "look"} like</span
              >${shapes.map(({ shape, count }) => html` <code>${shape}</code><span class="times">${counted(count, "time")}</span>`)}
            </p> `
      }
      <details>
        <summary>Where: <span class="where">${counted(problems, "place")}</span></summary>
        <div class="rows"><p>${exampleOf(cause)} All rows are in errors.csv.</p></div>
      </details>
    </article>
  </li> `;
}

/** The description of the cause, without a pattern that only programmers can read. */
function titleOf(cause: PageCause): string {
  if (formOf(cause) !== undefined) return "Does not have the required format.";
  return cause.by === "platform" ? `The platform: ${cause.words}` : cause.words;
}

function formOf({ first }: PageCause): string | undefined {
  if (first.by === "platform" || isRuleProblem(first) || first.code !== "invalid") return undefined;
  return first.expected === "pattern" ? first.written?.as : undefined;
}

/** `POSTCODE in accounts.csv`, which the owner of the file recognises. Without a column, the attr is used instead. */
function placeOf({ places, attr }: PageCause): string {
  const [first, ...others] = places;
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `, and ${counted(others.length, "other column")}`;
  const what = first.column ?? (attr === NON_FIELD_ERRORS ? undefined : attr);
  return `${what === undefined ? "" : `${what} in `}${first.file}${more}`;
}

function exampleOf({ places }: PageCause): string {
  const [place] = places;
  const line = place?.rows[0]?.line;
  if (place === undefined || line === undefined) return "";
  return `The first is ${place.file}, line ${line}${place.column === undefined ? "" : `, column ${place.column}`}.`;
}
