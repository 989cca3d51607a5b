import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { formatTest, loadPhoneTest, type PhoneTest } from "../../../src/rules/engine/value-formats.ts";

let phone: PhoneTest;
beforeAll(async () => {
  phone = await loadPhoneTest();
});

interface Examples {
  readonly region?: string;
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

/**
 * The valid examples are published by the issuing authority or a widely used library where possible. The others are
 * constructed.
 */
const EXAMPLES: Readonly<Record<string, Examples>> = {
  mpan: {
    // The checksum of the last number is ten, so its check digit is 0.
    right: ["1312345678907", "2000050773706", "1000000000040"],
    wrong: ["1312345678908", "131234567890", "13123456789070", "0312345678907", "131234567890A"],
  },
  mprn: { right: ["3938424403"], wrong: ["3938424404", "12345", "39384244031", "A938424403"] },
  mpxn: { right: ["1312345678907", "3938424403"], wrong: ["1312345678900"] },
  nmi: {
    right: ["QAAAVZZZZZ", "QAAAVZZZZZ3", "20019857328", "NAAAMYS5826", "NBBBX111100", "63058884446", "71020000017"],
    wrong: ["QAAAVZZZZZ4", "QAAAVZZZZ", "QAAAVZZZZO", "QAAAVZZZZI", "qaaavzzzzz"],
  },
  mirn: { right: ["5321234567", "53212345670"], wrong: ["4321234567", "532123456", "53212345678901"] },
  "uk-postcode": {
    right: ["SW1A 1AA", "ec1a1bb", "W1A 0AX", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT", "GIR 0AA", "BF1 2AA"],
    wrong: ["SW1A 1A", "12345", "SW1A 1CA", "QW1 1AA", "SW1A  1AA", "A1AAA 1AA"],
  },
  "au-postcode": { right: ["2000", "0800", "0200", "9726"], wrong: ["200", "20000", "0100", "ABCD"] },
  postcode: { region: "AU", right: ["3000"], wrong: ["SW1A 1AA"] },
  "sort-code": {
    region: "GB",
    right: ["20-00-00", "20 00 00", "200000"],
    wrong: ["20000", "2000-00", "20-00 00", "2000000"],
  },
  "company-number": {
    region: "GB",
    right: ["00445790", "445790", "SC095237", "OC301540", "IP12345R"],
    wrong: ["123456789", "S1234567", "ABC12345"],
  },
  integer: { right: ["12", "0012", "12 34"], wrong: ["1.5", "x", "1e3"] },
  caps: { right: ["PO"], wrong: ["Po", "P O", "P1"] },
  "two-lines": { right: ["one\ntwo", "x".repeat(30)], wrong: ["1\n2\n3", "x".repeat(31)] },
  "delivery-point-id": { right: ["AB12"], wrong: ["ab12", "A-1"] },
  "portfolio-number": { right: ["P-ABCD1234"], wrong: ["P-ABCD123", "A-ABCD1234"] },
  "scheme-label": { right: ["time_of_use:peak", "register:1"], wrong: ["register:", "other:1"] },
  "tax-year": { right: ["2018/19", "1999/00"], wrong: ["2018/20", "2018/2019", "2018-19"] },
  "iso-date": { right: ["2024-02-29"], wrong: ["2023-02-29", "29/02/2024"] },
  "iso-datetime": {
    right: ["2024-02-29T10:00:00Z", "2024-02-29T10:00:00", "2024-02-29"],
    wrong: ["10:00", "yesterday"],
  },
  "email-not-test": {
    right: ["jo@example.com", "contest@example.com"],
    wrong: ["test@example.com", "XXX@example.com", "jo@test.co.uk", "jo@test.com", "jo@there.xxx", "jo@there.xx"],
  },
  "email-not-blackhole": { right: ["jo@example.com"], wrong: ["blackhole+1@example.com"] },
  phone: {
    region: "GB",
    right: ["020 7946 0018", "+61 2 9876 5432", "07911 123456"],
    wrong: ["12345", "0", "020 7946 001"],
  },
  mobile: { region: "AU", right: ["0412 345 678", "+61412345678"], wrong: ["02 9876 5432"] },
  landline: { region: "AU", right: ["(02) 9876 5432", "1300 123 456"], wrong: ["0412 345 678"] },
};

describe.each(Object.entries(EXAMPLES))("%s", (format, { region, right, wrong }) => {
  it.each(right)("accepts %s", (text) => expect(formatTest(format, phone)(text, region)).toBe(true));
  it.each(wrong)("rejects %s", (text) => expect(formatTest(format, phone)(text, region)).toBe(false));
});

describe("a region", () => {
  it("determines the format of a sort code and of a company number", () => {
    expect(formatTest("sort-code", undefined)("062-000", "AU")).toBe(true);
    expect(formatTest("sort-code", undefined)("20-00-00", "AU")).toBe(false);
    // Examples from ASIC and the Australian Business Register.
    expect(formatTest("company-number", undefined)("004 085 616", "AU")).toBe(true);
    expect(formatTest("company-number", undefined)("51 824 753 556", "AU")).toBe(true);
    expect(formatTest("company-number", undefined)("004 085 617", "AU")).toBe(false);
    expect(formatTest("company-number", undefined)("51 824 753 557", "AU")).toBe(false);
  });

  it("without a known format accepts every value", () => {
    expect(formatTest("postcode", undefined)("anything", "FR")).toBe(true);
    expect(formatTest("company-number", undefined)("anything", "FR")).toBe(true);
  });
});

describe("a format", () => {
  it("is tested without surrounding whitespace, and a number is tested by its digits", () => {
    expect(formatTest("mprn", undefined)(" 3938424403\n", undefined)).toBe(true);
    expect(formatTest("au-postcode", undefined)(2000, undefined)).toBe(true);
    expect(formatTest("au-postcode", undefined)(200, undefined)).toBe(false);
    expect(formatTest("not-blank", undefined)(" \t", undefined)).toBe(false);
    expect(formatTest("not-blank", undefined)("x", undefined)).toBe(true);
  });

  it.each([[true], [null], [undefined], [["x"]], [{ a: 1 }]])(
    "accepts a value that is neither text nor a number: %j",
    (value) => {
      expect(formatTest("mpan", undefined)(value, undefined)).toBe(true);
    },
  );

  it("accepts every text if it is unknown, and every telephone number if the plans are not loaded", () => {
    expect(formatTest("unknown", undefined)("x", undefined)).toBe(true);
    expect(formatTest("phone", undefined)("x", "GB")).toBe(true);
  });

  it("accepts its region in upper or lower case", () => {
    expect(formatTest("postcode", undefined)("SW1A 1AA", "gb")).toBe(true);
    expect(formatTest("postcode", undefined)("2000", "gb")).toBe(false);
    expect(formatTest("postcode", undefined)("anything", undefined)).toBe(true);
    expect(formatTest("postcode", undefined)("anything", 5)).toBe(true);
    expect(formatTest("sort-code", undefined)("20-00-00", undefined)).toBe(true);
    expect(formatTest("sort-code", undefined)("20-0000", undefined)).toBe(false);
    expect(formatTest("sort-code", undefined)("062-000", "FR")).toBe(false);
    expect(formatTest("phone", phone)("07911 123456", "gb")).toBe(true);
  });
});

describe("a telephone number", () => {
  /** Each row: a number, its region, and the kinds that it has. */
  it.each<[string, string | undefined, readonly string[]]>([
    ["07911 123456", "GB", ["phone", "mobile"]],
    ["020 7946 0018", "GB", ["phone", "landline"]],
    ["0800 123 4567", "GB", ["phone", "landline"]],
    ["+44 7911 123456", undefined, ["phone", "mobile"]],
    ["+44 7911 123456", "AU", ["phone", "mobile"]],
    ["07911 123456", undefined, []],
    ["07911 123456", "XX", []],
    ["+1 212 555 0123", "GB", ["phone", "mobile", "landline"]],
    ["(212) 555-0123", "US", ["phone", "mobile", "landline"]],
    ["call 020 7946 0018", "GB", []],
    ["0044 20 7946 0018", "GB", ["phone", "landline"]],
    ["020 7946 001", "GB", []],
  ])("%s of %s has the kinds %j", (text, region, kinds) => {
    const found = ["phone", "mobile", "landline"].filter((kind) => formatTest(kind, phone)(text, region));
    expect(found).toEqual(kinds);
  });
});

/** Returns the digit or digits for which the number is valid. */
function checkDigits(format: string, body: string, digits: number): readonly string[] {
  const endings = Array.from({ length: 10 ** digits }, (_unused, ending) => String(ending).padStart(digits, "0"));
  return endings.filter((ending) => formatTest(format, undefined)(`${body}${ending}`, "AU"));
}

it.each([
  ["mprn", "3938424403"],
  ["nmi", "QAAAVZZZZZ3"],
  ["mirn", "5321234567"],
  ["au-postcode", "2000"],
  ["sort-code", "20-00-00"],
  ["portfolio-number", "P-ABCD1234"],
  ["tax-year", "2018/19"],
  ["caps", "PO"],
  ["delivery-point-id", "AB12"],
])("a value of the format %s contains nothing before or after %s", (format, text) => {
  const fits = formatTest(format, undefined);
  expect([text, `.${text}`, `${text}.`].map((each) => fits(each, undefined))).toEqual([true, false, false]);
});

it.each(["+12", "-12", "12"])("%s is an integer", (text) => {
  expect(formatTest("integer", undefined)(text, undefined)).toBe(true);
});

it("the `two-lines` format allows at most 30 characters in each line, and the default sort code needs no hyphens", () => {
  const isShort = formatTest("two-lines", undefined);
  expect([isShort(`a\n${"x".repeat(31)}`, undefined), isShort(`a\r\n${"x".repeat(30)}`, undefined)]).toEqual([
    false,
    true,
  ]);
  const isSortCode = formatTest("sort-code", undefined);
  const texts = ["200000", "20-00-00", "20 00 00", "2000-00", "20-0000", "20-00 00"];
  expect(texts.map((text) => isSortCode(text, undefined))).toEqual([true, true, true, false, false, false]);
});

/** Generates digits without a leading zero. */
function digitsOf(size: number): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(`^[1-9]\\d{${size - 1}}$`));
}

