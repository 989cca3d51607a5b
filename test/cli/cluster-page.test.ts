import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { createProgram } from "../../src/cli/program.ts";
import { IDLE_SESSION } from "./idle-session.ts";

const page = readFileSync(new URL("../../docs/cluster.md", import.meta.url), "utf8");
const [composeFile = "", jobFile = ""] = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(([, text = ""]) => text);

/** Returns the words of a command that are neither a known command nor a known option. */
function unknownWords(words: readonly string[]): readonly string[] {
  const [name = "", ...rest] = words;
  const command = createProgram(IDLE_SESSION).commands.find((one) => one.name() === name);
  if (command === undefined) return [name];
  const known = new Set(command.options.map(({ long }) => long));
  return rest.filter((word) => word.startsWith("--") && !known.has(word));
}

/** Returns the variables with our prefix that no option reads. */
function unknownVariables(names: readonly string[]): readonly string[] {
  const options = createProgram(IDLE_SESSION).commands.flatMap((command) => command.options);
  const known = new Set(options.flatMap(({ envVar }) => envVar ?? []));
  return names.filter((name) => name.startsWith("MIGRATE_") && name !== "MIGRATE_API_KEY" && !known.has(name));
}

test("the Compose file in docs/cluster.md is valid YAML with known commands and variables", () => {
  const service = z.looseObject({ command: z.string(), environment: z.record(z.string(), z.string()) });
  const { services } = z
    .looseObject({ services: z.object({ database: z.looseObject({}), push: service, worker: service }) })
    .parse(parse(composeFile, { merge: true }));
  for (const { command, environment } of [services.push, services.worker]) {
    expect(unknownWords(command.split(" "))).toEqual([]);
    expect(unknownVariables(Object.keys(environment))).toEqual([]);
  }
  expect(services.push.environment["MIGRATE_LEDGER"]).toContain("@database/");
});

test("the Kubernetes Job in docs/cluster.md is valid YAML with mounted volumes and known commands and variables", () => {
  const named = z.array(z.looseObject({ name: z.string() }));
  const container = z.looseObject({ args: z.tuple([z.string()]), env: named, volumeMounts: named });
  const pod = z.looseObject({ containers: z.tuple([container]), volumes: named });
  const job = z.looseObject({
    apiVersion: z.literal("batch/v1"),
    kind: z.literal("Job"),
    spec: z.looseObject({
      completionMode: z.literal("Indexed"),
      completions: z.number(),
      parallelism: z.number(),
      template: z.object({ spec: pod }),
    }),
  });
  const { containers, volumes } = job.parse(parse(jobFile)).spec.template.spec;
  const [{ args, env, volumeMounts }] = containers;
  const commands = [...args[0].matchAll(/migrate ([a-z][^;&)\n]*)/g)].map(([, words = ""]) => words.trim().split(" "));
  expect(commands.map(([name]) => name)).toEqual(["worker", "status", "resume", "push"]);
  expect(commands.flatMap(unknownWords)).toEqual([]);
  expect(unknownVariables(env.map(({ name }) => name))).toEqual([]);
  expect(volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
});
