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
