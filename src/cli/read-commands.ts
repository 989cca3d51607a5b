import type { Command, Option } from "commander";
import { configOption, talkOptions, targetOptions } from "./options.ts";
import {
  extentOptions,
  type ProductFlags,
  productOptions,
  type RateFlags,
  rateOptions,
  type ReadFlags,
  readFormatOption,
} from "./read-flags.ts";

/** The commands that read from the platform: products, rates, account. */
export function addReadCommands(program: Command): void {
  withOptions(program.command("products"), [...productOptions, ...extentOptions])
    .description("The platform's products. No credentials.")
    .action(async (flags: ProductFlags) => (await import("./read-actions.ts")).productsAction(flags));

  withOptions(program.command("rates"), [...rateOptions, ...extentOptions])
    .description("The rates of a tariff. No credentials.")
    .argument("<product>", "product code")
    .argument("<tariff>", "tariff code")
    .action(async (product: string, tariff: string, flags: RateFlags) =>
      (await import("./read-actions.ts")).ratesAction(product, tariff, flags),
    );

  withOptions(program.command("account"), [])
    .description("One account as the platform has it. It is personal data.")
    .argument("<number>", "the platform's own number of the account")
    .action(async (number: string, flags: ReadFlags) =>
      (await import("./read-actions.ts")).accountAction(number, flags),
    );
}

function withOptions(command: Command, options: readonly Option[]): Command {
  for (const option of [configOption, ...options, readFormatOption, ...targetOptions, ...talkOptions]) {
    command.addOption(option);
  }
  return command;
}
