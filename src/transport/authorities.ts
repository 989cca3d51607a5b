import { X509Certificate } from "node:crypto";
import { Failure } from "../model/failure.ts";

/**
 * Makes sure that a PEM file holds certificates and nothing that has no business there.
 * @param file as the user named it
 * @throws Failure `config`
 */
export function checkAuthorities(pem: string, file: string): void {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw new Failure("config", `${file} holds a private key`, {
      hint: "name the file with the certificate alone, and keep the key where it is needed",
    });
  }
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) {
    throw new Failure("config", `${file} holds no certificate`, {
      hint: "a PEM file is expected, which begins with -----BEGIN CERTIFICATE-----",
    });
  }
  for (const [index, certificate] of certificates.entries()) {
    try {
      void new X509Certificate(certificate);
    } catch (cause) {
      throw new Failure("config", `certificate ${index + 1} of ${file} cannot be read`, {
        hint: "get the file anew from whoever runs the authority",
        cause,
      });
    }
  }
}
