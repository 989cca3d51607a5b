/** The project, for the header of every page. Contains no credentials. */
export interface ProjectData {
  /** Name of the folder. */
  readonly name: string;
  /** Absent in a folder without a configuration file. */
  readonly configFile?: string;
  /** Whether there is anything to work on: a configuration file, or sources on the command line. */
  readonly isEmpty: boolean;
  /** Host and port; absent without a target. */
  readonly target?: string;
  readonly isProduction: boolean;
  readonly supplier?: string;
  /** `energy-migrate/1.0.0` */
  readonly tool: string;
}
