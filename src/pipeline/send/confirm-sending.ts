import type { Dependencies } from "../../job/dependencies.ts";
import { type Counts, sendTotals } from "../../job/run-progress.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import type { Run } from "../../ledger/records/run.ts";
import { Failure } from "../../model/failure.ts";
import type { RunValues } from "../../options/run-options.ts";
import { counted } from "../../text/count.ts";

interface RiskSettings extends RunValues {
  readonly target: TargetSettings;
}

/**
 * Checks that the user can be asked for confirmation, if sending requires it.
 * @throws Failure `wrong_target` or `usage` if the user cannot be asked
 */
export function requirePrompt(settings: RiskSettings, host: string, { canAsk }: Dependencies): void {
  if (canAsk) return;
  if (settings.target.production) throw unconfirmedTarget(host);
  if (settings.sendInvalid === true) throw unconfirmedInvalid();
}

/**
 * Asks for confirmation before sending to production, or before sending locally invalid records. The question names the
 * destination.
 * @throws Failure `wrong_target` or `usage` unless the user types the host
 */
export async function confirmSending(
  settings: RiskSettings,
  { run, counts }: { readonly run: Run; readonly counts: Counts },
  { ask }: Dependencies,
): Promise<void> {
  const host = run.target;
  const supplier = run.supplier === "" ? "" : `, supplier ${run.supplier}`;
  const { total, done } = sendTotals(counts);
  const isConfirmed = async (what: string): Promise<boolean> =>
    (await ask(`Run ${run.id}: ${what}, ${host}${supplier}.\nType the host to continue (${host}): `))?.trim() === host;
  const records = counted(total - done, "record");
  if (settings.target.production && !(await isConfirmed(`this sends ${records} to production`))) {
    throw unconfirmedTarget(host);
  }
  if (
    settings.sendInvalid === true &&
    !(await isConfirmed(`this sends ${records}, including records that fail local validation`))
  ) {
    throw unconfirmedInvalid();
  }
}

const HINT =
  "type the host when asked, or pass --yes to `migrate push` (in a program: `allowProduction: true`); nothing was sent";

export function unconfirmedTarget(host: string): Failure {
  return new Failure("wrong_target", `${host} is a production target, and sending to it was not confirmed`, {
    hint: HINT,
  });
}

function unconfirmedInvalid(): Failure {
  return new Failure(
    "usage",
    "--send-invalid sends records that fail local validation, but sending them was not confirmed",
    {
      hint: HINT,
    },
  );
}
