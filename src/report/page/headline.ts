import type { Status } from "../../model/outcome.ts";
import { formatCount } from "../../text/count.ts";
import { countRecords, type Report } from "../report.ts";

/** Summarises the run in one sentence. */
export function headline({ summary, run }: Report): string {
  const { records } = summary;
  if (records === 0) return "No record was read.";
  const parts = PARTS.map(({ statuses, phrase }) => ({ count: countRecords(summary, statuses), phrase })).filter(
    ({ count }) => count > 0,
  );
  const isCheck = run === undefined || run.command !== "push" || run.dryRun;
  const words = parts.map(({ count, phrase }) => ({ count, text: phrase(count, isCheck) }));
  const [first, ...rest] = words;
  if (first === undefined) return `${formatCount(records)} records were read.`;
  if (rest.length === 0) {
    const all =
      records === 1 ? "The only record" : records === 2 ? "Both records" : `All ${formatCount(records)} records`;
    return `${all} ${first.text}.`;
  }
  const clauses = [
    `${formatCount(first.count)} of ${formatCount(records)} records ${first.text}`,
    ...rest.map(({ count, text }) => `${formatCount(count)} ${text}`),
  ];
  return `${listed(clauses)}.`;
}

interface HeadlinePart {
  readonly statuses: readonly Status[];
  readonly phrase: (count: number, isCheck: boolean) => string;
}

/** The parts of the sentence, in order. Together, they cover every status. */
const PARTS: readonly HeadlinePart[] = [
  { statuses: ["accepted", "skipped"], phrase: (count) => `${count === 1 ? "is" : "are"} on the platform` },
  {
    statuses: ["valid"],
    phrase: (count, isCheck) => `${count === 1 ? "is" : "are"} ${isCheck ? "ready to be sent" : "without errors"}`,
  },
  { statuses: ["invalid", "rejected", "duplicate"], phrase: (count) => (count === 1 ? "needs work" : "need work") },
  {
    statuses: ["existing"],
    phrase: (count) => `${count === 1 ? "exists" : "exist"} on the platform with unverified content`,
  },
  { statuses: ["stale"], phrase: (count) => `${count === 1 ? "is" : "are"} older than content sent before` },
  { statuses: ["excluded"], phrase: (count) => `${count === 1 ? "is" : "are"} excluded from the migration` },
  { statuses: ["ambiguous"], phrase: (count) => `${count === 1 ? "has" : "have"} an unknown outcome` },
  { statuses: ["blocked", "pending"], phrase: (count) => `${count === 1 ? "is" : "are"} still to be sent` },
];

function listed(clauses: readonly string[]): string {
  const last = clauses.at(-1) ?? "";
  if (clauses.length === 2) return clauses.join(", and ");
  return `${clauses.slice(0, -1).join(", ")}, and ${last}`;
}
