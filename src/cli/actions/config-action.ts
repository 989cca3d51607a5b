import type { Command } from "commander";
import { optionOrigins } from "../options/option-origin.ts";
import type { InspectFlags } from "../options/options.ts";
import { withContext } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { readLocatedConfig } from "../settings/config-file.ts";
import { effectiveCredentials } from "../settings/effective-credentials.ts";
import { effectiveSettings } from "../settings/effective-settings.ts";
import { settingsOf } from "../settings/settings.ts";
import { configView } from "../views/config-view.ts";
import { show } from "../views/view.ts";

export function configShowAction(flags: InspectFlags, command: Command, session: Session): Promise<void> {
  return withContext(session, flags, async (context) => {
    const folder = process.cwd();
    const config = await readLocatedConfig(flags.config, folder);
    const settings = settingsOf(config.config, { sources: [], flags, folder });
    const shown = effectiveSettings({ settings, config, flags, origins: optionOrigins(command) });
    await show(configView, [...shown, ...effectiveCredentials(process.env, settings)], flags, context);
    return 0;
  });
}
