import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type CliEnd, type TestSandbox, startTestSandbox } from "./cli.ts";
import { goodAccounts, outcomeLines, type Workplace, workplace } from "./push-scene.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.stop());

/**
 * An overlay that checks the billing name as a product code, because accounts of this extract have no product field.
 */
const RULE = `overlay: 1.0.0
info: { title: Products, version: "1" }
actions:
  - target: $.components.schemas.Account
    update:
      x-rules:
        - code: product_code_does_not_exist
          kind: in-set
          value: billing_name
          source: products
          columns: code
          attr: billing_name
`;

function placeWith(config: string, names: readonly string[]): Workplace {
  const accounts = goodAccounts(names.length).map((account, index) => ({ ...account, NAME: names[index] ?? "" }));
  const place = workplace({ accounts }, sandbox);
  writeFileSync(place.file("rule.yaml"), RULE);
  writeFileSync(place.file("migrate.yaml"), config);
  return place;
}

function push(place: Workplace, ...flags: readonly string[]): Promise<CliEnd> {
  return place.push(["--contract", "rule.yaml", "--dry-run", ...flags]);
}

function listIn(place: Workplace): readonly Readonly<Record<string, string>>[] {
  return parse(readFileSync(place.file("products.csv"), "utf8"), { columns: true });
}

const REFERENCES = "references: { products: products.csv }\n";

describe("push --refresh-references", () => {
  test("writes the list of products that the rules use, and reports the number of products", async () => {
    const [product = ""] = sandbox.ready.products;
    const place = placeWith(REFERENCES, [product, "NO-SUCH-PRODUCT"]);
    const { code, stdout, stderr } = await push(place, "--refresh-references");
    expect(code).toBe(1);
    const codes = outcomeLines(stdout).map(({ errors = [] }) => errors.map((error) => `${error.attr} ${error.code}`));
    expect(codes).toEqual([[], ["billing_name product_code_does_not_exist"]]);
    expect(stderr).toContain(`products.csv: ${sandbox.ready.products.length} products from 127.0.0.1`);
    expect(listIn(place).map((row) => row["code"])).toEqual(sandbox.ready.products);
    expect(readdirSync(place.folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("reports a single product in the singular", async () => {
    const server = createServer((_, reply) => {
      reply.setHeader("content-type", "application/json");
      reply.end(JSON.stringify({ count: 1, next: null, previous: null, results: [{ code: "ONLY" }] }));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const place = placeWith(REFERENCES, ["ONLY"]);
    const platform = ["--base-url", `http://127.0.0.1:${port}/v1/`, "--allow-insecure-loopback"];
    const { stderr } = await push(place, "--refresh-references", ...platform);
    expect(stderr).toContain("products.csv: 1 product from 127.0.0.1");
  });

  test("keeps columns that the platform does not return, and counts added and removed rows", async () => {
    const [product = ""] = sandbox.ready.products;
    const place = placeWith(REFERENCES, [product]);
    writeFileSync(place.file("products.csv"), `code,approved_by\n${product},"Jo, Ann"\nGONE,Jo\n`);
    const { stderr } = await push(place, "--refresh-references");
    expect(stderr).toContain(`; ${sandbox.ready.products.length - 1} new, 1 removed`);
    const [first, second] = listIn(place);
    expect([first?.["approved_by"], second?.["approved_by"]]).toEqual(["Jo, Ann", ""]);
  });

  test("leaves the list unchanged if the platform cannot be reached", async () => {
    const place = placeWith(REFERENCES, ["X"]);
    writeFileSync(place.file("products.csv"), "code\nX\n");
    const { code, stdout } = await push(place, "--refresh-references", "--base-url", "https://127.0.0.1:9/v1/");
    expect([code, stdout]).toEqual([3, ""]);
    expect(readFileSync(place.file("products.csv"), "utf8")).toBe("code\nX\n");
  });

  test("requires the path of the file in the configuration, and creates no file by default", async () => {
    const place = placeWith("{}\n", ["X"]);
    const { code, stderr } = await push(place, "--refresh-references");
    expect(code).toBe(2);
    expect(stderr).toContain("references: { products: lists/products.csv }");
    expect(existsSync(place.file("products.csv"))).toBe(false);
  });
});
