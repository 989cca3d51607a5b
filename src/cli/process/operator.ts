import { currentUser } from "../../runtime/current-user.ts";
import { OPERATOR_VARIABLE } from "../options/credential-variables.ts";

/** The person who runs the command, for entries that say who made them. */
export function operator(): string {
  const name = process.env[OPERATOR_VARIABLE]?.trim() ?? "";
  return name === "" ? currentUser() : name;
}
