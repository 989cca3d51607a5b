/** SQL condition of pushes whose input was read completely. Their records count as planned for sending. */
export const PLANNED_PUSHES: string = "runs.command = 'push' and not runs.dry_run and runs.state <> 'planning'";
