import { type Files, JOINED_MAPPING } from "./validate-scene.ts";

/**
 * Rows for ten chunks of 256 KB. The other threads take fewer chunks than that before the reading thread takes its
 * first chunk. Long rows save time.
 */
export const ROWS = 3500;

const GOOD = `${"The meter is under the stairs. ".repeat(24)}ok`;

/** Returns rows of REF, NAME, NOTE, MOBILE with every hazard of CSV files. */
export function hazards(count: number): string {
  const all = Array.from({ length: count }, (_, index) => hazard(index));
  return ["REF,NAME,NOTE,MOBILE", ...all].join("\n");
}

function hazard(index: number): string {
  const ref = `K${index}`;
  const kinds: Readonly<Record<number, string>> = {
    3: `${ref},"Ann, called ""Nan""","two\nlines, ${GOOD}",07700900123`,
    7: `${ref},Zoë Brontë,${GOOD},0770090`,
    19: `${ref},Ann,${GOOD}`,
    23: `${ref},Ann "the" Third,${GOOD},07700900123\n`,
    31: `${ref},Ann,"a ""quote"" at\r\nthe end""",07700900123\r`,
    37: `K${index - 300},Ann,${GOOD},07700900123`,
    41: ` ${ref.toLowerCase()},${"N".repeat(50)},${GOOD},07700900123`,
    43: `,Ann,${GOOD},07700900123`,
    47: `${ref},Ann,con\u0007trol,07700900123`,
    53: `   \n${ref},Ann,${GOOD},07700900123\rL${index},Bob,${GOOD},07700900123`,
  };
  const long = index % 1200 === 1199 ? `${ref},Ann,"${'long ""cell""\n'.repeat(12_000)}",07700900123` : undefined;
  return long ?? kinds[index % 59] ?? `${ref},Ann,${GOOD},07700900123`;
}

/** Returns a CSV file with this many rows. Every `badEvery`-th row has an error. */
export function rows(count: number, badEvery: number): string {
  const all = Array.from(
    { length: count },
    (_, index) => `K${index},Ann,${GOOD},${index % badEvery === badEvery - 1 ? "bad" : "07700900123"}`,
  );
  return ["REF,NAME,NOTE,MOBILE", ...all, ""].join("\n");
}

/** Returns lines of JSON with every kind of error. */
export function jsonLines(count: number): string {
  const hazardAt: Readonly<Record<number, (ref: string) => string>> = {
    3: (ref) => `\n  \r\n {"REF":"${ref}","NAME":"Zoë","NOTE":"a\\nb","MOBILE":"0770"} \r`,
    5: (ref) => `{"REF":"${ref}","NAME":"Ann","NAME":"Bob","MOBILE":"07700900123"}`,
    7: (ref) => `{"REF":"${ref}","NAME":"Ann",}`,
    11: (ref) => `["${ref}"]`,
    13: (ref) => `\u001E{"REF":"${ref}","NAME":${"[".repeat(9)}${"]".repeat(9)},"MOBILE":1e400}`,
    17: (ref) => `{"REF":"${ref}","__proto__":{"x":1},"NAME":"\\ud800"}`,
    19: (ref) => `{"REF":"${ref}","NAME":"Ann","NOTE":"${"long ".repeat(30_000)}"}`,
  };
  return Array.from({ length: count }, (_, index) => {
    const ref = index % 41 === 40 ? `K${index - 7}` : `K${index}`;
    const kind = index % 23 === 19 && index % 1000 > 60 ? 0 : index % 23;
    return hazardAt[kind]?.(ref) ?? `{"REF":"${ref}","NAME":"Ann","NOTE":"${GOOD}","MOBILE":"07700900123"}`;
  }).join("\n");
}

/** Returns a JSON array with the lines that begin with `{`, and with other elements. */
export function array(count: number): string {
  const elements = jsonLines(count)
    .split("\n")
    .filter((line) => line.startsWith("{"));
  return `\n [ ${elements.join(" ,\r\n ")} , 7 8, {"REF":"last"\n} ]\n`;
}

export const PAYLOADS = Array.from({ length: ROWS }, (_, index) =>
  JSON.stringify({
    number: `K${index}`,
    name: GOOD.slice(0, index % 60),
    note: GOOD,
    mobile: "07700900123",
    other: index % 9,
  }),
).join("\n");

export const FUNCTIONS = `
export const shout = (text) => text.toUpperCase();
export const fail = (text) => { if (text === "K2000") throw new Error("no"); return text; };
`;

export const CALLING = `operation: import-account
key: number
functions: ./functions.mjs
payload: { number: { from: REF, call: fail }, name: { from: NAME, call: shout } }
`;

const JOINED = JOINED_MAPPING.replace("${supplier}", "S");

/**
 * Returns accounts, and customers in another order. Some customers have no account, or have a key that is similar to an
 * account's key.
 */
export function joined(count: number): Files {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const accounts = numbers.map((index) => `K${index},${index % 101 === 7 ? "" : "Ann"}`);
  const customers = numbers.flatMap((index) => {
    const shuffled = (index * 7919) % count;
    const ref = shuffled % 97 === 5 ? ` k${shuffled}` : shuffled % 89 === 3 ? `X${shuffled}` : `K${shuffled}`;
    const mail = shuffled % 53 === 11 ? "no mail" : "ann@example.org";
    return [`${ref},2,Okonkwo,${mail}`, `${ref},${shuffled % 3},"Patel, ""Jr""",ann@example.org`];
  });
  return {
    "accounts.csv": ["REF,NAME", ...accounts, "K1,Bob", ""].join("\n"),
    "customers.csv": ["REF,SEQ,LAST,MAIL", ...customers, ""].join("\n"),
    "mapping.yaml": JOINED,
  };
}

/** Returns the same accounts, with customers as lines of JSON. */
export function joinedWithJson(count: number): Files {
  const good = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ REF: `K${index}`, SEQ: index % 3, LAST: { toString: index }, MAIL: "a@example.org" }),
  );
  const mapping = JOINED.replace("customers.csv", "customers.ndjson");
  const unsafe = `{"REF":"K7","SEQ":1e400,"LAST":"\\ud800","MAIL":-0}`;
  const customers = [...good, unsafe, "{", ""].join("\n");
  return {
    "accounts.csv": joined(count)["accounts.csv"] ?? "",
    "customers.ndjson": customers,
    "mapping.yaml": mapping,
  };
}

export const COUNTING = `
let calls = 0;
export const numbered = (text) => text + " " + (calls += 1);
`;

/**
 * A mapping whose account numbers end with the number of accounts that the thread of the functions has mapped so far.
 */
export const COUNTED_KEYS = `operation: import-account
key: number
functions: ./functions.mjs
payload: { number: { from: REF, call: numbered }, name: NAME }
`;
