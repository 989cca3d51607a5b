import type { Command, Option } from "commander";
import { configOption, messageOptions, targetOptions } from "./options/options.ts";
import {
  extentOptions,
  type ProductFlags,
  productOptions,
  type RateFlags,
  rateOptions,
  type ReadingFlags,
  recordFormatOption,
} from "./options/reading-options.ts";

/** The commands that read from the platform: products, rates, account. */
export function addReadingCommands(program: Command): void {
  withReadingOptions(program.command("products"), [...productOptions, ...extentOptions])
    .description("The platform's products. No credentials.")
    .action(async (flags: ProductFlags) => (await import("./actions/reading-actions.ts")).productsAction(flags));

  withReadingOptions(program.command("rates"), [...rateOptions, ...extentOptions])
    .description("The rates of a tariff. No credentials.")
    .argument("<product>", "product code")
    .argument("<tariff>", "tariff code")
    .action(async (product: string, tariff: string, flags: RateFlags) =>
      (await import("./actions/reading-actions.ts")).ratesAction(product, tariff, flags),
    );

  withReadingOptions(program.command("account"), [])
    .description("One account as the platform has it. It is personal data.")
    .argument("<number>", "the platform's own number of the account")
    .action(async (number: string, flags: ReadingFlags) =>
      (await import("./actions/reading-actions.ts")).accountAction(number, flags),
    );
}

function withReadingOptions(command: Command, options: readonly Option[]): Command {
  for (const option of [configOption, ...options, recordFormatOption, ...targetOptions, ...messageOptions]) {
    command.addOption(option);
  }
  return command;
}
