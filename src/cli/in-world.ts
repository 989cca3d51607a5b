import { Failure } from "../model/failure.ts";
import { formatPlace } from "../model/place.ts";
import type { Flags } from "./flags.ts";
import type { Talk } from "./talk.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

const BUG = 70;

/**
 * Runs an action in the process's world and sets the exit code: the one that the action returns, that of the Failure
 * that it raises, or 70 for anything else, which is a bug and the only thing shown with its stack.
 */
export async function inWorld(flags: Flags, action: (world: World) => Promise<number>): Promise<void> {
  const world = createWorld(flags);
  try {
    process.exitCode = await action(world);
  } catch (error) {
    world.close();
    process.exitCode = error instanceof Failure ? error.exitCode : BUG;
    if (error instanceof Failure) sayFailure(error, world.talk);
    else sayBug(error, world.talk);
  } finally {
    world.close();
  }
}

/** Says on stderr why a run ended: what, where, what to do. */
export function sayFailure({ code, message, hint, place }: Failure, talk: Talk): void {
  talk.failure({
    code,
    message,
    ...(place && !message.startsWith(`${place.file}:`) && { place: formatPlace(place) }),
    ...(hint !== undefined && { hint }),
  });
}

function sayBug(error: unknown, talk: Talk): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  talk.failure({ code: "bug", message: "this is a bug in migrate", hint: stack });
}
