import type { AttrPath } from "../model/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../model/json.ts";
import type { PlatformProblem } from "../model/problem.ts";
import type { HttpReply } from "../transport/http.ts";
import { parseBody } from "./reply-body.ts";
import type { Judgement } from "./verdict.ts";

/**
 * The judgement with a warning for every field of the payload that a success does not repeat. A field that the platform
 * does not know raises no error there: it is left out without a word (PLATFORM 2.1). A reply that repeats nothing of the
 * payload says nothing of that.
 */
export function withDropped(judgement: Judgement, payload: JsonObject, reply: HttpReply): Judgement {
  const { verdict } = judgement;
  if (verdict.kind !== "accepted" || reply.status >= 300) return judgement;
  const echo = parseBody(reply);
  if (!isJsonObject(echo) || !Object.keys(payload).some((name) => Object.hasOwn(echo, name))) return judgement;
  const warnings = [...missing(payload, echo, [])].map(dropped);
  return warnings.length === 0 ? judgement : { ...judgement, verdict: { ...verdict, warnings } };
}

/** The outermost paths of the value that the echo lacks. A value that is there in another form is no loss. */
function* missing(sent: unknown, echo: unknown, path: AttrPath): Generator<AttrPath> {
  if (isJsonArray(sent) && isJsonArray(echo)) {
    for (const [index, item] of sent.entries()) {
      if (index < echo.length) yield* missing(item, echo[index], [...path, index]);
      else yield [...path, index];
    }
  } else if (isJsonObject(sent) && isJsonObject(echo)) {
    for (const name of Object.keys(sent)) {
      if (Object.hasOwn(echo, name)) yield* missing(sent[name], echo[name], [...path, name]);
      else yield [...path, name];
    }
  }
}

function dropped(path: AttrPath): PlatformProblem {
  return {
    attr: path.join("."),
    severity: "warning",
    by: "platform",
    code: "dropped_by_platform",
    detail: "The platform takes the record and leaves this field out.",
  };
}
