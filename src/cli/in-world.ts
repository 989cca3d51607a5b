import { sayEnd } from "./end-of-process.ts";
import type { Flags } from "./flags.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

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
    process.exitCode = sayEnd(error, world.talk);
  } finally {
    world.close();
  }
}
