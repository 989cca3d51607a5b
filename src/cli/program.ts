import { Argument, Command, Help, type Option } from "commander";
import { documentationFolder, packageVersion } from "../runtime/installation.ts";
import { COMPLETE_COMMAND, SHELLS } from "./completion/completion-scripts.ts";
import { addInspectCommands } from "./inspect-commands.ts";
import { addHelpTexts } from "./options/help-texts.ts";
import { discardPlatformVariables } from "./options/option-origin.ts";
import {
  ARGUMENTS,
  checkOptions,
  initOptions,
  jobOptions,
  metricsOptions,
  options,
  rejectsOptions,
  reportOptions,
  sendOptions,
  targetOptions,
  threadOptions,
  withOptions,
} from "./options/options.ts";
import { faultOptions, sandboxOptions } from "./options/sandbox-options.ts";
import { optionsOf, refuseEmptyValues } from "./options/option-table.ts";
import { RECONCILE, REPORT_AGAIN, RESUME, WEB } from "./options/run-option-tables.ts";
import { onDemand, type Session } from "./process/session.ts";
import { addReadingCommands } from "./reading-commands.ts";

const runActions = () => import("./actions/run-actions.ts");
const setupActions = () => import("./actions/setup-actions.ts");
const completionActions = () => import("./actions/completion-action.ts");

const EXIT_CODES = `
Exit codes (if several apply: the first of 70, 7, 2, 6, 5, 4, 3, 1)
  0  every record valid, accepted, skipped or excluded
  1  some records invalid, rejected, duplicate, existing or stale
  2  invalid usage, configuration, contract or mapping, or unreadable input
  3  incomplete; safe to run again
  4  stopped by the platform or the document store: authentication, supplier
     paused or complete, TLS, redirect, wrong endpoint
  5  some records have an unknown outcome (ambiguous)
  6  storage failed; the ledger is corrupt, outdated or lost; or this machine
     reached a limit (open files, memory, threads)
  7  another command or program is using the ledger
  70 a bug in migrate
  130, 143  stopped immediately, usually by a second signal (130: Ctrl-C)`;

const help = new Help();

/**
 * Describes an option. Omits the preset `true`, because the brackets in `[true|false]` already show that the argument
 * is optional.
 */
function optionDescription(option: Option): string {
  return help.optionDescription(option).replace(' (preset: "true")', "");
}

/** Creates the command-line interface. Each action imports its modules when it runs. */
export function createProgram(session: Session): Command {
  const program = new Command("migrate")
    .description("Move customer accounts into an energy platform through its data-import API.")
    .version(packageVersion())
    .addHelpText("after", EXIT_CODES)
    .addHelpText("after", () => `\nDocumentation\n  ${documentationFolder()}`)
    .configureHelp({ sortSubcommands: false, minWidthToWrap: 16, optionDescription })
    // Errors are logged where they are caught, in the format of `--log-format`.
    .configureOutput({
      outputError: () => undefined,
      writeOut: (text) => void session.stdout.write(text),
      // If no command is given, Commander writes the help. It is not shown if messages are logged as JSON lines.
      writeErr: (text) => {
        if (requestedLogFormat(session.words) === "text") session.stderr.write(text);
      },
    })
    .addHelpText("beforeAll", refuseUnknownCommand)
    .exitOverride();
  program.commandsGroup("Get started:");
  addSetupCommands(program, session);
  program.commandsGroup("Migrate:");
  addRunCommands(program, session);
  program.commandsGroup("Inspect:");
  addInspectCommands(program, session);
  program.commandsGroup("Query the platform:");
  addReadingCommands(program, session);
  program.commandsGroup("Local platform:");
  addLocalPlatformCommands(program, session);
  refuseEmptyValues(program);
  program.commandsGroup("Shell:");
  addCompletionCommands(program, session);
  addHelpTexts(program);
  addHelpCommands(program);
  return program;
}

/**
 * Returns the log format for a command line that was refused. Its flags were not parsed, so this function searches its
 * words and then the environment.
 */
