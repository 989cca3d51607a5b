import { hostname, userInfo } from "node:os";
import { OPERATOR_VARIABLE } from "../options/credential-variables.ts";

/** Returns the name of the person who runs the command, for ledger entries and corrections. */
export function operator(): string {
  const name = process.env[OPERATOR_VARIABLE]?.trim() ?? "";
  return name === "" ? currentUser() : name;
}

/** Returns `user@host`, or the user's number instead of the name if the user has none, as in some containers. */
function currentUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}@${hostname()}`;
  }
}
