import { init } from "../../commands/init/init.ts";
import type { InitFlags } from "../options/options.ts";
import { withSettings } from "../process/context.ts";
import { initView } from "../views/init-view.ts";
import { show } from "../views/view.ts";

/** `--out` is the folder for what init writes: settings that know another meaning of it do not see it. */
export function initAction(sources: readonly string[], { out, ...flags }: InitFlags): Promise<void> {
  return withSettings(sources, flags, async ({ job }, context) => {
    await show(initView, await init({ job, out }, context.dependencies), flags, context);
    return 0;
  });
}
