import { hostname, userInfo } from "node:os";

/** `user@host`, for entries that say who made them. In a container, the user may have no name. */
export function currentUser(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}@${hostname()}`;
  }
}
