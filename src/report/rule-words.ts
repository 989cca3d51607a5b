import type { RuleFinding } from "../model/problem.ts";
import { plainLine, plainText } from "./plain-text.ts";

/** A broken rule in words: its own, or words made from its kind and the fields that it is about. */
export function ruleWords({ rule, fields, message }: RuleFinding): string {
  if (message !== undefined) return plainLine(message);
  const words = WORDS.get(rule) ?? "Breaks a rule of the contract";
  return fields.length === 0 ? `${words}.` : `${words}: ${fields.map((field) => plainText(field, 120)).join(", ")}.`;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["required-when", "Values are required here"],
  ["forbidden-when", "Must be left out here"],
  ["requires", "What is given asks for more"],
  ["requires-one-of", "The number of these that are given is not right"],
  ["forbids-together", "Only one of these may be given"],
  ["conditional-value", "The value is not allowed beside the others"],
  ["in-set", "Not one of the known values"],
  ["lookup", "Does not agree with the reference list"],
  ["matches-format", "Does not have the form that is asked for"],
  ["date-order", "The dates are not in order"],
  ["not-future", "Must not lie in the future"],
  ["not-past", "Must not lie in the past"],
  ["within", "Outside of its bounds"],
  ["unique-by", "The same as another item"],
  ["count-limit", "The number of items is not right"],
  ["equals-across", "These must agree"],
  ["sum-equals", "Does not agree with the sum of its parts"],
  ["refers-to", "Refers to something that is not in this record"],
  ["no-overlap", "Overlaps another period"],
  ["contiguous", "Leaves a gap or an overlap between periods, or the last one is not open"],
  ["covered-by", "Not covered by one period"],
]);
