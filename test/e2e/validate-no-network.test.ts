import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CliOptions, projectFile, runCli, startCli } from "./cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const DEMO = projectFile("fixtures/demo");
const VALIDATE = ["validate", "--verbose"];
const PUSH = ["push", "--only", "00010001"];
const HAS_STRACE = spawnSync("strace", ["-V"]).error === undefined;

describe("validate opens no socket", () => {
  test("(calls of the network are trapped in Node.js)", async () => {
    const { options, touched } = trap();
    const { code, stderr } = await runCli(VALIDATE, options);
    expect([code, touched()]).toEqual([1, ""]);
    expect(stderr).toContain("223 records");
  });

  test("(control: the same trap detects a push)", async () => {
    const { options, touched } = trap();
    const push = startCli([...PUSH, "--base-url", "https://127.0.0.1:1/v1/", "--ledger", ledger()], options);
    await push.waitForOutput(/cannot reach/);
    push.kill("SIGKILL");
    await push.ended;
    expect(touched()).toMatch(/^(net|tls|dns)\./);
  });

  test.skipIf(!HAS_STRACE)("(its system calls are traced)", async () => {
    expect(await socketsOf(VALIDATE)).toEqual([]);
  });

  test.skipIf(!HAS_STRACE)("(control: the kernel reports the sockets of a push)", async () => {
    const { port, close } = await plainServer();
    const sockets = await socketsOf([...PUSH, "--base-url", `https://127.0.0.1:${port}/v1/`, "--ledger", ledger()]);
    await close();
    expect(sockets).not.toEqual([]);
  });
});

/** Returns options that make every use of the network add a line to a file, and a function that reads the file. */
function trap(): { readonly options: CliOptions; readonly touched: () => string } {
  const trapFile = path.join(temporaryFolder(), "touched");
  return {
    options: {
      cwd: DEMO,
      env: { TRAP_FILE: trapFile, MIGRATE_TOKEN: "not-a-real-one" },
      nodeFlags: ["--import", projectFile("test/e2e/validate-no-network.mjs")],
    },
    touched: () => (existsSync(trapFile) ? readFileSync(trapFile, "utf8") : ""),
  };
}

function ledger(): string {
  return path.join(temporaryFolder(), "ledger.db");
}

/** Returns the network sockets that the command opens. Sockets within the machine (AF_UNIX) do not count. */
async function socketsOf(args: readonly string[]): Promise<readonly string[]> {
  const file = path.join(temporaryFolder(), "trace");
  const { code } = await runCli(args, {
    cwd: DEMO,
    env: { MIGRATE_TOKEN: "not-a-real-one" },
    under: ["strace", "-f", "-qq", "-e", "trace=network", "-o", file],
  });
  expect(code).not.toBe(70);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /socket\(AF_INET6?,/.test(line));
}

/** Starts a server without TLS. A TLS client's connection fails immediately. */
async function plainServer(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer((socket) =>
    socket
      .on("error", () => undefined)
      .resume()
      .end("no TLS here\n"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
