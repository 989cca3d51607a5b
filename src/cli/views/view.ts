import type { Screen } from "../../job/dependencies.ts";
import { indentedJson } from "../../terminal/safe-json.ts";
import type { InspectFlags } from "../options/options.ts";
import type { Context } from "../process/context.ts";

/** The output of a command, in each of its formats. */
export interface View<T> {
  readonly text: (shown: T, options: ViewOptions) => string;
  /** The default is the value itself as JSON. */
  readonly json?: (shown: T, options: ViewOptions) => string;
  readonly markdown?: (shown: T) => string;
}

export interface ViewOptions {
  readonly screen: Screen;
  /** Whether cell values may be shown in addition to their shapes. */
  readonly showValues: boolean;
  readonly verbose: boolean;
}

/** Writes a value to stdout in the requested format and ends the progress display. Returns the exit code 0. */
export async function show<T extends object>(
  view: View<T>,
  shown: T,
  { format, showValues = false, verbose = false }: InspectFlags,
  { dependencies, write, close }: Context,
): Promise<number> {
  close();
  const formatted = view[format] ?? (format === "json" ? indentedJson : view.text);
  await write(formatted(shown, { screen: dependencies.screen, showValues, verbose }));
  return 0;
}
