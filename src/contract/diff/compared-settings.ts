import { formatAttr } from "../../json/attr.ts";
import { addressOf, type Operation, type ReadBack, type Step } from "../operations/operation.ts";

interface ComparedSetting {
  readonly name: string;
  /** Whether a change of the setting means that already migrated records can no longer be recognised or reached. */
  readonly breaks: boolean;
  readonly read: (operation: Operation) => string;
}

export const COMPARED_SETTINGS: readonly ComparedSetting[] = [
  { name: "address", breaks: true, read: addressOf },
  { name: "operation id", breaks: false, read: ({ id }) => id },
  { name: "business key", breaks: true, read: ({ key }) => (key === undefined ? "none" : formatAttr(key)) },
  { name: "import supplier", breaks: true, read: ({ supplier }) => (supplier ? formatAttr(supplier) : "none") },
  { name: "wrapped in", breaks: false, read: ({ wrap }) => wrap ?? "nothing" },
  { name: "dedupes by business key", breaks: false, read: ({ dedupesByKey }) => (dedupesByKey ? "yes" : "no") },
  {
    name: "documented replies",
    breaks: false,
    read: ({ replies }) => replies.map(({ status }) => status).join(", ") || "none",
  },
  { name: "outcomes of replies", breaks: false, read: ({ outcomes }) => JSON.stringify(outcomes) },
  { name: "statuses of items", breaks: false, read: ({ items }) => (items ? JSON.stringify(items) : "automatic") },
  { name: "steps", breaks: false, read: ({ steps }) => JSON.stringify(steps.map(describeStep)) },
  { name: "read-backs", breaks: false, read: ({ readBack }) => JSON.stringify(readBack.map(describeReadBack)) },
];

function describeStep({ operation, reasons, poll, ...step }: Step): object {
  const { outcomes } = operation;
  const lookup = poll && { ...poll, operation: addressOf(poll.operation) };
  return { ...step, operation: addressOf(operation), reasons: reasons && addressOf(reasons), outcomes, poll: lookup };
}

function describeReadBack({ operation, match, ...readBack }: ReadBack): object {
  const pairs = match.map(({ reply, payload }) => ({ reply, payload }));
  return { ...readBack, operation: addressOf(operation), match: pairs };
}
