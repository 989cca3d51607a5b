import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "csv-stringify/sync";
import { between, type Dice } from "../seeded-dice.ts";

/** An account in the old system, as shown in the month's extracts. */
export interface MonthAccount {
  readonly ref: string;
  address: string;
  type: "D" | "?";
  mobile: string;
  /** Day on which the errors of the account are fixed in the old system. */
  fixedOn: number;
  isRemoved: boolean;
}

export const DAYS = 20;
/** No new account appears in the last days, so that every account can be settled. */
const LAST_NEW_DAY = 16;
const GOOD_MOBILE = "07700 900730";
/** Accepted by local validation, and rejected by the platform. */
const REFUSED_MOBILE = "04000 000000";

/** One extract a day, with new, changed, repeated and removed rows. */
export interface Month {
  /** Writes the extract of the next day and returns its files, relative to the folder. */
  readonly nextDay: () => { readonly day: number; readonly accounts: string; readonly customers: string };
  /** By key: the account as in the latest extract that contains it. */
  readonly latest: ReadonlyMap<string, Readonly<MonthAccount>>;
}

export function monthKeys(size: number): readonly string[] {
  return Array.from({ length: size }, (_, index) => keyOf(index + 1));
}

function keyOf(number: number): string {
  return `M-${String(number).padStart(5, "0")}`;
}

export function createMonth(folder: string, size: number, dice: Dice): Month {
  const accounts: MonthAccount[] = [];
  const latest = new Map<string, MonthAccount>();
  let day = 0;

  function addNew(): void {
    const until = Math.min(size, Math.ceil((size * day) / LAST_NEW_DAY));
    while (accounts.length < until) {
      const number = accounts.length + 1;
      const isInvalid = dice() < 0.06;
      const isRefused = !isInvalid && dice() < 0.02;
      accounts.push({
        ref: keyOf(number),
        address: `${number} Ōld Lane`,
        type: isInvalid ? "?" : "D",
        mobile: isRefused ? REFUSED_MOBILE : GOOD_MOBILE,
        fixedOn: dice() < 0.7 ? day + between(dice, 1, 5) : DAYS + 1,
        isRemoved: false,
      });
    }
  }

  function change(): void {
    for (const account of accounts) {
      if (account.fixedOn <= day) Object.assign(account, { type: "D", mobile: GOOD_MOBILE });
      if (dice() < 0.01) account.address = `${account.address.split(" ", 1)[0]} Néw Lane ${day}`;
      if (dice() < 0.002) account.isRemoved = true;
    }
  }

  return {
    latest,
    nextDay() {
      day += 1;
      change();
      addNew();
      const rows = accounts.filter(({ isRemoved }) => !isRemoved);
      for (const row of rows) latest.set(row.ref, { ...row });
      const repeated = rows.filter(() => dice() < 0.002);
      const name = `day-${String(day).padStart(2, "0")}`;
      mkdirSync(path.join(folder, name));
      const files = { accounts: `${name}/accounts.csv`, customers: `${name}/customers.csv` };
      writeFileSync(
        path.join(folder, files.accounts),
        stringify([...rows, ...repeated].map(accountCells), { header: true }),
      );
      writeFileSync(path.join(folder, files.customers), stringify(rows.map(customerCells), { header: true }));
      return { day, ...files };
    },
  };
}

function accountCells({ ref, type, address }: MonthAccount): object {
  return { REF: ref, TYPE: type, NAME: "Zoë Hughes", ADDRESS: address, POSTCODE: "DE1 2GU", MPAN: "1210000007919" };
}

function customerCells({ ref, mobile }: MonthAccount): object {
  return { REF: ref, SEQ: "1", FIRST: "Zoë", LAST: "Hughes", MOBILE: mobile, DOB: "1947-06-16" };
}

/**
 * Returns the address of each account on the platform, by key, from the file in which the sandbox stores its accounts.
 */
export function platformAddresses(dataFile: string): ReadonlyMap<string, string> {
  const { accounts }: { accounts: readonly { key: string; payload: { billing_address1: string } }[] } = JSON.parse(
    readFileSync(dataFile, "utf8"),
  );
  return new Map(accounts.map(({ key, payload }) => [key, payload.billing_address1]));
}
