import { FUNCTION_TIMEOUT } from "../../job/functions/function-timeout.ts";
import { timeoutSettings } from "../../job/target-connection.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { JsonValue } from "../../json/json-value.ts";
import type { Flags } from "../options/options.ts";
import type { Config } from "./config-schema.ts";
import { storeSettingsOf } from "./store-settings.ts";
import { type Settings, targetNameOf } from "./settings.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";

/** A setting that is always listed: its value and its possible origins. */
export interface KnownSetting {
  /** The name in the configuration file: `targets.test.baseUrl`. */
  readonly name: string;
  readonly value: JsonValue | undefined;
  /** The name of the option that sets this setting. */
  readonly option?: string;
  /** Possible paths in the configuration file. The first path with a value wins. */
  readonly paths: readonly AttrPath[];
}

/** The settings that result from flags, variables and the configuration together. */
export function knownSettings(settings: Settings, config: Config, flags: Flags): readonly KnownSetting[] {
  const name = targetNameOf(flags, config);
  return [
    { name: "config", value: settings.configFile, option: "config", paths: [] },
    ...jobSettings(settings, name),
    top("target", name),
    ...ofTarget(settings, name),
    ...ofStore(settings, config, flags),
  ];
}

function jobSettings({ job, ledger, out, threads }: Settings, target: string | undefined): readonly KnownSetting[] {
  return [
    top("contract", job.contract.length === 0 ? undefined : job.contract),
    top("operation", job.operation),
    top("mapping", job.mapping),
    {
      ...top("supplier", job.supplier),
      paths: [...(target === undefined ? [] : [["targets", target, "supplier"]]), ["supplier"]],
    },
    top("encoding", job.encoding),
    top("delimiter", job.delimiter),
    top("threads", threads),
    {
      name: "functionTimeout",
      value: job.functionTimeout ?? FUNCTION_TIMEOUT.default,
      paths: [["functionTimeout"]],
    },
    top("ledger", ledger),
    top("out", out),
  ];
}

/** A setting at the top level of the file, with the name of its flag. */
function top(setting: keyof Flags, value: JsonValue | undefined): KnownSetting {
  return { name: setting, value, option: setting, paths: [[setting]] };
}

function ofTarget({ target, pace }: Settings, name: string | undefined): readonly KnownSetting[] {
  const row = (path: AttrPath, value: JsonValue | undefined, option?: keyof Flags): KnownSetting => {
    const whole = name === undefined ? path : ["targets", name, ...path];
    return { name: whole.join("."), value, paths: name === undefined ? [] : [whole], ...(option && { option }) };
  };
  return [
    ...(target === undefined
      ? []
      : [
          row(["baseUrl"], withoutUser(target.baseUrl), "baseUrl"),
          row(["ca"], target.ca, "ca"),
          row(["proxy"], target.proxy && withoutUser(target.proxy), "proxy"),
          row(["environment"], target.production ? "production" : "test"),
          row(["auth", "scheme"], target.auth.scheme ?? "Token", "auth"),
          ...timeoutRows(target).map(([setting, value]) => row(["timeouts", setting], value)),
        ]),
    { name: "concurrency", value: pace.concurrency, option: "concurrency", paths: [] },
    row(["maxConcurrency"], pace.maxConcurrency),
    row(["rps"], pace.rps, "rps"),
  ];
}

function timeoutRows(target: TargetSettings): readonly (readonly [string, number | undefined])[] {
  return Object.entries(timeoutSettings(target));
}

/** Masks user name and password in a URL. A URL can contain them, although no command accepts such a URL. */
function withoutUser(address: string): string {
  return address.replace(/\/\/[^/@]*@/, "//***@");
}

function ofStore({ supplier }: Settings, config: Config, flags: Flags): readonly KnownSetting[] {
  const store = storeSettingsOf(config, flags, supplier);
  if (store === undefined) return [];
  const bucketOf = supplier.code === undefined ? [] : [["suppliers", supplier.code, "bucket"]];
  return [
    { name: "store.location", value: store.location, option: "store", paths: [["store", "location"], ...bucketOf] },
    {
      name: "store.endpoint",
      value: store.endpoint && withoutUser(store.endpoint),
      option: "endpoint",
      paths: [["store", "endpoint"]],
    },
    { name: "store.region", value: store.region, option: "region", paths: [["store", "region"]] },
    { name: "store.ca", value: store.ca, option: "ca", paths: [["store", "ca"]] },
  ];
}
