import { untilAborted } from "../../time/clock.ts";
import { sandbox } from "../../commands/serve-sandbox.ts";
import type { SandboxReady } from "../../sandbox/start-sandbox.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { faultsOf, type SandboxFlags } from "../options/sandbox-options.ts";
import { withConfig } from "../process/context.ts";
import type { Session } from "../process/session.ts";

/** Folder for the certificates. It is fixed, so that the value of `--ca` stays the same across restarts. */
const SANDBOX_FOLDER = ".migrate/sandbox";

export function sandboxAction(session: Session, flags: SandboxFlags): Promise<void> {
  return withConfig(session, flags, async (config, { dependencies, logger, write }) => {
    const { apiKey } = await dependencies.secrets({});
    const options = {
      apiKey,
      contract: flags.contract ?? config.contract ?? [],
      port: flags.port,
      folder: SANDBOX_FOLDER,
      faults: faultsOf(flags),
      suppliers: flags.suppliers,
      region: typeof config.rules?.["region"] === "string" ? config.rules["region"] : undefined,
      log: logger.detail,
      data: flags.data,
      maxBodyBytes: flags.maxBody,
      readyFile: flags.readyFile,
    };
    const running = await sandbox(options, dependencies);
    const { baseUrl, adminUrl } = running.ready;
    const fields = { baseUrl, adminUrl, readyFile: flags.readyFile };
    logger.lines(sandboxText(running.ready, apiKey === undefined), "sandbox_started", fields);
    if (flags.quiet === true && flags.readyFile === undefined) await write(`${baseUrl}\n`);
    await untilAborted(dependencies.drain);
    await running.close();
    return 0;
  });
}

/** Returns commands that push to the sandbox, ready to paste into a shell. Hides an API key that the user chose. */
function sandboxText({ baseUrl, ca, apiKey, supplier }: SandboxReady, showKey: boolean): string {
  const push = ["migrate", "push", "...", "--supplier", supplier, "--base-url", baseUrl, "--ca", ca];
  return `A local platform is listening at ${baseUrl}
Import supplier: ${supplier}
To push to the platform, run in another terminal:

${showKey ? `  export MIGRATE_API_KEY=${apiKey}\n` : ""}  ${shellCommand(push)}

Press Ctrl-C to stop the platform.
`;
}
