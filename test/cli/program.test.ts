import type { Command } from "commander";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type FaultFlags, faultsOf } from "../../src/cli/options/sandbox-options.ts";
import { createProgram } from "../../src/cli/program.ts";
import { IDLE_SESSION } from "./idle-session.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Returns the arguments that the action receives for this command line. */
async function typed(line: string): Promise<{ readonly sources: unknown; readonly flags: FaultFlags }> {
  const program = createProgram(IDLE_SESSION);
  let seen: { sources: unknown; flags: FaultFlags } | undefined;
  for (const command of allCommands(program)) {
    command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    if (command.commands.length > 0) continue;
    command.action((...given: readonly unknown[]) => {
      seen = { sources: given.length > 2 ? given[0] : undefined, flags: command.opts<FaultFlags>() };
    });
  }
  await program.parseAsync(line.split(" "), { from: "user" });
  if (seen === undefined) throw new Error("no action ran");
  return seen;
}

function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

describe("the command line", () => {
  it("parses the flags of push", async () => {
    const { sources, flags } = await typed(
      "push a.csv b.csv --contract c.yaml --contract o.yaml --source x=1.csv --source x=2.csv --only A,B, --only C " +
        "--limit 10 --max-errors 2.5% --concurrency 32 --rps 0.5 --no-color --log-format json --yes --dry-run",
    );
    expect(sources).toEqual(["a.csv", "b.csv"]);
    expect(flags).toMatchObject({
      contract: ["c.yaml", "o.yaml"],
      source: ["x=1.csv", "x=2.csv"],
      only: ["A", "B", "C"],
      limit: 10,
      maxErrors: { share: 0.025 },
      concurrency: 32,
      rps: 0.5,
      color: false,
      logFormat: "json",
      format: "text",
      yes: true,
      dryRun: true,
    });
  });

  it("reads a setting from the environment unless a flag sets it", async () => {
    vi.stubEnv("MIGRATE_CONTRACT", "env.yaml");
    vi.stubEnv("MIGRATE_MAX_ERRORS", "20");
    vi.stubEnv("MIGRATE_CONCURRENCY", "auto");
    expect((await typed("push")).flags).toMatchObject({
      contract: ["env.yaml"],
      maxErrors: { count: 20 },
      concurrency: "auto",
    });
    expect((await typed("push --contract typed.yaml")).flags).toMatchObject({ contract: ["typed.yaml"] });
  });

  it.each([
    ["validate --limit 0", "Expected a whole number of at least 1."],
    ["sandbox --port 65536", "Expected a whole number from 0 to 65535."],
    ["validate --threads many", "Expected a whole number from 1 to 64, or auto."],
    ["push --concurrency many", "Expected a whole number from 1 to 1024, or auto."],
    ["validate --mapping=", "The value is empty. Enter a value, or omit the option or argument."],
    ["validate --supplier=ACME\u00a0", "Expected a code without whitespace at its start or end."],
    ["validate --supplier=", "Expected a code without whitespace at its start or end."],
    ["validate --only=,", "The value is empty. Enter a value, or omit the option or argument."],
    ["validate --contract=", "The value is empty. Enter a value, or omit the option or argument."],
  ])("refuses %s and says what it expects", async (line, words) => {
    await expect(typed(line)).rejects.toThrow(words);
  });

  it.each([
    "validate --limit 0",
    "validate --limit 1e3",
    "validate --max-errors 101%",
    "validate --max-errors -1",
    "validate --format xml",
    "push --concurrency 0",
    "push --concurrency 1025",
    "push --rps 0",
    "push --rps 0.0000001",
    "push --rps fast",
    "push --api-key sk_live_1",
    "demo --config x.yaml",
    "explain",
    "sandbox --port 65536",
    "sandbox --throttle every:0",
    "sandbox --throttle 101%",
    "sandbox --throttle sometimes",
    "sandbox --latency 20-",
    "sandbox --latency 5-1",
    "sandbox --suppliers A,B,A=Paused",
    "sandbox --error-status 418",
  ])("refuses %s", async (line) => {
    await expect(typed(line)).rejects.toMatchObject({ name: "CommanderError", exitCode: 1 });
  });

  it("parses the faults of a sandbox", async () => {
    const { flags } = await typed(
      "sandbox --latency 20-80 --throttle every:10 --error-after 12.5% --cut-after at:3,7 --retry-after 2 " +
        "--error-status 502 --token-lifetime 60 --refresh-lifetime 90 --max-logins 3 --forgetful --seed 0",
    );
    expect(faultsOf(flags)).toEqual({
      latencyMs: [20, 80],
      throttle: { every: 10 },
      errorAfter: { share: 0.125 },
      cutAfter: { at: [3, 7] },
      retryAfter: 2,
      errorStatus: 502,
      tokenLifetimeSeconds: 60,
      refreshLifetimeSeconds: 90,
      maxLogins: 3,
      forgetful: true,
      seed: 0,
    });
  });

  it("reads a fixed latency as one number, and sets no fault without a flag", async () => {
    expect(faultsOf((await typed("sandbox --latency 50 --retry-after none")).flags)).toEqual({
      latencyMs: 50,
      retryAfter: "none",
    });
    expect(faultsOf((await typed("sandbox")).flags)).toEqual({});
  });
});
