import { hostname, userInfo } from "node:os";
import { OPERATOR_VARIABLE } from "../options/credential-variables.ts";

/** Returns the name of the person who runs the command, for ledger entries and corrections. */
export function operator(): string {
  const name = process.env[OPERATOR_VARIABLE]?.trim() ?? "";
  return name === "" ? currentUser() : name;
}

/** Returns `user@host`. If the user has no name, as in some containers, uses the numeric user id instead. */
function currentUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}@${hostname()}`;
  }
}
