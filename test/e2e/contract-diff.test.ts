import { expect, test } from "vitest";
import { runCli } from "./cli.ts";
import { CONTRACT, workFolder } from "./validate-scene.ts";

const NEXT = CONTRACT.replace("name: { type: string, maxLength: 40 }", "name: { type: string, maxLength: 30 }")
  .replace("        note: { type: string }\n", "")
  .replace("required: [family_name]", "required: [family_name, email]")
  .replace("supplier: { type: string }", "supplier: { type: string, enum: [A, B] }\n        extra: { type: string }");

const diff = (args: readonly string[], files: Readonly<Record<string, string>> = {}): ReturnType<typeof runCli> =>
  runCli(["contract", "diff", ...args], { cwd: workFolder({ "next.yaml": NEXT, ...files }) });

test("contract diff lists breaking changes to payloads, and exits with 1", async () => {
  const { code, stdout } = await diff(["contract.yaml", "next.yaml"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Small platform 1: 5 changes, 4 that can break payloads\n/);
  const [, breaks = "", rest = ""] = stdout.split(/^(?:Breaks|Does not break) .*$/m);
  expect(breaks).toContain("\nname\n    maxLength: at most 30 characters, previously at most 40 characters");
  expect(breaks).toContain("\ncustomers.*.email\n    is now required; in import-account\n");
  expect(breaks).toContain("\nnote\n    was removed");
  expect(rest).toContain("\nextra\n    is new: text; in import-account\n");
  expect(await diff(["contract.yaml", "contract.yaml"])).toMatchObject({ code: 0 });
  expect(await diff(["next.yaml", "missing.yaml"])).toMatchObject({ code: 2 });
});

test("contract diff with a mapping exits with 1 only if the change breaks the mapping", async () => {
  const mapping = "operation: import-account\nkey: number\npayload:\n  number: REF\n  supplier: { value: A }\n";
  const untouched = await diff(["contract.yaml", "next.yaml", "--mapping", "small.yaml"], {
    "small.yaml": mapping,
  });
  expect(untouched.code).toBe(1);
  expect(untouched.stdout).toContain("Breaks small.yaml\n\nsupplier\n");
  const harmless = NEXT.replace("supplier: { type: string, enum: [A, B] }", "supplier: { type: string }");
  const fine = await diff(["contract.yaml", "next.yaml", "--mapping", "small.yaml", "--format", "json"], {
    "small.yaml": mapping,
    "next.yaml": harmless,
  });
  expect(fine.code).toBe(0);
  const { changes }: { readonly changes: readonly { readonly mapping: string }[] } = JSON.parse(fine.stdout);
  expect(changes.length).toBe(4);
  expect(new Set(changes.map((change) => change.mapping))).toEqual(new Set(["untouched"]));
  const narrower = CONTRACT.replace("supplier: { type: string }", "supplier: { type: string, enum: [A, B] }");
  const constant = await diff(["next.yaml", "narrow.yaml", "--mapping", "small.yaml", "--format", "markdown"], {
    "next.yaml": narrower,
    "narrow.yaml": narrower.replace("[A, B]", "[A]"),
    "small.yaml": mapping,
  });
  expect(constant.code).toBe(0);
  expect(constant.stdout).toContain('| `supplier` | no longer allows "B" | import-account |');
});

test("contract diff checks the requested operation, and warns of errors in other operations", async () => {
  const elsewhere = `  /other/:
    post:
      operationId: other
      requestBody:
        content:
          application/json: { schema: { type: object, properties: { code: { type: string, pattern: "(" } } } }
      responses: {}
`;
  const broken = NEXT.replace(/^paths:\n/m, (head) => head + elsewhere);
  expect(broken).not.toBe(NEXT);
  const files = { "broken.yaml": broken };
  const one = await diff(["contract.yaml", "broken.yaml", "--operation", "import-account"], files);
  expect(one.code).toBe(1);
  expect(one.stdout).toContain("note\n    was removed");
  expect(one.stderr).toMatch(/^broken\.yaml:\d+: warning: the pattern is not an ECMAScript regular expression/m);
  expect((await diff(["contract.yaml", "broken.yaml"], files)).code).toBe(1);
  const reversed = await diff(["broken.yaml", "contract.yaml", "--operation", "other"], files);
  expect(reversed.code).toBe(2);
});

const MAPPING = "operation: import-account\npayload: { number: REF, name: NAME, supplier: { value: '${supplier}' } }\n";

const parameter = (more: string): string =>
  CONTRACT.replace("      x-migrate-key", `      parameters:\n        - { name: mode, ${more} }\n      x-migrate-key`);
const inQuery = "in: query, schema: { type: string }";
const compared = async (old: string, next: string, text = MAPPING): ReturnType<typeof runCli> =>
  diff(["old.yaml", "new.yaml", "--mapping", "small.yaml"], {
    "old.yaml": old,
    "new.yaml": next,
    "small.yaml": text,
  });

const mappedDiff = (mapping: string, args: readonly string[]): ReturnType<typeof runCli> =>
  diff([...args, "--mapping", "small.yaml"], { "small.yaml": mapping });

test("contract diff breaks a mapping that the new contract rejects as a whole", async () => {
  const renamed = await compared(CONTRACT, CONTRACT.replace("operationId: import-account", "operationId: load"));
  expect(renamed.code).toBe(1);
  expect(renamed.stdout).toContain(
    'Breaks small.yaml\n\nimport-account\n    the contract has no operation "import-account"',
  );
  const byPath = MAPPING.replace("import-account", "POST /data-import/accounts/");
  expect(await compared(CONTRACT, CONTRACT.replace("import-account", "load"), byPath)).toMatchObject({ code: 0 });

  const required = await compared(CONTRACT, parameter(`required: true, ${inQuery}`));
  expect(required.code).toBe(1);
  expect(required.stdout).toContain("Breaks small.yaml\n\nparameters.mode\n    is new and required: text");
  const filled = `${MAPPING}parameters: { mode: { value: x } }\n`;
  expect(await compared(parameter(inQuery), parameter(`required: true, ${inQuery}`), filled)).toMatchObject({
    code: 0,
  });
  const removed = await compared(parameter(inQuery), CONTRACT, filled);
  expect(removed).toMatchObject({ code: 1, stdout: expect.stringContaining("parameters.mode\n    was removed") });
  expect(await compared(parameter(inQuery), CONTRACT)).toMatchObject({ code: 0 });
  const moved = await compared(parameter(inQuery), parameter(inQuery.replace("query", "header")), filled);
  expect(moved.stdout).toContain("parameters.mode\n    in: header, previously query");
});

test("contract diff rejects a mapping that is not valid for the old contract", async () => {
  const bad = await mappedDiff("payload: { number: { from: REF, bogus: 1 }, name: NAME }\n", [
    "contract.yaml",
    "next.yaml",
  ]);
  expect(bad.code).toBe(2);
  expect(bad.stderr).toMatch(/small\.yaml:1:\d+: .*bogus/);
  const extra = "payload: { number: REF, extra: EXTRA }\n";
  expect(await mappedDiff(extra, ["contract.yaml", "next.yaml"])).toMatchObject({ code: 2 });
  const old = await mappedDiff(extra, ["next.yaml", "contract.yaml"]);
  expect(old.code).toBe(1);
  expect(old.stdout).toContain("Breaks small.yaml\n\nextra\n    was removed");
});

const WRAPPED = `openapi: 3.0.3
info: { title: Small platform, version: "1" }
paths:
  /things/:
    post:
      operationId: schedule
      x-migrate-key: number
      x-migrate-wrap: payload
      x-migrate-steps: [{ operation: schedule, kind: schedule, body: { options: { value: { dry: false } }, to: number } }]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                payload: { type: object, properties: { number: { type: string } } }
                to: { type: string }
                extra: { type: string }
                options: { type: object, properties: { dry: { type: boolean }, start: { type: string } } }
                task: { type: object, properties: { team: { type: string }, note: { type: string } } }
      responses: {}
`;

test.each([
  ["breaks", "team: { type: string }", "team: { type: string, maxLength: 2 }", "task.team"],
  ["breaks", "team: { type: string }, ", "", "task.team"],
  ["breaks", "options: { type: object", "options: { type: object, required: [start]", "options.start"],
  ["breaks", "to: { type: string }", "to: { type: string, maxLength: 2 }", "to"],
  ["breaks", "type: object\n", "type: object\n              required: [extra]\n", "extra"],
  ["affects", "type: object\n", "type: object\n              required: [to]\n", "to"],
  ["ignores", "note: { type: string }", "note: { type: string, maxLength: 2 }", "task.note"],
])("contract diff %s a mapping that fills the fields of a step: %j becomes %j", async (effect, before, after, attr) => {
  const mapping = "payload: { number: REF }\nsteps: { schedule: { task: { team: TEAM } } }\n";
  const { code, stdout } = await compared(WRAPPED, WRAPPED.replace(before, after), mapping);
  const heading = {
    breaks: "Breaks small.yaml",
    affects: "Affects small.yaml without breaking it",
    ignores: "Not in the mapping",
  }[effect];
  expect(stdout).toContain(`${heading}\n\nsteps.schedule.${attr}\n`);
  expect(code).toBe(Number(effect === "breaks"));
});
