import type { PushOptions } from "../commands/upload/push.ts";
import type { Dependencies } from "../job/dependencies.ts";
import type { TargetSettings } from "../job/settings/platform-settings.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { OwnerRule } from "../model/owner.ts";
import type { Inventory } from "../options/migration-options.ts";

/** The settings that `validate`, `push` and `status` would use in the folder of the project. */
export interface ProjectSettings extends Omit<PushOptions, "target" | "by" | "dryRun" | "yes"> {
  readonly target: TargetSettings | undefined;
  /** Path of the configuration file; undefined if there is none. */
  readonly configFile: string | undefined;
  readonly inventory?: Inventory | undefined;
  readonly owners?: readonly OwnerRule[] | undefined;
}

export interface WebProject {
  /** The working folder. Paths in the settings are relative to it. */
  readonly folder: string;
  /** The user who runs the command. */
  readonly operator: string;
  readonly dependencies: Dependencies;
  /**
   * Reads the settings and runs an action with them. Reads them for each request, because files may change.
   * @throws Failure if the settings cannot be read, and the failures of the action
   */
  readonly withSettings: <T>(action: (settings: ProjectSettings) => Promise<T>) => Promise<T>;
  /**
   * Called before any request is sent to the platform.
   * @throws Failure `config` if other users could have changed the settings
   */
  readonly checkBeforeSending: (configFile: string | undefined) => Promise<void>;
  /** The JSON Schema of configuration files, for editors. */
  readonly configSchema: () => JsonObject;
  /** Writes an unexpected error to the log of the command. */
  readonly logBug: (error: unknown) => void;
}
