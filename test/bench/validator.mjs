// Validated payloads per second of CPU time, compared with an equivalent zod schema (docs/decisions/0003).
//   npm run build && node test/bench/validator.mjs
// Prints medians of five rounds, for payloads of 9 leaves in one object and of 40 leaves on three levels, without
// errors and with two errors.
import { z } from "zod";
import { compileValidator } from "../../dist/validate/compile-validator.js";

const ROUNDS = 5;
const ROUND_MS = 400;

const BASE = { nullable: false, deprecated: false, validators: [] };
const text = (maxLength, more = {}) => ({
  ...BASE,
  kind: "text",
  allowBlank: false,
  documentPath: false,
  maxLength,
  ...more,
});
const date = { ...BASE, kind: "date" };
const boolean = { ...BASE, kind: "boolean" };
const choice = (...choices) => ({ ...BASE, kind: "choice", choices });
const integer = (maximum) => ({
  ...BASE,
  kind: "integer",
  minimum: { value: 0, exclusive: false },
  maximum: { value: maximum, exclusive: false },
});
const decimal = { ...BASE, kind: "decimal", maxDigits: 12, maxDecimalPlaces: 2, maxWholeDigits: 10 };
const list = (items) => ({ ...BASE, kind: "list", items, minItems: 1, maxItems: 20, uniqueItems: false });
const object = (fields) => ({
  ...BASE,
  kind: "object",
  additional: "closed",
  properties: new Map(
    Object.entries(fields).map(([name, type]) => [name, { name, required: true, readOnly: false, type }]),
  ),
});

const POSTCODE = /^[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}$/;
const POINT = /^[0-9]{6,13}$/;

const zText = (max) => z.string().trim().min(1).max(max);
const zDate = z.iso.date();
const zDecimal = z.string().regex(/^-?\d{0,10}(?:\.\d{0,2})?$/);

const account = {
  number: [text(32), zText(32)],
  supplier: [text(32), zText(32)],
  type: [choice("DOMESTIC", "BUSINESS"), z.enum(["DOMESTIC", "BUSINESS"])],
  name: [text(255), zText(255)],
  line1: [text(100), zText(100)],
  postcode: [text(8, { pattern: POSTCODE }), zText(8).regex(POSTCODE)],
  balance: [decimal, zDecimal],
  since: [date, zDate],
  occupied: [boolean, z.boolean()],
};
const customer = {
  given: [text(100), zText(100)],
  family: [text(100), zText(100)],
  email: [text(254, { format: "email" }), z.email().max(254)],
  born: [date, zDate],
  sms: [boolean, z.boolean()],
};
const reading = {
  day: [date, zDate],
  value: [decimal, zDecimal],
  kind: [choice("ACTUAL", "ESTIMATED"), z.enum(["ACTUAL", "ESTIMATED"])],
};
const point = {
  identifier: [text(13, { pattern: POINT }), zText(13).regex(POINT)],
  supply: [choice("ELECTRICITY", "GAS"), z.enum(["ELECTRICITY", "GAS"])],
  use: [integer(10_000_000), z.int().min(0).max(10_000_000)],
  start: [date, zDate],
};

const ours = (shape, more = {}) => object({ ...pick(shape, 0), ...more });
const zods = (shape, more = {}) => z.strictObject({ ...pick(shape, 1), ...more });

function pick(shape, side) {
  return Object.fromEntries(Object.entries(shape).map(([name, pair]) => [name, pair[side]]));
}

const CASES = [
  { name: "9 leaves", leaves: 9, type: ours(account), schema: zods(account), make: accountPayload },
  {
    name: "40 leaves",
    leaves: 40,
    type: ours(account, {
      customers: list(ours(customer)),
      points: list(ours(point, { readings: list(ours(reading)) })),
    }),
    schema: zods(account, {
      customers: z.array(zods(customer)).min(1).max(20),
      points: z
        .array(zods(point, { readings: z.array(zods(reading)).min(1).max(20) }))
        .min(1)
        .max(20),
    }),
    make: deepPayload,
  },
];

function accountPayload(index) {
  return {
    number: `EXT-${String(index).padStart(6, "0")}`,
    supplier: "TENTACLE_ENERGY",
    type: index % 3 === 0 ? "BUSINESS" : "DOMESTIC",
    name: `Customer of account ${index}`,
    line1: `${index % 200} High Street`,
    postcode: "SW1A 1AA",
    balance: `-${index % 1000}.50`,
    since: `2024-0${1 + (index % 9)}-15`,
    occupied: index % 2 === 0,
  };
}

function deepPayload(index) {
  const customers = [1, 2].map((of) => ({
    given: `Given${of}`,
    family: `Family${index}`,
    email: `person.${index}.${of}@example.com`,
    born: "1980-02-29",
    sms: of === 1,
  }));
  const points = [1, 2, 3].map((of) => ({
    identifier: String(1_200_000_000_000 + index + of),
    supply: of === 1 ? "GAS" : "ELECTRICITY",
    use: 3100 + of,
    start: "2024-01-01",
    readings: [{ day: "2024-06-30", value: `${index}.125`.slice(0, -1), kind: "ACTUAL" }],
  }));
  return { ...accountPayload(index), customers, points };
}

function withTwoErrors(payload) {
  return { ...payload, name: "", since: "2024-02-30" };
}

function leavesOf(value) {
  return typeof value === "object" ? Object.values(value).reduce((sum, each) => sum + leavesOf(each), 0) : 1;
}

function perSecond(check, payloads) {
  const rates = Array.from({ length: ROUNDS }, () => {
    const start = processorMs();
    let done = 0;
    while (processorMs() - start < ROUND_MS) {
      for (const payload of payloads) check(payload);
      done += payloads.length;
    }
    return (done * 1000) / (processorMs() - start);
  });
  return rates.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)];
}

/** Returns CPU time in milliseconds. Other load on the machine affects it less than wall time. */
function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function thousands(rate) {
  return `${Math.round(rate / 1000)} k/s`;
}

function must(agreed, what) {
  if (!agreed) throw new Error(`the validators disagree: ${what}`);
}

for (const each of CASES) measure(each);

function measure({ name, leaves, type, schema, make }) {
  const valid = Array.from({ length: 1000 }, (_, index) => make(index));
  const invalid = valid.map(withTwoErrors);
  const validate = compileValidator(type, { keepValues: false });
  must(leavesOf(valid[0]) === leaves, `${name}: ${leavesOf(valid[0])} leaves`);
  must(
    valid.every((payload) => validate(payload).length === 0 && schema.safeParse(payload).success),
    `${name}, valid`,
  );
  must(
    invalid.every((payload) => validate(payload).length === 2 && !schema.safeParse(payload).success),
    `${name}, invalid`,
  );
  for (const [kind, payloads] of Object.entries({ valid, invalid })) {
    const here = perSecond(validate, payloads);
    const there = perSecond((payload) => schema.safeParse(payload), payloads);
    const figures = `ours ${thousands(here)}, zod ${thousands(there)}, ratio ${(here / there).toFixed(1)}`;
    process.stdout.write(`${name}, ${kind}: ${figures}\n`);
  }
}