export function requestedLogFormat(words: readonly string[]): "text" | "json" {
  const [, typed = process.env["MIGRATE_LOG_FORMAT"]] = /(?:^|\s)--log-format[=\s](\S+)/.exec(words.join(" ")) ?? [];
  return typed === "json" ? "json" : "text";
}

/**
 * Refuses `migrate unknown --help` in the same way as `migrate unknown`, because showing the general help would hide
 * the mistake.
 */
function refuseUnknownCommand({ command }: { readonly command: Command }): string {
  const [name] = command.args;
  const isUnknown = name !== undefined && !name.startsWith("-") && command.commands.length > 0;
  if (isUnknown && command.commands.every((each) => each.name() !== name)) command.parse([name], { from: "user" });
  return "";
}

/**
 * Whether a command connects to a platform or a store. Most commands that connect have an option for the address.
 * `config` and `changes` have this option but do not connect. The commands in the last list take the address from the
 * run or start the platform themselves. `proof` connects only with `--read-back`.
 */
export function usesNetwork(command: Command): boolean {
  const named = command.options.some(({ long }) => long === "--base-url" || long === "--store");
  if (command.parent?.name() === "config" || command.name() === "changes") return false;
  if (command.name() === "proof") return command.getOptionValue("readBack") === true;
  return named || ["resume", "reconcile", "worker", "compare", "demo"].includes(command.name());
}

function addRunCommands(program: Command, session: Session): void {
  withOptions(program.command("validate"), [
    ...jobOptions,
    ...rejectsOptions,
    ...reportOptions,
    ...checkOptions,
    ...threadOptions,
    ...metricsOptions,
    ...options("ledger", "showValues"),
  ])
    .description("Read, map and validate the sources, then report. Works offline.")
    .argument(...ARGUMENTS.sources)
    .action(onDemand(session, async () => (await runActions()).validateAction));

  withOptions(program.command("push"), [
    ...jobOptions,
    ...rejectsOptions,
    ...reportOptions,
    ...checkOptions,
    ...threadOptions,
    ...targetOptions,
    ...sendOptions,
    ...metricsOptions,
    ...options("ledger", "showValues"),
  ])
    .description("Validate the sources, then send the valid records. Accepted records are not sent again.")
    .argument(...ARGUMENTS.sources)
    .action(onDemand(session, async () => (await runActions()).pushAction));

  addRunFollowUps(program, session);
}

/** Adds the commands that continue or inspect an earlier run. */
function addRunFollowUps(program: Command, session: Session): void {
  withOptions(program.command("resume"), [
    ...options("config", "cache", "ledger", "showValues", "target", "baseUrl", "ca", "proxy"),
    ...optionsOf(RESUME),
    ...reportOptions,
    ...metricsOptions,
  ])
    .description("Continue an unfinished push with its recorded settings.")
    .hook("preAction", discardPlatformVariables)
    .argument(...ARGUMENTS.run)
    .action(onDemand(session, async () => (await runActions()).resumeAction));

  withOptions(program.command("reconcile"), [
    ...options("config", "cache", "ledger", "showValues", "target", "baseUrl", "ca", "proxy"),
    ...optionsOf(RECONCILE),
    ...reportOptions,
  ])
    .description("Resolve the ambiguous records of a push: query the platform, or record your own decision.")
    .hook("preAction", discardPlatformVariables)
    .argument(...ARGUMENTS.run)
    .action(onDemand(session, async () => (await runActions()).reconcileAction));

  withOptions(program.command("worker"), options("config", "cache", "ledger", "target", "baseUrl", "ca", "proxy"))
    .description("Join a running push as a worker, and send some of the push's records. Needs a ledger in PostgreSQL.")
    .hook("preAction", discardPlatformVariables)
    .option("--run <id>", "id of the run, or its first characters (default: the latest)")
    .action(onDemand(session, async () => (await runActions()).workerAction));

  withOptions(program.command("report"), [
    ...options("config", "cache", "ledger"),
    ...reportOptions,
    ...optionsOf(REPORT_AGAIN),
  ])
    .description("Render the report of a run again. Works offline.")
    .argument(...ARGUMENTS.run)
    .action(onDemand(session, async () => (await runActions()).reportAction));

  withOptions(program.command("web"), [
    ...jobOptions,
    ...threadOptions,
    ...targetOptions,
    ...options("ledger"),
    ...optionsOf(WEB),
  ])
    .description("Work on the migration in the browser: progress, problems, corrections and the mapping.")
    .argument("[sources...]", "files or globs")
    .action(onDemand(session, async () => (await import("./actions/web-action.ts")).webAction));
}

