import type { Command } from "commander";

/** `help <command>`, for the program and for each of its groups. */
export function addHelpCommands(group: Command): void {
  for (const command of group.commands) if (command.commands.length > 0) addHelpCommands(command);
  group
    .helpCommand(false)
    .command("help")
    .helpGroup("Commands:")
    .description("display help for command")
    .argument("[command...]")
    .action((names: readonly string[]) => showHelp(group, names));
}

/** A command that there is not gets the words that it gets without `help`. */
async function showHelp(command: Command, [name, ...below]: readonly string[]): Promise<void> {
  if (name === undefined || command.commands.length === 0) return command.help();
  const named = command.commands.find((each) => each.name() === name);
  if (named !== undefined) return showHelp(named, below);
  await command.parseAsync([name], { from: "user" });
}
