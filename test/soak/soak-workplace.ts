import { writeFileSync } from "node:fs";
import { goodAccounts, type Workplace, workplace } from "../e2e/push-scene.ts";
import type { ChaosPlatform } from "./chaos-platform.ts";

/** Creates a work folder with valid accounts and the environment for the platform. */
export function soakWorkplace({ server }: Pick<ChaosPlatform, "server">, records: number): Workplace {
  const env = { MIGRATE_TOKEN: "soak", MIGRATE_BASE_URL: server.baseUrl.href, MIGRATE_SUPPLIER: "SOAK" };
  const work = workplace({ accounts: goodAccounts(records) }, { env: { ...env, MIGRATE_CA: "ca.pem" } });
  writeFileSync(work.file("ca.pem"), server.ca);
  return work;
}
