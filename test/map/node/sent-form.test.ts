import { describe, expect, it } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { compileSentForm } from "../../../src/map/node/sent-form.ts";
import { operation } from "../rows.ts";
import { choice, list, moment, object, text, union } from "../../validate/field-types.ts";

const AT = moment("datetime");
const ANY: FieldType = { kind: "any", nullable: false, deprecated: false, validators: [] };

function sent(body: FieldType, payload: JsonObject): JsonObject {
  return compileSentForm({ body, steps: [] })({ payload }).payload;
}

describe("date-times are sent in UTC, with Z and whole seconds:", () => {
  it.each([
    ["2024-06-01T09:30:00+01:00", "2024-06-01T08:30:00Z"],
    ["2024-06-01T00:30:00+10:00", "2024-05-31T14:30:00Z"],
    ["2024-06-01T09:30:00.000Z", "2024-06-01T09:30:00Z"],
    ["2024-06-01T09:30:59.999999Z", "2024-06-01T09:30:59Z"],
    ["2024-06-01t09:30:00z", "2024-06-01T09:30:00Z"],
    ["2024-06-01T09:30:00-00:00", "2024-06-01T09:30:00Z"],
    ["2016-12-31T15:59:60-08:00", "2016-12-31T23:59:60Z"],
    ["2024-06-01T09:30:00Z", "2024-06-01T09:30:00Z"],
  ])("%s is sent as %s", (given, expected) => {
    expect(sent(object({ at: AT }), { at: given })).toEqual({ at: expected });
  });

  it.each(["2024-06-01", "2024-06-01T09:30:00", "tomorrow", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])(
    "%s is sent unchanged, because it has no time or zone, or a UTC year that is out of range",
    (given) => {
      expect(sent(object({ at: AT }), { at: given })).toEqual({ at: given });
    },
  );
});

describe("conversion to UTC", () => {
  const GIVEN = "2024-06-01T09:30:00+01:00";
  const UTC = "2024-06-01T08:30:00Z";

  it("converts every date-time of the contract and nothing else", () => {
    const type = object({ at: AT, name: text(), items: list(object({ at: AT, note: text() })), days: list(AT) });
    expect(
      sent(type, {
        at: GIVEN,
        name: GIVEN,
        items: [{ at: GIVEN, note: GIVEN }, { at: null }],
        days: [GIVEN],
        other: GIVEN,
      }),
    ).toEqual({ at: UTC, name: GIVEN, items: [{ at: UTC, note: GIVEN }, { at: null }], days: [UTC], other: GIVEN });
  });

  it("skips date-times that the contract marks to be sent as given", () => {
    expect(sent(object({ at: moment("datetime", { asGiven: true }), to: AT }), { at: GIVEN, to: GIVEN })).toEqual({
      at: GIVEN,
      to: UTC,
    });
  });

  it("depends on a union's discriminator or, without one, requires that no alternative has a string there", () => {
    const call = object({ "kind!": choice(["call"]), at: AT });
    const letter = object({ "kind!": choice(["letter"]), at: text() });
    const mapping = new Map([
      ["call", call],
      ["letter", letter],
    ]);
    const events = list(union([call, letter], { discriminator: { property: "kind", mapping } }));
    const items = ["call", "letter"].map((kind) => ({ kind, at: GIVEN }));
    expect(sent(object({ events }), { events: items })).toEqual({ events: [{ ...items[0], at: UTC }, items[1]] });
    expect(sent(object({ it: union([call, letter]) }), { it: items[0] ?? {} })).toEqual({ it: items[0] });
    expect(sent(object({ it: union([call, object({ at: AT, to: AT })]) }), { it: { at: GIVEN } })).toEqual({
      it: { at: UTC },
    });
    expect(sent(object({ it: union([AT, moment("date")]) }), { it: GIVEN })).toEqual({ it: UTC });
  });

  it("skips a date-time if another alternative allows a choice or any value there", () => {
    for (const other of [choice(["a"]), ANY]) {
      expect(sent(object({ it: union([object({ at: AT }), object({ at: other })]) }), { it: { at: GIVEN } })).toEqual({
        it: { at: GIVEN },
      });
    }
  });

  it("depends on the form of the value if the alternatives have different forms", () => {
    const type = object({ it: union([AT, list(AT), object({ at: AT })]) });
    expect(sent(type, { it: GIVEN })).toEqual({ it: UTC });
    expect(sent(type, { it: [GIVEN] })).toEqual({ it: [UTC] });
    expect(sent(type, { it: { at: GIVEN } })).toEqual({ it: { at: UTC } });
  });

  it("returns the payload itself if the contract has no date-times", () => {
    const payload = { name: GIVEN };
    expect(sent(object({ name: text() }), payload)).toBe(payload);
  });

  it("converts parameters, and the fields of steps", () => {
    const since = { name: "since", in: "query", required: false, type: AT } as const;
    const schedule = {
      ...operation(object({}), "id"),
      wrap: "payload",
      envelope: object({ start: AT, note: text() }),
      parameters: [since],
    };
    const steps = [{ name: "schedule", kind: "schedule", operation: schedule }] as const;
    const convert = compileSentForm({ body: object({ at: AT }), steps });
    const fields = { start: GIVEN, note: GIVEN };
    expect(
      convert({
        payload: { at: GIVEN },
        parameters: { since: GIVEN, other: GIVEN },
        steps: new Map([
          ["schedule", fields],
          ["other", fields],
        ]),
      }),
    ).toEqual({
      payload: { at: UTC },
      parameters: { since: UTC, other: GIVEN },
      steps: new Map([
        ["schedule", { start: UTC, note: GIVEN }],
        ["other", fields],
      ]),
    });
    expect(convert({ payload: { at: GIVEN } })).toEqual({ payload: { at: UTC } });
    expect(compileSentForm({ steps: [] })({ payload: {}, parameters: { since: GIVEN } })).toEqual({
      payload: {},
      parameters: { since: GIVEN },
    });
  });
});
