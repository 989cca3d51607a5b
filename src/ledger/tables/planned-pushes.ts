/** SQL condition: the run is a push whose input was read completely. Its records count as planned for sending. */
export const PLANNED_PUSHES: string = "runs.command = 'push' and not runs.dry_run and runs.state <> 'planning'";
