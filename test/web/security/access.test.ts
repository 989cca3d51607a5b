import { describe, expect, it } from "vitest";
import { createAccess } from "../../../src/web/security/access.ts";

describe("the access control of the web pages", () => {
  it("exchanges the displayed token any number of times, each time for a new session", () => {
    const access = createAccess();
    const [one, other] = [access.exchange(access.token), access.exchange(access.token)];
    expect(one).toBeDefined();
    expect(one).not.toEqual(other);
    expect(access.isKnown(one ?? {})).toBe(true);
    expect(access.isKnown(other ?? {})).toBe(true);
  });

  it("exchanges a single-use token only once", () => {
    const access = createAccess();
    const single = access.createSingleToken();
    expect(single).not.toBe(access.token);
    expect(access.exchange(single)).toBeDefined();
    expect(access.exchange(single)).toBeUndefined();
  });

  it("accepts no other token, and no token of another server", () => {
    const access = createAccess();
    for (const token of ["", "x", createAccess().token, access.token.toLowerCase()]) {
      expect(access.exchange(token)).toBeUndefined();
    }
  });

  it("requires the cookie and the key of the same session", () => {
    const access = createAccess();
    const one = access.exchange(access.token) ?? { cookie: "", key: "" };
    const other = access.exchange(access.token) ?? { cookie: "", key: "" };
    expect(access.isKnown({ cookie: one.cookie })).toBe(false);
    expect(access.isKnown({ key: one.key })).toBe(false);
    expect(access.isKnown({ cookie: one.cookie, key: other.key })).toBe(false);
    expect(access.isKnown({ cookie: one.key, key: one.cookie })).toBe(false);
    expect(access.isKnown({})).toBe(false);
  });
});
