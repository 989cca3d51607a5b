import { expect, test } from "vitest";
import { endpointOf, instanceOf } from "../../src/job/endpoint.ts";

const at = (baseUrl: string, path: string, method = "POST"): string => endpointOf(baseUrl, { method, path });

test.each([
  ["the instance's prefix", at("https://h/one/v1/", "/accounts/"), at("https://h/two/v1/", "/accounts/")],
  ["the host", at("https://h/v1/", "/accounts/"), at("https://g/v1/", "/accounts/")],
  ["the path", at("https://h/v1/", "/accounts/"), at("https://h/v1/", "/notes/")],
  ["the path's version", at("https://h/v1/", "/v1/accounts/"), at("https://h/v1/", "/v2/accounts/")],
  ["the method", at("https://h/v1/", "/accounts/"), at("https://h/v1/", "/accounts/", "PUT")],
])("%s distinguishes two endpoints", (_, one, other) => {
  expect(one).not.toBe(other);
});

test.each([
  ["a closing slash", at("https://h/v1", "/accounts"), at("https://h/v1/", "/accounts/")],
  [
    "a version in the path that the base URL already contains",
    at("https://h/v1/", "/v1/accounts/"),
    at("https://h/v1/", "/accounts/"),
  ],
  ["the name of a path parameter", at("https://h/v1/", "/a/{number}/b/"), at("https://h/v1/", "/a/{account}/b/")],
  ["the encoding of a character", at("https://h/v1/", "/caf%c3%a9/"), at("https://h/v1/", "/café/")],
  ["the default port, and capitals in the host", at("https://H:443/v1/", "/a/"), at("https://h/v1/", "/a/")],
])("%s does not change the endpoint", (_, one, other) => {
  expect(one).toBe(other);
});

test("an instance is named by its host and prefix, without the version", () => {
  expect(instanceOf("https://h:8443/one/v1/")).toBe("h:8443/one");
  expect(instanceOf("https://h/v1")).toBe("h");
});
