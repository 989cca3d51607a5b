import type { Command } from "commander";
import { onDemand, type Session } from "./process/session.ts";
import { formatOption, options, targetOptions, withOptions } from "./options/options.ts";
import { productOptions, rateOptions, recordFormatOptions, tokenOptions } from "./options/reading-options.ts";

const readingActions = () => import("./actions/reading-actions.ts");

/** Adds the commands that read from the platform. */
export function addReadingCommands(program: Command, session: Session): void {
  const config = options("config");
  const shared = [...recordFormatOptions, ...targetOptions];

  withOptions(program.command("products"), [...config, ...productOptions, ...shared])
    .description("List the products of the platform. Needs no credentials.")
    .action(onDemand(session, async () => (await readingActions()).productsAction));

  withOptions(program.command("rates"), [...config, ...rateOptions, ...shared])
    .description("List the rates of a tariff. Needs no credentials.")
    .argument("<product>", "product code")
    .argument("<tariff>", "tariff code")
    .action(onDemand(session, async () => (await readingActions()).ratesAction));

  withOptions(program.command("account"), [...config, ...shared])
    .description("Show an account as stored on the platform. The output contains personal data.")
    .argument("<number>", "account number on the platform")
    .action(onDemand(session, async () => (await readingActions()).accountAction));

  withOptions(program.command("token"), [...config, ...targetOptions, formatOption(), ...tokenOptions])
    .description("Show the owner, expiry and authentication scheme of the token that a push would use.")
    .action(onDemand(session, async () => (await readingActions()).tokenAction));
}