function addLocalPlatformCommands(program: Command, session: Session): void {
  withOptions(program.command("sandbox"), [
    ...options("config", "contract", "cache"),
    ...sandboxOptions,
    ...faultOptions,
  ])
    .description("Run a local platform over HTTPS for rehearsals and tests, with faults on demand. Stops on SIGTERM.")
    .action(onDemand(session, async () => (await import("./actions/sandbox-action.ts")).sandboxAction));

  withOptions(program.command("demo"), options("showValues"))
    .description("Demonstrate a migration of sample data to a sandbox.")
    .option("--cluster", "use three workers and a temporary PostgreSQL server, and kill one worker during the push")
    .option("--ledger <url>", "with --cluster: use this PostgreSQL database instead of a temporary one")
    .action(onDemand(session, async () => (await import("./actions/demo-action.ts")).demoAction));
}

function addCompletionCommands(program: Command, session: Session): void {
  program
    .command("completion")
    .description("Print a shell completion script, which also completes targets, runs and keys.")
    .addArgument(new Argument("<shell>", "shell that will load the script").choices(SHELLS))
    .action(onDemand(session, async () => (await completionActions()).completionAction));

  program
    .command(COMPLETE_COMMAND, { hidden: true })
    .argument("[words...]")
    .option("--empty", "the word to complete is empty")
    .action(onDemand(session, async () => (await completionActions()).completeAction));
}

function addHelpCommands(group: Command): void {
  for (const command of group.commands) if (command.commands.length > 0) addHelpCommands(command);
  group
    .helpCommand(false)
    .command("help")
    .helpGroup("Commands:")
    .description("Display help for a command.")
    .argument("[command...]")
    .option("--all", "also show the help for all subcommands")
    .action((names: readonly string[], { all = false }: { readonly all?: boolean }) => showHelp(group, names, all));
}

/** Prints the help of a command. Refuses `help unknown` in the same way as the unknown command itself. */
async function showHelp(command: Command, [name, ...below]: readonly string[], all: boolean): Promise<void> {
  if (all && name === undefined) return (await import("./options/complete-help.ts")).printCompleteHelp(command);
  if (name === undefined || command.commands.length === 0) return command.help();
  const named = command.commands.find((each) => each.name() === name);
  if (named !== undefined) return showHelp(named, below, all);
  await command.parseAsync([name], { from: "user" });
}

function addSetupCommands(program: Command, session: Session): void {
  withOptions(program.command("init"), initOptions)
    .description("Draft a mapping and a configuration file from extracts. Works offline.")
    .argument("[sources...]", "all files of the extract, or globs")
    .action(onDemand(session, async () => (await setupActions()).initAction));

  const schema = program
    .command("schema")
    .description("Print JSON Schemas for completion and validation in editors. Works offline.");
  withOptions(schema.command("config"), [])
    .description("Print the JSON Schema for migrate.yaml.")
    .action(onDemand(session, async () => (await setupActions()).configSchemaAction));
  withOptions(schema.command("mapping"), options("config", "contract", "cache", "operation"))
    .description("Print the JSON Schema for a mapping. With a contract, it includes the contract's fields.")
    .action(onDemand(session, async () => (await setupActions()).mappingSchemaAction));
}