describe("the check digits", () => {
  it("of an electricity meter point follow from the weighted sum of its digits", () => {
    const primes = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43];
    fc.assert(
      fc.property(digitsOf(12), (body) => {
        let sum = 0;
        for (const [index, prime] of primes.entries()) sum += prime * Number(body[index]);
        expect(checkDigits("mpan", body, 1)).toEqual([String((sum % 11) % 10)]);
      }),
    );
  });

  it("of a gas meter point follow from its digits and their positions", () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 8 }).chain(digitsOf), (body) => {
        let sum = 0;
        for (let place = 1; place <= body.length; place += 1) sum += place * Number(body.at(-place));
        expect(checkDigits("mprn", body, 2)).toEqual([String(sum % 11).padStart(2, "0")]);
      }),
      { numRuns: 30 },
    );
  });

  it("of an Australian metering identifier complete the sum of its doubled codes", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-HJ-NP-Z0-9]{10}$/), (body) => {
        const codes = Array.from(body, (character, index) => character.charCodeAt(0) * (index % 2 === 0 ? 1 : 2));
        const sum = Array.from(codes.join("")).reduce((total, digit) => total + Number(digit), 0);
        expect(checkDigits("nmi", body, 1)).toEqual([String((1000 - sum) % 10)]);
      }),
    );
  });

  it("of an Australian company number complete its weighted sum", () => {
    fc.assert(
      fc.property(digitsOf(8), (body) => {
        const sum = Array.from(body).reduce((total, digit, index) => total + Number(digit) * (8 - index), 0);
        expect(checkDigits("company-number", body, 1)).toEqual([String((1000 - sum) % 10)]);
      }),
    );
  });

  it("of an Australian business number make its weighted sum divisible by 89", () => {
    fc.assert(
      fc.property(digitsOf(9), (body) => {
        const rest = Array.from(body).reduce((sum, digit, index) => {
          const weight = index === 0 ? 10 : 2 * index - 1;
          return sum + weight * (Number(digit) - (index === 0 ? 1 : 0));
        }, 0);
        const expected = Array.from({ length: 100 }, (_unused, ending) => ending).filter(
          (ending) => (rest + 17 * Math.floor(ending / 10) + 19 * (ending % 10)) % 89 === 0,
        );
        expect(checkDigits("company-number", body, 2).map(Number)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
});
