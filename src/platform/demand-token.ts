import { Failure } from "../model/failure.ts";
import { judgeError } from "./judge-error.ts";
import { createLogin, type LoginOptions, noTokenError } from "./login.ts";
import type { ServiceToken } from "./service-token.ts";

/**
 * A token for the API key, by one request.
 * @throws Failure `authentication` when there is none to be had, `tls` or `platform_unreachable` when nobody answers
 */
export async function demandToken(apiKey: string, options: LoginOptions): Promise<ServiceToken> {
  const end = await createLogin(options)({ apiKey });
  if (end.kind === "token") return end.token;
  const error = noTokenError(end);
  if (error instanceof Failure) throw error;
  const { origin } = options.baseUrl;
  const { verdict } = judgeError(error, origin);
  throw verdict.kind === "stop"
    ? verdict.failure
    : new Failure("platform_unreachable", `${origin} gives no token for now: ${error.code}`, {
        hint: "check the network and the base URL, then run the same command again",
        cause: error,
      });
}
