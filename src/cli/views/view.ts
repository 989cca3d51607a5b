import type { Screen } from "../../job/dependencies.ts";
import type { InspectFlags } from "../options/options.ts";
import type { Context } from "../process/context.ts";

/** What a command shows, in each of its formats. */
export interface View<T> {
  readonly text: (shown: T, options: ViewOptions) => string;
  readonly json: (shown: T, options: ViewOptions) => string;
  readonly markdown?: (shown: T) => string;
}

export interface ViewOptions {
  readonly screen: Screen;
  /** Values of cells may be shown, not only their shapes. */
  readonly showValues: boolean;
  readonly verbose: boolean;
}

/** Writes it to stdout in the format that was asked for; what showed progress goes. */
export async function show<T>(
  view: View<T>,
  shown: T,
  { format, showValues = false, verbose = false }: InspectFlags,
  { dependencies, write, close }: Context,
): Promise<void> {
  close();
  const formatted = view[format] ?? view.text;
  await write(formatted(shown, { screen: dependencies.screen, showValues, verbose }));
}
