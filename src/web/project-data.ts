/** The project data in the header of every page. Contains no credentials. */
export interface ProjectData {
  /** The name of the folder. */
  readonly name: string;
  /** Absent if the folder has no configuration file. */
  readonly configFile?: string;
  /** Whether the project has no configuration file, no sources and no mapping. */
  readonly isEmpty: boolean;
  /** The host and port; absent if there is no target. */
  readonly target?: string;
  readonly isProduction: boolean;
  readonly supplier?: string;
  /** Name and version of this program, such as `energy-migrate/1.0.0`. */
  readonly tool: string;
}
