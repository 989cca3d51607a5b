import { untilAborted } from "../../time/clock.ts";
import { logExit } from "../process/process-exit.ts";
import { operator } from "../process/operator.ts";
import { type Context, withContext } from "../process/context.ts";
import { isTerminal } from "../process/terminal.ts";
import { openBrowser } from "../process/start-process.ts";
import type { Session } from "../process/session.ts";
import type { WebFlags } from "../options/options.ts";
import { readConfig, refuseWritableByOthers } from "../settings/config-file.ts";
import { configJsonSchema } from "../settings/config-schema.ts";
import { settingsOf } from "../settings/settings.ts";
import { startWebServer } from "../../web/web-server.ts";
import type { WebProject } from "../../web/web-project.ts";
import { withNamingPlace } from "../../job/settings/naming-place.ts";

const STARTED_TEXT = "The web pages of the project are available at this address. Press Ctrl-C to stop the server.\n\n";

export function webAction(session: Session, sources: readonly string[], flags: WebFlags): Promise<void> {
  return withContext(session, flags, async (context) => {
    const { dependencies, logger, write } = context;
    const server = await startWebServer(projectOf(sources, flags, context), flags.port);
    const { address } = server;
    logger.lines(STARTED_TEXT, "web_started", { url: address });
    await write(`${address}\n`);
    if (flags.open !== false && isTerminal(session.stderr)) openBrowser(server.createSingleAddress());
    await untilAborted(dependencies.drain);
    await server.close();
    return 0;
  });
}

function projectOf(sources: readonly string[], flags: WebFlags, { dependencies, logger }: Context): WebProject {
  const folder = process.cwd();
  let beganWithMapping: boolean | undefined;
  return {
    folder,
    operator: operator(),
    dependencies,
    checkBeforeSending: refuseWritableByOthers,
    configSchema: configJsonSchema,
    logBug: (error) => void logExit(error, logger),
    withSettings: async (action) => {
      const config = await readConfig(flags.config, folder);
      const hasMapping = (flags.mapping ?? config.mapping) !== undefined;
      beganWithMapping ??= hasMapping;
      // Once the page has created a mapping from these sources, they are omitted, because the mapping names them.
      const own = hasMapping && !beganWithMapping ? [] : sources;
      const settings = settingsOf(config, { sources: own, flags, folder });
      return withNamingPlace(config.placeOf, () => action(settings));
    },
  };
}
