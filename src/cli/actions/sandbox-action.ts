import { sandbox } from "../../commands/serve-sandbox.ts";
import type { SupplierStatus } from "../../sandbox/state/sandbox-state.ts";
import type { SandboxReady } from "../../sandbox/start-sandbox.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { readConfig } from "../settings/config-file.ts";
import type { FaultFlags } from "../options/sandbox-options.ts";
import { faultsOf } from "../options/sandbox-options.ts";
import type { Flags } from "../options/options.ts";
import { withContext } from "../process/context.ts";

export interface SandboxFlags extends Flags, FaultFlags {
  readonly port: number;
  readonly suppliers?: Readonly<Record<string, SupplierStatus>>;
  readonly data?: string;
  readonly readyFile?: string;
}

/** Where a sandbox keeps its certificates, so that `--ca` stays the same from one start to the next. */
const SANDBOX_FOLDER = ".migrate/sandbox";

export function sandboxAction(flags: SandboxFlags): Promise<void> {
  return withContext(flags, async ({ dependencies, logger }) => {
    const config = await readConfig(flags.config, process.cwd());
    const { apiKey } = await dependencies.secrets({});
    const options = {
      apiKey,
      contract: flags.contract ?? config.contract ?? [],
      port: flags.port,
      folder: SANDBOX_FOLDER,
      faults: faultsOf(flags),
      suppliers: flags.suppliers,
      log: logger.detail,
      data: flags.data,
      readyFile: flags.readyFile,
    };
    const running = await sandbox(options, dependencies);
    logger.lines(sandboxText(running.ready, apiKey === undefined));
    await untilAborted(dependencies.drain);
    await running.close();
    return 0;
  });
}

/** How to talk to it, ready to be pasted into a shell. A key of the user's own is not shown. */
function sandboxText({ baseUrl, ca, apiKey, supplier, adminUrl }: SandboxReady, showKey: boolean): string {
  const push = ["migrate", "push", "...", "--supplier", supplier, "--base-url", baseUrl, "--ca", ca];
  return `A local platform listens at ${baseUrl}
Import supplier ${supplier}. What it received: ${adminUrl}history
Push to it from another terminal:

${showKey ? `  export MIGRATE_API_KEY=${apiKey}\n` : ""}  ${shellCommand(push)}

Ctrl-C stops it.
`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
