import { describe, expect, test } from "vitest";
import { classifyError } from "../../../src/platform/reply/classify-error.ts";
import type { Classification } from "../../../src/platform/reply/reply-class.ts";
import { type Phase, TransportError } from "../../../src/transport/http.ts";

function judged(phase: Phase, code: string): Classification {
  return classifyError(new TransportError(phase, code, { code, durationMs: 1 }), "https://localhost");
}

describe("a request without a reply", () => {
  test.each<[Phase, string, object]>([
    ["unsent", "ECONNREFUSED", { kind: "unsent", code: "ECONNREFUSED" }],
    ["unsent", "EAI_AGAIN", { kind: "unsent" }],
    ["unsent", "EINVAL", { kind: "unsent" }],
    ["unsent", "UND_ERR_CONNECT_TIMEOUT", { kind: "unsent" }],
    ["unsent", "ECONNRESET", { kind: "unsent" }],
    [
      "unsent",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      { kind: "stop", failure: { code: "tls", hint: expect.stringContaining("--ca") } },
    ],
    ["unsent", "ERR_TLS_CERT_ALTNAME_INVALID", { kind: "stop", failure: { code: "tls" } }],
    ["unsent", "CERT_HAS_EXPIRED", { kind: "stop", failure: { code: "tls" } }],
    ["unsent", "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", { kind: "stop", failure: { code: "tls" } }],
    ["unsent", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", { kind: "stop", failure: { code: "tls" } }],
    ["sent", "ECONNRESET", { kind: "ambiguous", notFromApi: false }],
    ["sent", "UND_ERR_SOCKET", { kind: "ambiguous", notFromApi: false }],
    ["headers", "UND_ERR_SOCKET", { kind: "ambiguous" }],
    ["headers", "HTTPParserError", { kind: "ambiguous", notFromApi: true }],
    ["sent", "ERR_SSL_WRONG_VERSION_NUMBER", { kind: "ambiguous" }],
    ["sent", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", { kind: "stop", failure: { code: "tls" } }],
    ["headers", "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", { kind: "ambiguous" }],
  ])("is classified by its phase and its error: %s, %s", (phase, code, verdict) => {
    expect(judged(phase, code).replyClass).toMatchObject(verdict);
  });

  test.each([
    ["CERT_HAS_EXPIRED", "its certificate has expired (CERT_HAS_EXPIRED)", /renew the certificate/],
    ["CERT_NOT_YET_VALID", "its certificate is not valid yet (CERT_NOT_YET_VALID)", /clock of this machine/],
    [
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "its certificate is for other host names (ERR_TLS_CERT_ALTNAME_INVALID)",
      /check the host/,
    ],
    [
      "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
      "it offers neither TLS 1.2 nor TLS 1.3 (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION)",
      /enable TLS 1.2/,
    ],
  ])("explains how to fix a refused handshake that --ca cannot fix: %s", (code, problem, hint) => {
    expect(judged("unsent", code).replyClass).toMatchObject({
      failure: { message: `no secure connection to https://localhost: ${problem}`, hint: expect.stringMatching(hint) },
    });
  });

  test.each([
    ["PROXY_502", "cannot reach https://localhost: the proxy replies with HTTP 502"],
    ["PROXY_429", "cannot reach https://localhost: the proxy replies with HTTP 429"],
    ["PROXY_ECONNRESET", "cannot reach the proxy: it closes the connection (ECONNRESET)"],
    ["PROXY_TIMEOUT", "cannot reach the proxy: it does not answer (TIMEOUT)"],
    ["PROXY_HPE_INVALID_CONSTANT", "cannot reach the proxy: its reply is not HTTP (HPE_INVALID_CONSTANT)"],
  ])("names the proxy that could not open a tunnel: %s", (code, reason) => {
    expect(judged("unsent", code).replyClass).toMatchObject({ kind: "unsent", code, reason });
  });

  test("counts as push-back after a timeout, but not after a lost connection", () => {
    expect(judged("sent", "UND_ERR_HEADERS_TIMEOUT").pushBack).toEqual({ reason: "timeout" });
    expect(judged("sent", "ECONNRESET").pushBack).toBeUndefined();
  });
});
