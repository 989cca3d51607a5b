import { sandbox } from "../commands/sandbox.ts";
import type { SupplierStatus } from "../sandbox/state.ts";
import type { SandboxReady } from "../sandbox/start-sandbox.ts";
import { shellLine } from "../run/shell-line.ts";
import { readConfig } from "./config-file.ts";
import type { FaultFlags } from "./fault-flags.ts";
import { faultsOf } from "./fault-flags.ts";
import type { Flags } from "./flags.ts";
import { inWorld } from "./in-world.ts";

export interface SandboxFlags extends Flags, FaultFlags {
  readonly port: number;
  readonly suppliers?: Readonly<Record<string, SupplierStatus>>;
  readonly data?: string;
  readonly readyFile?: string;
}

/** Where a sandbox keeps its certificates, so that `--ca` stays the same from one start to the next. */
const SANDBOX_FOLDER = ".migrate/sandbox";

export function sandboxAction(flags: SandboxFlags): Promise<void> {
  return inWorld(flags, async ({ parts, talk }) => {
    const config = await readConfig(flags.config, process.cwd());
    const { apiKey } = await parts.secrets({});
    const options = {
      apiKey,
      contract: flags.contract ?? config.contract ?? [],
      port: flags.port,
      folder: SANDBOX_FOLDER,
      faults: faultsOf(flags),
      suppliers: flags.suppliers,
      log: talk.detail,
      data: flags.data,
      readyFile: flags.readyFile,
    };
    const running = await sandbox(options, parts);
    talk.lines(sandboxText(running.ready, apiKey === undefined));
    await aborted(parts.drain);
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

${showKey ? `  export MIGRATE_API_KEY=${apiKey}\n` : ""}  ${shellLine(push)}

Ctrl-C stops it.
`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
