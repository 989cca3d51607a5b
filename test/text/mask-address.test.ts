import { expect, test } from "vitest";
import { maskAddress } from "../../src/text/mask-address.ts";

test.each([
  ["https://user:canary@host/v1/", "https://***@host/v1/"],
  ["https://u:can@ary@h/", "https://***@h/"],
  ["https://u:can/ary@h/", "https://***@h/"],
  ["http://u:can?ary@h:1", "http://***@h:1"],
  ["http://u:can#ary@h:1", "http://***@h:1"],
  ["u:canary@127.0.0.1:1", "***@127.0.0.1:1"],
  ["https:user:canary@host/v1/", "***@host/v1/"],
  ["user:canary@host/v1/", "***@host/v1/"],
  ["https://h/v1/?token=canary", "https://h/v1/?***"],
  ["https://h/v1/#canary", "https://h/v1/#***"],
  ["s3://AKIA:canary@bucket", "s3://***@bucket"],
])("the credentials in %s are masked", (address, shown) => {
  expect(maskAddress(address)).toBe(shown);
});

test.each(["https://host:8443/v1/", "http://proxy:3128", "s3://bucket"])("%s is unchanged", (address) => {
  expect(maskAddress(address)).toBe(address);
});
