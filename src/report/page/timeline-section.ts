import { type Status, STATUSES } from "../../model/outcome.ts";
import type { RunProof } from "../../model/proof.ts";
import type { Timeline } from "../../model/timeline.ts";
import { counted, formatCount } from "../../text/count.ts";
import { type RunFacts, totalOf } from "../report.ts";
import { factsList, html, type Html } from "./html.ts";
import { toneOf } from "../../model/status-tone.ts";

const HEIGHT = 120;

/** Renders the platform's replies over time: as a chart with one column per time slot, and as a table. */
export function timelineSection(timeline: Timeline): Html {
  const { slotSeconds, slots } = timeline;
  const statuses = STATUSES.filter((status) => slots.some(({ counts }) => (counts[status] ?? 0) > 0));
  const legend = statuses.map(
    (status) =>
      html`<span>
        <svg width="12" height="12" aria-hidden="true">
          <rect width="12" height="12" rx="3" class="fill-${toneOf(status)}"></rect>
        </svg>
        ${REPLIES[status]}
      </span> `,
  );
  const highest = Math.max(...slots.map(({ counts }) => totalOf(counts)));
  return html`<section aria-labelledby="time">
    <h2 id="time">The push over time</h2>
    <p>
      Each column covers ${lengthText(slotSeconds)}. The highest column represents ${repliesText(highest)} from the
      platform.
    </p>
    ${columnChart(timeline, statuses, highest)}
    <p class="legend">${legend}</p>
    <details>
      <summary>Show as a table</summary>
      <div class="rows scroll" tabindex="0" role="region" aria-label="The push over time, as a table">
        ${slotTable(timeline, statuses)}
      </div>
    </details>
  </section> `;
}

function columnChart({ slotSeconds, slots }: Timeline, statuses: readonly Status[], highest: number): Html {
  const first = Date.parse(slots[0]?.at ?? "");
  const last = Date.parse(slots.at(-1)?.at ?? "");
  const slotOf = (time: number): number => Math.round((time - first) / 1000 / slotSeconds);
  const hasSeconds = slotSeconds < 60;
  const begin = moment(new Date(first).toISOString(), hasSeconds);
  const end = moment(new Date(last + slotSeconds * 1000).toISOString(), hasSeconds);
  const bars = slots.flatMap(({ at, counts }) => {
    let top = HEIGHT;
    return statuses.flatMap((status) => {
      const height = Math.round((HEIGHT * 100 * (counts[status] ?? 0)) / highest) / 100;
      top -= height;
      if (height === 0) return [];
      return html`<rect
        class="fill-${toneOf(status)}"
        x="${slotOf(Date.parse(at)) + 0.08}"
        y="${Math.round(top * 100) / 100}"
        width="0.84"
        height="${height}"
      ></rect>`;
    });
  });
  return html`<svg
      class="timeline"
      viewBox="0 0 ${1 + slotOf(last)} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="Replies from the platform between ${begin} and ${end}; peak: ${repliesText(highest)} in ${lengthText(slotSeconds)}"
    >
      ${bars}
    </svg>
    <div class="axis"><span>${begin}</span><span>${end}</span></div>`;
}

function slotTable({ slots }: Timeline, statuses: readonly Status[]): Html {
  const rows = slots.map(
    ({ at, counts }) =>
      html`<tr>
        <th scope="row">${at.slice(0, 10)} ${at.slice(11, 19)}</th>
        ${statuses.map((status) => html`<td class="number">${formatCount(counts[status] ?? 0)}</td>`)}
      </tr> `,
  );
  return html`<table>
    <thead>
      <tr>
        <th scope="col">From (UTC)</th>
        ${statuses.map((status) => html`<th scope="col" class="number">${REPLIES[status]}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** The meaning of a platform's reply, by the resulting status of the record. */
const REPLIES: Readonly<Record<Status, string>> = {
  valid: "would be accepted",
  invalid: "invalid",
  accepted: "accepted",
  rejected: "rejected",
  ambiguous: "outcome unknown",
  blocked: "stopped",
  pending: "will be retried",
  skipped: "skipped",
  duplicate: "duplicate",
  existing: "already on the platform",
  stale: "stale",
  excluded: "excluded",
};

function repliesText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "reply" : "replies"}`;
}

function lengthText(seconds: number): string {
  if (seconds % 86_400 === 0) return counted(seconds / 86_400, "day");
  if (seconds % 3600 === 0) return counted(seconds / 3600, "hour");
  return seconds % 60 === 0 ? counted(seconds / 60, "minute") : counted(seconds, "second");
}

/** @param id the id of the run; undefined if it is not shown */
export function runFacts(run: RunFacts | RunProof, id?: string): Html {
  const { startedAt, finishedAt, target, supplier, operation } = run;
  return factsList([
    ["Started", moment(startedAt)],
    ["Ended", finishedAt && moment(finishedAt)],
    ["Platform", target],
    ["Import supplier", supplier],
    ["Operation", operation],
    ["Run", id],
  ]);
}

/** Renders a time as `22 Nov 2026, 17:41 UTC`, optionally with seconds. */
export function moment(iso: string, hasSeconds = false): string {
  return `${dayOf(iso)}, ${iso.slice(11, hasSeconds ? 19 : 16)} UTC`;
}

/** Created on first use, because creating a formatter can take as long as running a short command. */
let day: Intl.DateTimeFormat | undefined;

function dayOf(iso: string): string {
  day ??= new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
  return day.format(new Date(iso));
}
