import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { RUN_METRICS } from "../../src/cli/metrics/run-metrics.ts";
import { LOG_EVENTS } from "../../src/cli/progress/log-events.ts";
import { RUN_STATES } from "../../src/job/run-progress.ts";

const page = readFileSync(new URL("../../docs/monitoring.md", import.meta.url), "utf8");
const dashboard = readFileSync(new URL("../../docs/grafana-dashboard.json", import.meta.url), "utf8");

/** Returns the rows of the table whose first column has this heading. */
function table(heading: string): readonly (readonly string[])[] {
  const lines = page.slice(page.indexOf(`| ${heading} |`)).split("\n");
  const end = lines.findIndex((line) => !line.startsWith("|"));
  return lines.slice(2, end).map((line) =>
    line
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim()),
  );
}

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

it("docs/monitoring.md lists every event of the log with its level and its fields", () => {
  const events = Object.entries(LOG_EVENTS).map(([name, { level, about, fields }]) => [
    code([name]),
    level,
    about,
    code(fields),
  ]);
  expect(table("event")).toEqual(events);
});

it("docs/monitoring.md lists every metric with its type and its labels", () => {
  const metrics = RUN_METRICS.map(({ name, type, labels, help }) => [code([name]), type, code(labels), help]);
  expect(table("metric")).toEqual(metrics);
});

it("docs/monitoring.md lists every state of a run", () => {
  const states = table("state").map(([state = ""]) => state);
  // `status` compares a run with later runs to show it as superseded.
  expect(new Set(states)).toEqual(new Set([...RUN_STATES, "superseded"].map((state) => code([state]))));
});

it("the dashboard uses exactly the metrics that a run exports", () => {
  const asked = new Set([...dashboard.matchAll(/migrate_[a-z_]+/g)].map(([name]) => name));
  const known = new Set(RUN_METRICS.map(({ name }) => name));
  expect([...asked].filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !asked.has(name))).toEqual([]);
});
