import { describe, expect, it } from "vitest";
import { codes, moment } from "./field-types.ts";

describe("date:", () => {
  it.each(["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31", "1582-10-10"])("%s is a valid date", (value) => {
    expect(codes(moment("date"), value)).toEqual([]);
  });
  it.each([
    "2024-02-30",
    "2023-02-29",
    "1900-02-29",
    "2024-04-31",
    "2024-13-01",
    "2024-00-10",
    "2024-01-00",
    "0000-01-01",
    "+12020-01-01",
    "24-01-01",
    "2024-1-1",
    "20240101",
    "2024/01/01",
    "01/02/2024",
    "2024-01-01 ",
    " 2024-01-01",
    "2024-01-01T00:00:00Z",
    "２０２４-01-01",
    "2024-0a-01",
    "",
    20240101,
    true,
    {},
  ])("%j is not a valid date", (value) => {
    expect(codes(moment("date"), value)).toEqual(["invalid"]);
  });
  it("null is accepted only if it is allowed", () => {
    expect(codes(moment("date"), null)).toEqual(["null"]);
    expect(codes(moment("date", { nullable: true }), null)).toEqual([]);
  });
});

describe("datetime:", () => {
  it.each([
    "2024-01-31T09:30:00Z",
    "2024-01-31T23:59:59.000Z",
    "2024-01-31T09:30:00+01:00",
    "2024-01-31T09:30:00-23:59",
    "2024-01-31t09:30:00Z",
    "2024-01-31T09:30:00z",
    "2016-12-31T23:59:60Z",
    "2016-12-31T15:59:60-08:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59+01:00",
  ])("%s is a valid date-time", (value) => {
    expect(codes(moment("datetime"), value)).toEqual([]);
  });
  it.each([
    "2024-01-31T09:30:00",
    "2024-02-30",
    "2024-02-30T09:30:00Z",
    "2024-01-31T24:00:00Z",
    "2016-12-31T22:59:60Z",
    "2016-12-31T23:59:60+01:00",
    "2016-12-31T23:59:61Z",
    "2024-01-31T09:60:00Z",
    "2024-01-31T09:30Z",
    "2024-01-31 09:30:00Z",
    "2024-01-31T09:30:00.Z",
    "2024-01-31T09:30:00+24:00",
    "2024-01-31T09:30:00+0100",
    "2024-01-31T09:30:00Z\n",
    "0001-01-01T00:00:00+01:00",
    "9999-12-31T23:59:59-01:00",
    "9999-12-31T15:59:60-09:00",
    "",
    1_706_693_400,
  ])("%j is not a valid date-time", (value) => {
    expect(codes(moment("datetime"), value)).toEqual(["invalid"]);
  });
});

it("a date instead of a date-time is accepted with a warning, because the platform reads it as midnight", () => {
  expect(codes(moment("datetime"), "2024-01-31")).toEqual(["~coerced"]);
});

it("a truncated fraction of a second causes a warning, unless the date-time is sent unchanged", () => {
  expect(codes(moment("datetime"), "2024-01-31T23:59:59.123456Z")).toEqual(["~coerced"]);
  expect(codes(moment("datetime", { asGiven: true }), "2024-01-31T23:59:59.123456Z")).toEqual([]);
});

describe("time", () => {
  it.each(["09:30", "09:30:00", "23:59:59.999", "09:30:00Z", "09:30:00+01:00"])("accepts %s", (value) => {
    expect(codes(moment("time"), value)).toEqual([]);
  });
  it.each(["24:00", "9:30", "09:60", "09:30:60", "0930", "09:30 am", "", 930])("rejects %j", (value) => {
    expect(codes(moment("time"), value)).toEqual(["invalid"]);
  });
});
