import { Failure } from "../../model/failure.ts";

/** The settings of a process that may weaken the protection of what is sent. */
export interface ProcessSettings {
  readonly env: NodeJS.ProcessEnv;
  /** Flags of Node.js itself. */
  readonly execArgv: readonly string[];
}

/**
 * Notices about the environment: what would show credentials or personal data to others, and what is ignored.
 * @throws Failure `config` when they ask for certificates not to be checked
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
    ...(proxy === undefined ? [] : [`${proxy} is set but ignored: pass --proxy to use a proxy`]),
    ...(env["NODE_DEBUG"] ? ["NODE_DEBUG is set: Node.js may log requests, including credentials"] : []),
    ...(env["SSLKEYLOGFILE"] || nodeFlags.includes("--tls-keylog")
      ? ["TLS keys are being logged: anyone with the log can read the requests"]
      : []),
    ...(nodeFlags.includes("--inspect")
      ? ["Node.js accepts a debugger, which can read everything, including credentials"]
      : []),
  ];
}

/** Variables by which other programs are told to use a proxy. */
const PROXY_VARIABLES = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
