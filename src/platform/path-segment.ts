import { Failure } from "../model/failure.ts";

/**
 * A code of any kind as one segment of a path: whatever it holds, it cannot lead anywhere else.
 * @param name what it is, for the message; the code itself is not shown
 * @throws Failure `usage` for what no segment can be: nothing, `.`, `..`, half a character
 */
export function pathSegment(code: string, name: string): string {
  if (code === "" || code === "." || code === ".." || /\p{Surrogate}/u.test(code)) {
    throw new Failure("usage", `${name} cannot be part of an address`, { hint: "check how it is written" });
  }
  return encodeURIComponent(code);
}
