import { token } from "../commands/token.ts";
import type { Flags } from "./flags.ts";
import { inWorld } from "./in-world.ts";
import { namedTarget } from "./named-target.ts";
import { readSettings } from "./settings.ts";
import { tokenJson, tokenText } from "./token-view.ts";

export interface TokenFlags extends Flags {
  readonly format: "text" | "json";
  readonly show?: boolean;
}

/** A token that has ended is shown, and ends the command as its use would. */
const ENDED = 4;

export function tokenAction(flags: TokenFlags): Promise<void> {
  return inWorld(flags, async ({ parts, write }) => {
    const { target } = await readSettings([], flags, process.cwd());
    const record = await token(
      { target: namedTarget(target, "to get a token from"), show: flags.show ?? false },
      parts,
    );
    await write(flags.format === "json" ? tokenJson(record) : tokenText(record));
    return record.ended ? ENDED : 0;
  });
}
