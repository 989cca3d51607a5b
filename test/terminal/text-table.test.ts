import { describe, expect, it } from "vitest";
import { markdownTable, renderTable } from "../../src/terminal/text-table.ts";

const columns = [{ title: "Attr", code: true }, { title: "Max", align: "right" as const }, { title: "Rules" }];
const rows = [
  ["customers.*.given_name", "150", "required, not blank"],
  ["billing_postcode", "10", "required; one of A|B, and a rather long sentence that has to be wrapped somewhere"],
  ["x"],
];

describe("renderTable", () => {
  it("aligns columns, and wraps the last column within the width", () => {
    expect(renderTable(rows, columns, { width: 64, colour: false })).toBe(
      `Attr                    Max  Rules
customers.*.given_name  150  required, not blank
billing_postcode         10  required; one of A|B, and a rather
                             long sentence that has to be
                             wrapped somewhere
x
`,
    );
  });

  it("puts the last column on separate lines if there is too little space next to the other columns", () => {
    const all = [...rows.slice(0, 2), ["extracts/accounts-final.csv:2", "1", ""]];
    expect(renderTable(all, columns, { width: 34, colour: false })).toBe(
      `Attr                           Max
    Rules
customers.*.given_name         150
    required, not blank
billing_postcode                10
    required; one of A|B, and a
    rather long sentence that has
    to be wrapped somewhere
extracts/accounts-final.csv:2    1
`,
    );
  });

  it("never wraps without a maximum width", () => {
    const screen = { width: 34, tableWidth: Number.POSITIVE_INFINITY, colour: false };
    expect(renderTable(rows, columns, screen)).toContain(`billing_postcode         10  ${rows[1]?.[2]}\n`);
  });

  it("measures widths as a terminal displays them", () => {
    const lines = renderTable(
      [
        ["田中", "1"],
        ["Zoe\u0301", "2"],
      ],
      [{ title: "Name" }, { title: "No" }],
      {
        width: 80,
        colour: false,
      },
    );
    expect(lines).toBe("Name  No\n田中  1\nZoe\u0301   2\n");
  });

  it("colours the titles only on request, and never the cells", () => {
    expect(renderTable([["\u001b[31m"]], [{ title: "A" }], { width: 80, colour: true })).toBe(
      "\u001b[1mA\u001b[22m\n\\u001b[31m\n",
    );
  });

  it("shows only the titles if the table has no rows", () => {
    expect(renderTable([], columns, { width: 80, colour: false })).toBe("Attr  Max  Rules\n");
  });
});

describe("markdownTable", () => {
  it("escapes Markdown syntax", () => {
    expect(markdownTable([["a|b.*.c_d", "1", "x|y <b> *z*\nnew line"]], columns)).toBe(
      "| Attr | Max | Rules |\n| --- | ---: | --- |\n| `a\\|b.*.c_d` | 1 | x\\|y \\<b\\> \\*z\\* new line |\n",
    );
  });
});
