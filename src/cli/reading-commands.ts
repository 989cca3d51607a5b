import type { Command } from "commander";
import type { Session } from "./process/session.ts";
import { formatOption, options, targetOptions, withOptions } from "./options/options.ts";
import {
  type ProductFlags,
  productOptions,
  type RateFlags,
  rateOptions,
  type ReadingFlags,
  recordFormatOptions,
  type TokenFlags,
  tokenOptions,
} from "./options/reading-options.ts";

/** Adds the commands that read from the platform. */
export function addReadingCommands(program: Command, session: Session): void {
  const config = options("config");
  const shared = [...recordFormatOptions, ...targetOptions];

  withOptions(program.command("products"), [...config, ...productOptions, ...shared])
    .description("List the products of the platform. Needs no credentials.")
    .action(async (flags: ProductFlags) =>
      (await import("./actions/reading-actions.ts")).productsAction(flags, session),
    );

  withOptions(program.command("rates"), [...config, ...rateOptions, ...shared])
    .description("List the rates of a tariff. Needs no credentials.")
    .argument("<product>", "product code")
    .argument("<tariff>", "tariff code")
    .action(async (product: string, tariff: string, flags: RateFlags) =>
      (await import("./actions/reading-actions.ts")).ratesAction(product, tariff, flags, session),
    );

  withOptions(program.command("account"), [...config, ...shared])
    .description("Show an account as stored on the platform. The output contains personal data.")
    .argument("<number>", "account number on the platform")
    .action(async (number: string, flags: ReadingFlags) =>
      (await import("./actions/reading-actions.ts")).accountAction(number, flags, session),
    );

  withOptions(program.command("token"), [...config, ...targetOptions, formatOption(), ...tokenOptions])
    .description("Show the owner, expiry and authorization scheme of a new or given token.")
    .action(async (flags: TokenFlags) => (await import("./actions/reading-actions.ts")).tokenAction(flags, session));
}
