import { describe, expect, test } from "vitest";
import { joinPath, parseBaseUrl } from "../../src/transport/base-url.ts";

describe("the base URL:", () => {
  test.each([
    ["https://api.example.com/v1/", false, "https://api.example.com/v1/"],
    ["https://api.example.com/v1", false, "https://api.example.com/v1/"],
    ["https://api.example.com:8443/platform/v1/", false, "https://api.example.com:8443/platform/v1/"],
    ["https://[::1]:8443/v1/", false, "https://[::1]:8443/v1/"],
    ["https://bücher.example/v1/", false, "https://xn--bcher-kva.example/v1/"],
    ["http://127.0.0.1:8080/v1/", true, "http://127.0.0.1:8080/v1/"],
    ["http://localhost:8080/v1", true, "http://localhost:8080/v1/"],
  ])("%s is accepted", (text, allowInsecureLoopback, expected) => {
    expect(parseBaseUrl(text, { allowInsecureLoopback }).href).toBe(expected);
  });

  test.each([
    ["not an address", true, /not a valid URL/],
    ["http://api.example.com/v1/", true, /https/],
    ["http://localhost/v1/", false, /https/],
    ["http://127.0.0.1.example.com/v1/", true, /https/],
    ["ftp://api.example.com/v1/", true, /https/],
    ["https://user:secret@api.example.com/v1/", false, /credentials/],
    ["https://api.example.com/v1/?x=1", false, /query/],
    ["https://api.example.com/v1/#x", false, /query/],
    ["https://api.example.com/", false, /end in \/v1\//],
    ["https://api.example.com/v2/", false, /end in \/v1\//],
    ["https://api.example.com/v1/data-import/", false, /end in \/v1\//],
  ])("%s is refused, and the hint says how to fix it", (text, allowInsecureLoopback, message) => {
    const parse = (): URL => parseBaseUrl(text, { allowInsecureLoopback });
    expect(parse).toThrow(message);
    expect(parse).toThrow(expect.objectContaining({ code: "usage", hint: expect.any(String) }));
    expect(parse).not.toThrow(/secret/);
  });
});

test.each([
  ["https://api.example.com/v1/", "/data-import/accounts/", "https://api.example.com/v1/data-import/accounts/"],
  ["https://api.example.com/v1/", "/v1/data-import/accounts/", "https://api.example.com/v1/data-import/accounts/"],
  ["https://api.example.com/v1/", "/v2/data-import/accounts/", "https://api.example.com/v2/data-import/accounts/"],
  ["https://example.com/eu/v1/", "/v2/data-import/accounts", "https://example.com/eu/v2/data-import/accounts"],
  ["https://api.example.com/v1/", "//evil.example/x/", "https://api.example.com/v1/evil.example/x/"],
  ["https://api.example.com/v1/", "https://evil.example/x/", "https://api.example.com/v1/https://evil.example/x/"],
  ["https://api.example.com/v1/", "/x/?a=1#b", "https://api.example.com/v1/x/%3Fa=1%23b"],
])("the base URL %s and the path %s result in %s", (base, path, expected) => {
  expect(joinPath(new URL(base), path).href).toBe(expected);
});
