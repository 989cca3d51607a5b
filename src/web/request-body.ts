import type { Context } from "hono";
import type { z } from "zod";
import { RefusedRequest } from "./error-reply.ts";

/**
 * Reads the body of a request and validates it against a schema.
 * @throws RefusedRequest 400 if the body is not JSON or does not match. The message contains no value.
 */
export async function requestBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  const body: unknown = await context.req.json().catch(() => {
    throw new RefusedRequest(400, "invalid_request", "The request body is not JSON");
  });
  return checked(body, schema);
}

/**
 * Reads the query of a request and validates it against a schema.
 * @throws RefusedRequest 400 if the query does not match. The message contains no value.
 */
export function requestQuery<T>(context: Context, schema: z.ZodType<T>): T {
  return checked(context.req.query(), schema);
}

function checked<T>(given: unknown, schema: z.ZodType<T>): T {
  const { data, error } = schema.safeParse(given);
  if (error === undefined) return data;
  const where = error.issues.map(({ path, code }) => `${path.join(".") || "body"}: ${code}`).join(", ");
  throw new RefusedRequest(400, "invalid_request", `The request is not valid (${where})`, "Reload the page.");
}
