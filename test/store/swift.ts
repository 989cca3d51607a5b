import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { AwsV4Signer } from "aws4fetch";
import { Agent, request } from "undici";
import { createTestFolder } from "../temporary-folder.ts";
import { serverCertificate } from "../../src/sandbox/certificate.ts";

/** Debian's own Python, which the `python3-swift` package requires. */
const PYTHON = "/usr/bin/python3";

/** Whether OpenStack Swift is installed. Without it, tests that need it are skipped. */
export const SWIFT_IS_HERE: boolean = spawnSync(PYTHON, ["-c", "import swift.proxy.server"]).status === 0;

export const SWIFT_KEY = { accessKeyId: "test:tester", secretAccessKey: "testing" } as const;
export const SWIFT_REGION = "eu-west-2";

export interface Swift {
  readonly endpoint: string;
  /** The PEM file of the authority that signed the server's certificate. */
  readonly caFile: string;
  readonly ca: string;
  /** Creates a bucket, or an object with short content. */
  readonly put: (bucket: string, key?: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts OpenStack Swift with its S3 interface over HTTPS. The caller stops it. */
export async function startSwift(): Promise<Swift> {
  const { folder, remove } = createTestFolder();
  const { caPath } = await serverCertificate(folder);
  const script = fileURLToPath(new URL("swift-server.py", import.meta.url));
  const files = [folder, path.join(folder, "server.pem"), path.join(folder, "server-key.pem")];
  const server = spawn(PYTHON, [script, ...files], { stdio: ["pipe", "pipe", "pipe"] });
  const endpoint = `https://127.0.0.1:${await portOf(server)}`;
  const ca = readFileSync(caPath, "utf8");
  const dispatcher = new Agent({ connect: { ca } });
  return {
    endpoint,
    caFile: caPath,
    ca,
    put: async (bucket, key) => {
      const url = new URL(`${endpoint}/${bucket}${key === undefined ? "" : `/${keyPath(key)}`}`);
      const signer = new AwsV4Signer({
        method: "PUT",
        url: url.href,
        service: "s3",
        region: SWIFT_REGION,
        ...SWIFT_KEY,
      });
      const { headers } = await signer.sign();
      const body = key === undefined ? "" : "document";
      const reply = await request(url, { method: "PUT", headers: Object.fromEntries(headers), body, dispatcher });
      const said = await reply.body.text();
      if (reply.statusCode !== 200) throw new Error(`PUT ${url.pathname}: ${reply.statusCode} ${said}`);
    },
    stop: async () => {
      const ended = new Promise((resolve) => void server.once("close", resolve));
      server.stdin.end();
      await Promise.all([dispatcher.close(), ended]);
      remove();
    },
  };
}

function keyPath(key: string): string {
  return key.split("/").map(encodeURIComponent).join("/");
}

async function portOf({ stdout, stderr }: ChildProcess): Promise<string> {
  if (stdout === null || stderr === null) throw new Error("the server has no output");
  let errors = "";
  stderr.on("data", (piece: Buffer) => {
    errors += String(piece);
  });
  for await (const line of createInterface(stdout)) return line;
  throw new Error(`OpenStack Swift did not start: ${errors}`);
}
