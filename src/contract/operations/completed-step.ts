import { canonicalJson, type JsonObject } from "../../json/json-value.ts";
import { textHash } from "../../text/text-hash.ts";
import type { Step } from "./operation.ts";

/** Fields from the mapping for the bodies of steps, by name of the step. */
export type StepValues = ReadonlyMap<string, JsonObject>;

/**
 * Returns the form in which the ledger stores that the last of these steps is complete: the name of the step, and a
 * hash of the requests up to this step, without the payload and the parameters. If the requests change, the step no
 * longer counts as complete. A step whose outcome is polled is never repeated, so it has no hash.
 * @param steps the first steps of a workflow
 */
export function completedStep(steps: readonly Step[], fields: StepValues | undefined): string {
  const { name = "", poll } = steps.at(-1) ?? {};
  if (poll !== undefined) return name;
  const requests = steps.map(({ name: step, kind, operation: { path, wrap }, body }) => [
    JSON.stringify([kind, path, wrap, body]),
    fields?.get(step) ?? null,
  ]);
  return `${name} #${textHash(canonicalJson(requests), 0).toString(36)}`;
}

export function stepNameIn(completed: string): string {
  return completed.replace(/ #[0-9a-z]+$/, "");
}

/**
 * Returns the name of the completed step; undefined if none of these steps was completed with these fields.
 * @param completed as returned by `completedStep`
 */
export function completedName(
  completed: string | undefined,
  steps: readonly Step[],
  fields: StepValues | undefined,
): string | undefined {
  if (completed === undefined) return undefined;
  return steps.find((_, index) => completedStep(steps.slice(0, index + 1), fields) === completed)?.name;
}
