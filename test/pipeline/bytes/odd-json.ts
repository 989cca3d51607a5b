import fc from "fast-check";
import { CELLS, COLUMNS, GOOD, MAPPING, mapping as csvMapping } from "./odd-records.ts";

/** A mapping of `odd-records.ts` that reads a JSON file. Some of its columns are paths, one of them through a list. */
function forJson(text: string): string {
  return text
    .replace("things.csv", "things.*json")
    .replaceAll(/\b(STREET|TOWN)\b/g, "PLACE.$1")
    .replaceAll(/\bMAIL\b/g, "MAILS.1.TO");
}

export const JSON_MAPPING: string = forJson(MAPPING);
export const jsonMapping: fc.Arbitrary<string> = csvMapping.map(forJson);

/** A member of a JSON object: its name, and its value as JSON, which may be invalid. */
type Member = readonly [name: string, json: string];

const GOOD_MEMBERS: readonly Member[] = COLUMNS.flatMap((name, column): readonly Member[] => {
  const cell = JSON.stringify(GOOD[column] ?? "");
  if (name === "STREET") return [["PLACE", `{"STREET":${cell},"TOWN":"Bath"}`]];
  if (name === "MAIL") return [["MAILS", `[{},{"TO":${cell}}]`]];
  return name === "TOWN" ? [] : [[name, cell]];
});

/** Returns a valid record with changed or additional members, as JSON. */
export function goodRecord(changes: Readonly<Record<string, string>>): string {
  return recordOf([...new Map([...GOOD_MEMBERS, ...Object.entries(changes)])]);
}

function recordOf(members: readonly Member[], space = ""): string {
  return `{${space}${members.map(([name, json]) => `"${name}"${space}:${space}${json}${space}`).join(`,${space}`)}}`;
}

/** Numbers that JavaScript writes in the same way, numbers that it writes differently, and invalid JSON numbers. */
const NUMBERS = fc.constantFrom(
  "0",
  "-0",
  "7",
  "-7.5",
  "1.50",
  "12.123456",
  "0.0000012",
  "0.0000001234",
  "3.0",
  "-0.0",
  "1e3",
  "1.5E-7",
  "99999999999999",
  "123456789012345",
  "1234567890.12345678",
  "01",
  "1.",
  ".5",
  "+1",
  "-",
);
const OTHERS = fc.constantFrom(
  "true",
  "false",
  "null",
  "nul",
  "[]",
  '["a", 1.50, [null], {"x": 1}, {"x": 2}]',
  '[{"x": 1, "x": 2}]',
  "[1,]",
  "{}",
  '{"a": {"b": "c"}}',
  '{"a": 1, "a": 2}',
  '{"STREET": "1 High St"}',
  '{"TOWN": "Bath", "STREET": null}',
  '{"TOWN": ["Bath"]}',
  '[null, {"TO": "b@c.example"}]',
  '[{"TO": "a@b.example"}, {"TO": "\\u0062@c.example"}, {"TO": 1.50}]',
  '[{"TO": "a@b.example"}, ["b@c.example"]]',
  '{"1": {"TO": "c@d.example"}}',
  '"\\u00e9\\/\\"\\n"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\u0007"',
  '"\\u000bA1\\f"',
  '"\\u0085"',
  '"\\u00a0A1\\t"',
  '"\\x"',
  '"\u0007"',
  '"\u007f"',
  '"open',
);
const value = fc.oneof(
  { weight: 3, arbitrary: CELLS.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }).map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: NUMBERS },
  { weight: 2, arbitrary: OTHERS },
);
const name = fc.constantFrom(
  ...COLUMNS,
  "PLACE",
  "MAILS",
  "MAILS.1.TO",
  "PLACE.TOWN",
  "PLACE.STREET",
  "TOWN",
  "extra",
  "Zoë",
  "",
  "\\u0052EF",
  "__proto__",
  "constructor",
);

/** `escape` writes letters and digits of the value as JSON escapes. */
type Change = readonly [change: "replace" | "add" | "remove" | "escape", name: string, json: string];

/** A record that is valid except for a few members, with its members in any order. */
const record = fc
  .tuple(
    fc.nat(99),
    fc.array(fc.tuple(fc.constantFrom("replace", "add", "remove", "escape", "escape"), name, value), { maxLength: 3 }),
    fc.constantFrom("", "", " ", "\t "),
    fc.nat(15),
    fc.boolean(),
  )
  .map(([ref, changes, space, moved, isReversed]) => {
    const members = changes.reduce(changed, [["REF", `"A${ref}"`], ...GOOD_MEMBERS.slice(1)]);
    const ordered = [...members.slice(moved), ...members.slice(0, moved)];
    return recordOf(isReversed ? ordered.toReversed() : ordered, space);
  });

function changed(members: readonly Member[], [change, of, json]: Change): readonly Member[] {
  if (change === "add") return [...members, [of, json]];
  if (change === "escape") return members.map(([known, text]) => [known, known === of ? escaped(text) : text]);
  const others = members.filter(([known]) => known !== of);
  return change === "remove" ? others : [...others, [of, json]];
}

function escaped(json: string): string {
  return json.replaceAll(/(?<=[" ])[a-z\d](?=[^:]*"$)/gi, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
}

const line = fc.oneof(
  { weight: 12, arbitrary: record },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "  ",
      "{}",
      "[]",
      "5",
      "{",
      `${goodRecord({})} x`,
      `\u001e${goodRecord({})}`,
      "{}{}",
    ),
  },
);
const lines = fc.array(line, { minLength: 10, maxLength: 60 });

/** An NDJSON file with valid records and some with unusual members. */
export const ndjsonFile: fc.Arbitrary<string> = fc
  .tuple(lines, fc.constantFrom("\n", "\r\n", " \n\n"), fc.boolean())
  .map(([all, end, isEnded]) => all.join(end) + (isEnded ? end : ""));

/** A JSON array with the same kinds of records. */
export const jsonFile: fc.Arbitrary<string> = fc
  .tuple(fc.array(record.filter(isJson), { minLength: 10, maxLength: 60 }), fc.constantFrom(",", ",\n", "\n , "))
  .map(([all, between]) => `[${all.join(between)}]`);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
