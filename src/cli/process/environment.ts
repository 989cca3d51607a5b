import { Failure } from "../../model/failure.ts";

/** Process settings that can weaken the protection of sent data. */
export interface ProcessSettings {
  readonly env: NodeJS.ProcessEnv;
  /** Flags of Node.js itself. */
  readonly execArgv: readonly string[];
}

/**
 * Returns notices about environment settings that are ignored or that would expose credentials or personal data.
 * @throws Failure `config` if certificate verification is switched off
 */
export function environmentNotices({ env, execArgv }: ProcessSettings): readonly string[] {
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    throw new Failure("config", "NODE_TLS_REJECT_UNAUTHORIZED=0 disables certificate checks", {
      hint: "unset it, and trust the platform's certificate authority with --ca",
    });
  }
  const nodeFlags = [...execArgv, env["NODE_OPTIONS"] ?? ""].join(" ");
  const proxy = PROXY_VARIABLES.find((name) => env[name]);
  return [
    ...(proxy === undefined
      ? []
      : [`${proxy} is set but ignored: only --proxy, MIGRATE_PROXY and the target's setting "proxy" select a proxy`]),
    ...(env["NODE_DEBUG"] ? ["NODE_DEBUG is set: Node.js may log requests, including credentials"] : []),
    ...(env["SSLKEYLOGFILE"] || nodeFlags.includes("--tls-keylog")
      ? ["TLS keys are being logged, so anyone with the log can read the requests"]
      : []),
    ...(nodeFlags.includes("--inspect")
      ? ["Node.js accepts debugger connections, and a debugger can read everything, including credentials"]
      : []),
  ];
}

/** Variables that other programs read to use a proxy. */
const PROXY_VARIABLES = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
