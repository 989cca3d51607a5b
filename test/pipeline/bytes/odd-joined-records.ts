import fc from "fast-check";

/** A contract for accounts with people and meters. */
export const CONTRACT = `
openapi: 3.0.3
info: { title: Small, version: "1" }
paths:
  /data-import/accounts/:
    post:
      operationId: import-account
      x-migrate-key: ref
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Account" } } }
      responses: { "201": { description: made } }
components:
  schemas:
    Account:
      type: object
      required: [ref, people]
      properties:
        ref: { type: string, maxLength: 8 }
        name: { type: string, maxLength: 6 }
        count: { type: string }
        people: { type: array, maxItems: 4, items: { $ref: "#/components/schemas/Person" } }
        sites:
          type: array
          items:
            type: object
            properties:
              street: { type: string }
              meters: { type: array, items: { $ref: "#/components/schemas/Meter" } }
    Person:
      type: object
      required: [last]
      properties:
        first: { type: string }
        last: { type: string, maxLength: 8 }
        account: { type: string }
        born: { type: string, format: date }
    Meter:
      type: object
      required: [id]
      properties: { id: { type: string }, kind: { type: string, enum: [GAS, POWER] } }
`;

/** The same contract with rules over several fields, and with two kinds of meters. */
export const RULED = CONTRACT.replace(
  "required: [ref, people]",
  `required: [ref, people]
      x-rules:
        - { code: two_names, kind: forbids-together, fields: [name, "people[first = 'Cy'].born"] }
        - { code: same_person, kind: unique-by, list: "people[]", key: [first, last] }
        - { code: first_value, kind: holds, test: "first({}) != 'A3'" }
        - { code: older, kind: date-order, earlier: "people[].born", later: "'2000-01-01'", severity: warning }`,
)
  .replace(
    'items: { $ref: "#/components/schemas/Meter" }',
    `items: {
                  oneOf: [{ $ref: "#/components/schemas/Meter" }, { $ref: "#/components/schemas/Power" }],
                  discriminator: { propertyName: kind, mapping: { GAS: "#/components/schemas/Meter", POWER: "#/components/schemas/Power" } }
                }`,
  )
  .replace(
    "    Meter:\n      type: object",
    `    Power:
      type: object
      required: [kind]
      properties: { id: { type: string, maxLength: 1 }, kind: { type: string, enum: [POWER] } }
    Meter:
      x-rules: [{ code: high_id, kind: holds, test: "id != '4'" }]
      type: object`,
  );

export const MAPPING = `
operation: import-account
sources:
  accounts: { files: accounts.csv, key: REF }
  people: { files: [people.csv, more.csv], parent: accounts, on: REF, orderBy: SEQ }
  meters: { files: meters.csv, parent: accounts, on: ACC }
payload:
  ref: REF
  name: NAME
  people:
    each: people
    item: { first: FIRST, last: LAST, born: { from: BORN, date: dd/MM/yyyy } }
  sites:
    - street: NAME
      meters:
        each: meters
        item: { id: ID, kind: { from: KIND, lookup: { G: GAS, P: POWER } } }
`;

/** `MAPPING`, and variants with one change each. */
export const MAPPINGS = [
  MAPPING,
  MAPPING.replace("orderBy: SEQ", "orderBy: { column: SEQ, as: number }"),
  MAPPING.replace("first: FIRST", "first: FIRST, account: parent.NAME"),
  MAPPING.replace("first: FIRST", "first: { from: FIRST, default: Nobody }").replace(
    "name: NAME",
    "name: { from: NAME, default: None }",
  ),
  MAPPING.replace("each: meters", 'each: meters\n        when: { column: KIND, in: ["G"] }'),
  MAPPING.replace("    - street: NAME\n      meters:", "    - street: { from: [NAME, REF], join: / }\n      meters:"),
  // Items that may contain only constants, in a required list and below an optional list.
  MAPPING.replace(
    "  people:\n    each: people\n    item: {",
    "  people:\n    - { last: NAME, first: { value: Ann } }\n    - each: people\n      item: { account: { value: A1 },",
  ),
  MAPPING.replace(
    "each: meters\n        item: {",
    "- { id: NAME, kind: { value: GAS } }\n        - each: meters\n          item: {",
  ),
  MAPPING.replace("kind: { from: KIND, lookup: { G: GAS, P: POWER } }", "kind: { value: GAS }"),
  // No list is built from the meters.
  MAPPING.slice(0, MAPPING.indexOf("  sites:")),
];

export const HEADERS = {
  "accounts.csv": "REF,NAME",
  "people.csv": "REF,SEQ,FIRST,LAST,BORN",
  "more.csv": "SEQ;REF;LAST;FIRST;BORN",
  "meters.csv": "ID,ACC,KIND",
};

const reference = fc.oneof(
  { weight: 20, arbitrary: fc.nat(12).map((number) => `A${number}`) },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "a1", " A1", "00A1", '"A2"', '"A""3"', "Ä4", "A\u00a05", "X9") },
);
const text = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom("Ann", "Bob", "Cy") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", '"Ann"', '"a, b"', '"a ""b"""', "Zoë", "long enough", "a\u0007", '"', 'x"y'),
  },
);
const seq = fc.constantFrom("1", "2", "2", "10", "", "x", '"1"');
const born = fc.constantFrom("01/02/1990", "31/12/2001", "", "31/02/1990");
const kind = fc.constantFrom("G", "P", "P", "", "Z");

function lines(cells: readonly fc.Arbitrary<string>[], delimiter = ","): fc.Arbitrary<readonly string[]> {
  const line = fc.oneof(
    { weight: 20, arbitrary: fc.tuple(...cells).map((row) => row.join(delimiter)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("", "  ", '""', "A1", ["A1", "A1", "A1", "A1", "A1", "A1"].join(delimiter)),
    },
  );
  return fc.array(line, { maxLength: 25 });
}

/** Files to join, with correct, wrong and almost correct rows. */
export const files: fc.Arbitrary<Readonly<Record<keyof typeof HEADERS, string>>> = fc
  .record({
    accounts: fc.uniqueArray(reference, { minLength: 4, maxLength: 12 }),
    twice: fc.constantFrom("", "", "A1,Ann"),
    names: fc.array(text, { minLength: 12, maxLength: 12 }),
    people: lines([reference, seq, text, text, born]),
    more: lines([seq, reference, text, text, born], ";"),
    meters: lines([fc.nat(5).map(String), reference, kind]),
    end: fc.constantFrom("\n", "\r\n"),
    isEnded: fc.boolean(),
    isSorted: fc.boolean(),
  })
  .map(({ accounts, twice, names, people, more, meters, end, isEnded, isSorted }) => {
    const own = accounts.map((ref, index) => `${ref},${names[index] ?? ""}`);
    const written = (header: string, rows: readonly string[]): string =>
      [header, ...(isSorted ? rows.toSorted() : rows)].join(end) + (isEnded ? end : "");
    return {
      "accounts.csv": written(HEADERS["accounts.csv"], [...own, twice]),
      "people.csv": written(HEADERS["people.csv"], people),
      "more.csv": written(HEADERS["more.csv"], more),
      "meters.csv": written(HEADERS["meters.csv"], meters),
    };
  });
