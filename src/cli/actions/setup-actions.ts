import path from "node:path";
import type { Command } from "commander";
import { init } from "../../commands/init/init.ts";
import { updateMapping } from "../../commands/init/update-mapping.ts";
import { schemaOfMapping } from "../../commands/schema-of-mapping.ts";
import { Failure } from "../../model/failure.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import { isFlagGiven } from "../options/option-origin.ts";
import type { Flags, InitFlags } from "../options/options.ts";
import { withContext, withSettings } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { configJsonSchema } from "../settings/config-schema.ts";
import { initUpdateView, initView } from "../views/init-view.ts";
import { show } from "../views/view.ts";

/**
 * Creates or updates a mapping. Omits `--out` from the settings, because the setting with this name is the report
 * folder.
 */
export function initAction(
  session: Session,
  sources: readonly string[],
  { out, root, key, update = false, ...flags }: InitFlags,
  command: Command,
): Promise<void> {
  return withSettings(session, sources, flags, async ({ job }, context) => {
    const { dependencies } = context;
    if (update) {
      const mapping = job.mapping ?? path.join(out, "mapping.yaml");
      return show(initUpdateView, await updateMapping({ ...job, mapping }, dependencies), flags, context);
    }
    if (isFlagGiven(command, "mapping")) {
      throw new Failure("usage", "--mapping needs --update", {
        hint: "without --update, init writes a new mapping.yaml; --out chooses its folder",
      });
    }
    const drafted = await init({ job, out, root, key, configSchema: configJsonSchema() }, dependencies);
    return show(initView, drafted, flags, context);
  });
}

export function configSchemaAction(session: Session, flags: Flags): Promise<void> {
  return withContext(session, flags, async ({ write }) => {
    await write(indentedJson(configJsonSchema()));
    return 0;
  });
}

export function mappingSchemaAction(session: Session, flags: Flags): Promise<void> {
  return withSettings(session, [], flags, async ({ job }, { dependencies, write }) => {
    await write(indentedJson(await schemaOfMapping(job, dependencies)));
    return 0;
  });
}
