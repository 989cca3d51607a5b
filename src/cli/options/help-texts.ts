import type { Command } from "commander";
import { CREDENTIAL_VARIABLES, STORE_CREDENTIAL_VARIABLES } from "./credential-variables.ts";

/** Examples for the help, by command. The keys and the examples omit the word `migrate`. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  init: ["init accounts.csv customers.csv --contract operator.yaml"],
  "schema config": ["schema config"],
  "schema mapping": ["schema mapping --contract operator.yaml --operation import-account"],
  validate: ["validate", "validate accounts.ndjson --contract operator.yaml --out report"],
  push: ["push --target test", "push --target live --limit 10 --yes"],
  resume: ["resume", "resume 20261120-2341"],
  worker: ["worker --ledger postgres://migrate@db.example/migrate"],
  reconcile: ["reconcile", "reconcile --accept EXT-00123"],
  report: ["report --format csv", "report --all", "report --drift"],
  web: ["web", "web --no-open --port 8080"],
  status: ["status --format json"],
  open: ["open --by cause", "open --format csv --since 2026-11-20"],
  explain: ["explain EXT-00123"],
  preview: ["preview --limit 3", "preview --only EXT-00123"],
  doctor: ["doctor", "doctor --offline --limit 1000"],
  "config show": ["config show --target live"],
  changes: ["changes", "changes --format csv"],
  compare: ["compare 20261120-2341", "compare --all --format csv", "compare --all --unverified"],
  exclude: [
    'exclude EXT-00123 --reason "closed in 2019"',
    "exclude --from closed.txt --reason closed",
    "exclude --undo EXT-00123",
  ],
  "corrections add": [
    "corrections add 00010008 DOB 18/08/1969 --in customers",
    "corrections add --from fixes.csv",
    "corrections add --rejects report",
  ],
  "corrections list": ["corrections list --show-values"],
  "corrections remove": ["corrections remove 00010008 --in customers --column DOB"],
  "documents check": ["documents check --store ./documents"],
  "run show": ["run show 20261120-2341"],
  "run files": ["run files 20261120-2341 --out as-it-was"],
  "ledger check": ["ledger check --ledger .migrate/ledger.db"],
  "ledger repair": ["ledger repair"],
  "ledger export": ["ledger export"],
  "contract check": ["contract check operator.yaml ours.overlay.yaml"],
  "contract show": [
    "contract show operator.yaml --operation import-account --required",
    "contract show operator.yaml --search postcode",
  ],
  "contract diff": ["contract diff old.yaml new.yaml --mapping mapping.yaml"],
  proof: ["proof --out audit"],
  "proof verify": ["proof verify audit"],
  products: ["products --green --available-at 2026-01-01"],
  rates: ["rates HALFHOURLY-24-10-01 E-1R-HALFHOURLY-24-10-01-C --plot"],
  account: ["account A-5A3D1C0B"],
  token: ["token --target test"],
  sandbox: ["sandbox --port 8443 --ready-file ready.json"],
  demo: ["demo", "demo --cluster"],
  completion: ["completion bash"],
};

/** Adds text below the options of every command: examples, and the variables for secrets. */
export function addHelpTexts(group: Command, names: readonly string[] = []): void {
  for (const command of group.commands) {
    const words = [...names, command.name()];
    addHelpTexts(command, words);
    const examples = EXAMPLES[words.join(" ")];
    const flags = new Set(command.options.map(({ long }) => long));
    if (flags.has("--base-url")) command.addHelpText("after", variablesText(CREDENTIAL_VARIABLES));
    if (flags.has("--store")) command.addHelpText("after", variablesText(STORE_CREDENTIAL_VARIABLES));
    if (examples !== undefined) command.addHelpText("after", examplesText(examples));
  }
}

function examplesText(examples: readonly string[]): string {
  return ["", "Examples:", ...examples.map((words) => `  migrate ${words}`)].join("\n");
}

function variablesText(variables: Readonly<Record<string, string>>): string {
  const lines = Object.entries(variables).map(([name, meaning]) => `  ${name.padEnd(26)}${meaning}`);
  return ["", "Credentials (from the environment or private files only):", ...lines].join("\n");
}
