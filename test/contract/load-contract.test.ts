import { describe, expect, it } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { failureOf } from "../map/rows.ts";
import { contractOf } from "./contract-of.ts";

describe("documents", () => {
  it.each([
    ["swagger: '2.0'", "Swagger 2"],
    ["overlay: 1.0.0", "overlay"],
    ["openapi: 3.1", "as a string"],
    ["openapi: 4.0.0", "convert the document"],
    ["[]", "openapi: 3.0.3"],
    ["", "ask the operator"],
    ["# to be written\n\n# soon\n", "ask the operator"],
  ])("are not accepted as a contract if they contain %j", (text, hint) => {
    const failure = failureOf(() => loadContract([{ file: "c.yaml", text }]));
    expect(failure).toMatchObject({ code: "contract_invalid", place: { file: "c.yaml", line: 1 } });
    expect(failure.hint).toContain(hint);
  });

  it.each(["", "# to be written\n", "---\n"])("are reported as empty: %j", (text) => {
    const empty = { file: "empty.yaml", text };
    const whole = { file: "c.yaml", text: "openapi: 3.0.0\npaths: {}" };
    expect(failureOf(() => loadContract([empty])).message).toBe("empty.yaml: this file is empty");
    expect(failureOf(() => loadContract([whole, empty])).message).toBe("empty.yaml: this file is empty");
  });

  it("after the first must be overlays of a supported version", () => {
    const first = { file: "c.yaml", text: "openapi: 3.0.0\npaths: {}" };
    expect(failureOf(() => loadContract([first, first])).message).toBe("c.yaml:1: this is not an Overlay 1.0 document");
    expect(failureOf(() => loadContract([first, { file: "o.yaml", text: "overlay: 2.0.0" }])).message).toContain(
      "version 2.0.0",
    );
    expect(failureOf(() => loadContract([])).code).toBe("contract_invalid");
  });

  it.each([
    ["accounts.csv", "REF;NAME\n1;Ann\n"],
    ["accounts.CSV", "REF\n1\n"],
    ["accounts.txt", "REF\tNAME\r\n1\tAnn\r\n"],
    ["accounts.csv", 'REF,NAME\n1,"Ann: 2"\n'],
  ])("are reported as tables if they contain CSV instead of a contract: %s", (file, text) => {
    expect(failureOf(() => loadContract([{ file, text }]))).toMatchObject({
      code: "contract_invalid",
      message: `${file}: this is a table (CSV), not an OpenAPI document`,
    });
  });

  it("are not reported as tables just because their text contains commas", () => {
    expect(failureOf(() => loadContract([{ file: "c.yaml", text: "a: 1, 2\nb: 3, 4\n" }])).message).toContain(
      "OpenAPI 3.0",
    );
  });

  it("cause a finding if a contract lacks paths or an overlay lacks actions", () => {
    const { findings } = loadContract([
      { file: "c.yaml", text: "openapi: 3.0.0" },
      { file: "o.yaml", text: "overlay: 1.0.0\nactions: none" },
    ]);
    expect(findings.map(({ code, place }) => `${place.file}:${place.line} ${code}`)).toEqual([
      "c.yaml:1 no-operations",
      "o.yaml:2 bad-overlay",
    ]);
  });

  it("have their findings listed by severity, then by line", () => {
    const { findings } = contractOf({
      a: { type: "string", maxItems: 1 },
      b: { type: "string", pattern: "(" },
      c: { type: "string", maxItems: 1 },
    });
    expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      "error bad-pattern",
      "warning not-enforced",
      "warning not-enforced",
    ]);
    expect(findings[1]?.place.line).toBeLessThan(findings[2]?.place.line ?? 0);
  });
});
