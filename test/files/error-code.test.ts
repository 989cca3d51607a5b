import { expect, test } from "vitest";
import { listenError } from "../../src/files/error-code.ts";

test.each([
  [Object.assign(new Error("in use"), { code: "EADDRINUSE" }), "another program is already listening there"],
  [Object.assign(new Error("other"), { code: "EINVAL" }), "the address cannot be used (EINVAL)"],
  [new Error("unknown"), "the address cannot be used"],
])("the reason why a server cannot listen names the code of the error, if any: %s", (error, text) => {
  expect(listenError(error)).toBe(text);
});
