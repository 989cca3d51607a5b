import { stat } from "node:fs/promises";
import { Failure } from "../model/failure.ts";

const BY_OTHERS = 0o002;

/**
 * Asks, before anything is sent, that nobody else can have changed where it goes: the configuration file names the
 * platform, and the files that hold credentials. Commands that send nothing do not mind.
 * @throws Failure `config`
 */
export async function refuseWritableByOthers(configFile: string | undefined): Promise<void> {
  if (configFile === undefined || process.platform === "win32") return;
  const { mode } = await stat(configFile);
  if ((mode & BY_OTHERS) === 0) return;
  throw new Failure("config", `anybody may change the configuration file ${configFile}, which says where to send`, {
    hint: `let nobody else write to it: \`chmod o-w ${configFile}\``,
  });
}
