import type { PlainOperation, Step } from "../../contract/operations/operation.ts";
import { stepFields } from "../../contract/operations/step-fields.ts";
import type { AttrPath } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { canonicalJson, isJsonArray, isJsonObject, type JsonObject } from "../../json/json-value.ts";
import type { PlatformProblem } from "../../model/problem.ts";
import { requestAddress } from "../request-address.ts";
import type { HttpReply } from "../../transport/http.ts";
import { classifyReply } from "../reply/classify-reply.ts";
import { parseBody } from "../reply/reply-body.ts";
import type { Classification } from "../reply/reply-class.ts";
import type { RepliesContract } from "../reply/reply-trust.ts";
import { type MaySend, type RequestDependencies, type RequestResult, sendClassified } from "./classified-request.ts";

/** Sends payloads to one operation of the data-import API and classifies the replies. */
export interface ImportClient {
  /**
   * Sends one request per record, and repeats it with a newer token if the platform rejects the token. Never throws for
   * a reply or a transport error.
   */
  readonly send: (
    payload: JsonObject,
    signal: AbortSignal,
    maySend?: MaySend,
    given?: GivenValues,
  ) => Promise<RequestResult>;
}

/**
 * Data of a record in addition to its payload: values from the mapping, and the payload's JSON if it was already
 * encoded.
 */
interface GivenValues {
  /** Fields of the body, in addition to the wrapped payload or instead of it. */
  readonly fields?: JsonObject | undefined;
  /** Values of the request parameters, by name. */
  readonly parameters?: JsonObject | undefined;
  /** The payload as JSON text, in UTF-8. */
  readonly json?: Buffer;
}

interface ImportClientOptions extends RequestDependencies {
  readonly operation: Pick<PlainOperation, "path" | "parameters" | "wrap" | "items" | "body"> & RepliesContract;
  /** Fields that the request carries in addition to the wrapped payload or instead of it. */
  readonly body?: Step["body"];
  /** The field that wraps the payload in the attrs of replies, if another request of the record sent the payload. */
  readonly wrapInReplies?: string;
  /** Whether to warn about fields that a successful reply omits even though it echoes the payload. */
  readonly compareEcho?: boolean;
}

export function createImportClient(options: ImportClientOptions): ImportClient {
  const { operation, clock, wrapInReplies: wrap = operation.wrap } = options;
  const classified = { ...operation, ...definedMembers({ wrap }) };
  const fixed = requestAddress(options.baseUrl, operation);
  const hasParameters = (operation.parameters ?? []).length > 0;
  return {
    send: (payload, signal, maySend, given) => {
      const address = hasParameters ? requestAddress(options.baseUrl, operation, given?.parameters) : fixed;
      const body = requestBody(payload, given, options);
      const classify = (reply: HttpReply): Classification => {
        const classification = classifyReply(reply, classified, clock.now(), payload);
        if (options.compareEcho !== true) return classification;
        return withDroppedFieldWarnings(classification, payload, reply, operation.wrap);
      };
      return sendClassified({ method: "POST", ...address, body, signal, maySend, classify }, options);
    },
  };
}

/**
 * Returns the payload, wrapped or bare, or a small body derived from it, as canonical JSON. The same record always
 * produces the same bytes, whether its payload was built from rows or read back from text.
 */
function requestBody(
  payload: JsonObject,
  given: GivenValues | undefined,
  { operation: { wrap }, body }: ImportClientOptions,
): string | Buffer {
  if (wrap === undefined && body === undefined) return given?.json ?? canonicalJson(payload);
  const fields = stepFields(body, payload, given?.fields);
  return canonicalJson(wrap === undefined ? fields : { [wrap]: payload, ...fields });
}

/**
 * Adds a warning for every field of the payload that a successful reply does not echo. The platform drops unknown
 * fields silently, without an error. A reply that echoes no part of the payload produces no warnings.
 * @param wrap the field that wraps the payload in the request; the reply may repeat it
 */
export function withDroppedFieldWarnings(
  classification: Classification,
  payload: JsonObject,
  reply: HttpReply,
  wrap?: string,
): Classification {
  const { replyClass } = classification;
  if (replyClass.kind !== "accepted" || reply.status >= 300) return classification;
  const body = parseBody(reply);
  const echo = wrap !== undefined && isJsonObject(body) && isJsonObject(body[wrap]) ? body[wrap] : body;
  if (!isJsonObject(echo) || !Object.keys(payload).some((name) => Object.hasOwn(echo, name))) return classification;
  const warnings = [...missingPaths(payload, echo, [])].map(droppedFieldWarning);
  return warnings.length === 0 ? classification : { ...classification, replyClass: { ...replyClass, warnings } };
}

/** Yields the outermost paths that are missing from the echo. A value in a different format is not missing. */
function* missingPaths(sent: unknown, echo: unknown, path: AttrPath): Generator<AttrPath> {
  if (isJsonArray(sent) && isJsonArray(echo)) {
    for (const [index, item] of sent.entries()) {
      if (index < echo.length) yield* missingPaths(item, echo[index], [...path, index]);
      else yield [...path, index];
    }
  } else if (isJsonObject(sent) && isJsonObject(echo)) {
    for (const name of Object.keys(sent)) {
      if (Object.hasOwn(echo, name)) yield* missingPaths(sent[name], echo[name], [...path, name]);
      else yield [...path, name];
    }
  }
}

function droppedFieldWarning(path: AttrPath): PlatformProblem {
  return {
    attr: path.join("."),
    severity: "warning",
    by: "platform",
    code: "dropped_by_platform",
    detail: "The platform accepts the record but ignores this field.",
  };
}
