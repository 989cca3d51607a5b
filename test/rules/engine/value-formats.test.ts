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
  "sort-code": { region: "GB", right: ["20-00-00", "200000"], wrong: ["20000", "20-000-0", "2000000"] },
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
