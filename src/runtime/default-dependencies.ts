import { homedir, tmpdir } from "node:os";
import type { Dependencies } from "../job/dependencies.ts";
import { systemClock } from "../time/system-clock.ts";
import { packageVersion, userStateFolder } from "./installation.ts";

/** Returns the dependencies that the command line and the library share. */
export function defaultDependencies(): Pick<
  Dependencies,
  "clock" | "random" | "userAgent" | "rescueFolder" | "stateFolder"
> {
  return {
    clock: systemClock,
    random: Math.random,
    userAgent: `energy-migrate/${packageVersion()}`,
    rescueFolder: tmpdir(),
    stateFolder: () => userStateFolder({ env: process.env, platform: process.platform, home: homedir() }),
  };
}
