import { hostname, userInfo } from "node:os";
import { OPERATOR_VARIABLE } from "../options/credential-variables.ts";

/** The person who runs the command, for entries that say who made them. */
export function operator(): string {
  const name = process.env[OPERATOR_VARIABLE]?.trim() ?? "";
  return name === "" ? currentUser() : name;
}

/** `user@host`, for entries that say who made them. In a container, the user may have no name. */
function currentUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}@${hostname()}`;
  }
}
