import { X509Certificate, createPrivateKey } from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { makeFolder } from "../files/make-folder.ts";
import { generate } from "selfsigned";
import { remedyOf } from "../files/write-error.ts";
import { Failure } from "../model/failure.ts";

/**
 * The key and certificate of the sandbox's HTTPS server, and the path of the CA certificate that clients must trust.
 */
export interface ServerCertificate {
  /** The private key in PEM format. */
  readonly key: string;
  /** The server certificate, followed by the certificate of its authority, in PEM format. */
  readonly cert: string;
  /** Absolute path of the authority's certificate (PEM). */
  readonly caPath: string;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
/** Remaining validity below which a certificate is renewed, so that it does not expire during a long session. */
const RENEW_DAYS = 7;

/**
 * Returns a certificate for 127.0.0.1, ::1 and localhost, signed by the sandbox's own certificate authority. The
 * certificates and the key of the server (mode 0600) are stored in `folder` and reused while they are valid. The key of
 * the authority is never stored, so read access to the folder is not enough to sign certificates for other hosts.
 * @throws Failure `storage` if the folder is not writable
 */
export async function serverCertificate(folder: string): Promise<ServerCertificate> {
  const paths = {
    ca: resolve(folder, "ca.pem"),
    cert: join(folder, "server.pem"),
    key: join(folder, "server-key.pem"),
  };
  const stored = await readStored(paths);
  if (stored !== undefined) return { ...stored, caPath: paths.ca };
  const made = await makeCertificates();
  await storeCertificates(made, paths, folder);
  return { key: made.key, cert: made.cert, caPath: paths.ca };
}

/** The authority's certificate, the server's certificate and its key, each as PEM text or as a path. */
interface CertificateSet {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

async function readStored(paths: CertificateSet): Promise<{ readonly key: string; readonly cert: string } | undefined> {
  try {
    const [ca, cert, key] = await Promise.all([
      readFile(paths.ca, "utf8"),
      readFile(paths.cert, "utf8"),
      readFile(paths.key, "utf8"),
    ]);
    if (!isUsable(ca, cert, key)) return undefined;
    await chmod(paths.key, 0o600);
    return { key, cert };
  } catch {
    return undefined;
  }
}

function isUsable(ca: string, cert: string, key: string): boolean {
  const leaf = new X509Certificate(cert);
  const authority = new X509Certificate(ca);
  const isValidLongEnough = Date.parse(leaf.validTo) > Date.now() + RENEW_DAYS * DAY_MS;
  return isValidLongEnough && leaf.verify(authority.publicKey) && leaf.checkPrivateKey(createPrivateKey(key));
}

async function makeCertificates(): Promise<CertificateSet> {
  const validity = {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - DAY_MS),
    notAfterDate: new Date(Date.now() + VALID_DAYS * DAY_MS),
  } as const;
  const ca = await generate([{ name: "commonName", value: "migrate sandbox authority" }], {
    ...validity,
    extensions: [
      { name: "basicConstraints", cA: true, pathLenConstraint: 0, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const leaf = await generate([{ name: "commonName", value: "localhost" }], {
    ...validity,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 7, ip: "127.0.0.1" },
          { type: 7, ip: "::1" },
          { type: 2, value: "localhost" },
        ],
      },
    ],
  });
  return { ca: ca.cert, cert: `${leaf.cert.trim()}\n${ca.cert}`, key: leaf.private };
}

async function storeCertificates(made: CertificateSet, paths: CertificateSet, folder: string): Promise<void> {
  try {
    makeFolder(folder);
    await writePrivate(paths.key, made.key);
    await writePrivate(paths.cert, made.cert);
    await writePrivate(paths.ca, made.ca);
  } catch (cause) {
    throw new Failure("storage", `the sandbox cannot store its certificates in ${folder}`, {
      hint: `${remedyOf(cause, folder)}, or run the command in another, writable folder`,
      cause,
    });
  }
}

async function writePrivate(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  await chmod(path, 0o600);
}
