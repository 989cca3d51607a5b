import { setMaxListeners } from "node:events";
import { processStart } from "../../../files/running-process.ts";
import { Failure } from "../../../model/failure.ts";
import type { Clock } from "../../../time/clock.ts";
import { createLeaseWatch, type LeaseWatch } from "../../../time/lease-watch.ts";
import { systemClock } from "../../../time/system-clock.ts";
import { requireNotStopped } from "../../ledger-failures.ts";
import { type Holder, isDead, isOnThisHost, nameOf, parseHolder, thisProcess } from "../../lock-holder.ts";
import type { StoreOptions } from "../../ledger-store.ts";
import type { HeldLease } from "../../runs/held-lease.ts";
import type { Fence, PostgresDatabase } from "../postgres-database.ts";
import type { Queries } from "../queries.ts";
import { quickStatement, statement } from "../../tables/tables.ts";

export interface WriterLease extends Required<HeldLease> {
  /** Guards every transaction of the holder. */
  readonly fence: Fence;
  readonly release: () => Promise<void>;
}

export interface LeaseOptions extends StoreOptions {
  /** How long the lease is valid without renewal, in milliseconds, according to the server's clock. */
  readonly leaseMs?: number;
  readonly clock?: Clock;
}

const LEASE_MS = 30_000;
/** Number of times that a lease is renewed within its duration. */
const RENEWALS = 6;
const BETWEEN_HOLDERS_MS = 50;
const POLL_MS = 250;
const STILL_RUNNING = "Waiting for the server, which is still running a query from a dead process";

/**
 * Makes this process the only writer of the ledger, until it calls `release` or fails to renew its lease for `leaseMs`.
 * Acquiring the lease increments its fencing token, so that every later transaction of the previous holder is refused.
 * The lease uses no session state, so it also works through a connection pooler.
 *
 * @throws Failure `ledger_in_use` if another process holds the lease, `incomplete` if `drain` aborts during the wait
 */
export async function acquireWriterLease(
  database: PostgresDatabase,
  command: string,
  { leaseMs = LEASE_MS, clock = systemClock, notice, drain }: LeaseOptions = {},
): Promise<WriterLease> {
  const holder = thisProcess(command, "lease");
  const watch = createLeaseWatch(leaseMs, leaseMs / RENEWALS, clock);
  let isNotified = false;
  const waitForServer = async (): Promise<void> => {
    if (!isNotified) notice?.(STILL_RUNNING);
    isNotified = true;
    await clock.sleep(POLL_MS, drain);
  };
  for (let before: SeenLease | undefined; ;) {
    const previous = before;
    watch.renewed(watch.moment());
    const fence = await acquire(database, holder, leaseMs, before);
    if (fence !== undefined) return heldLease(database, fence, leaseMs, watch);
    const seen = await readLease(database);
    before = seen;
    if (seen === undefined) {
      await clock.sleep(BETWEEN_HOLDERS_MS);
      continue;
    }
    // This process acquired the lease, but the reply was lost.
    if (seen.holder.nonce === holder.nonce) return heldLease(database, seen.fence, leaseMs, watch);
    if (isActive(seen, previous)) throw inUse(database.name, seen.holder);
    requireNotStopped(drain, nameOf(seen.holder));
    const untilExpiry = Math.max(seen.leftMs, 0) + BETWEEN_HOLDERS_MS;
    if (!seen.isDead) await clock.sleep(Math.min(untilExpiry, leaseMs / RENEWALS), drain);
    // The server is still executing the last transaction of a dead process.
    else if (previous?.isDead === true) await waitForServer();
  }
}

interface LeaseState {
  readonly fence: number;
  /** Expiry time, as text. */
  readonly until: string;
  /** Time until expiry, in milliseconds; negative after expiry. */
  readonly leftMs: number;
}

interface SeenLease extends LeaseState {
  readonly holder: Holder;
  /** Whether the holder is a process on this host that is known to be dead. */
  readonly isDead: boolean;
}

/** Returns undefined if the lease has no holder. */
async function readLease(queries: Queries): Promise<SeenLease | undefined> {
  const found = await queries.row(SELECT_LEASE);
  const holder = found && parseHolder(found.holder);
  return holder && { ...found, holder, isDead: isOfThisHost(holder) && isDead(holder) };
}

const SELECT_LEASE = quickStatement<LeaseState & { readonly holder: string }>(`
  select fence, holder, lease_until::text as until,
    (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as "leftMs"
  from migrate.writer where id = 1 and holder is not null`);

/**
 * Whether the holder is active. A process on this host is active if it is alive. Any other process is active if the
 * lease has changed since the last check. It is also active if the lease had already expired at that check, but could
 * not be acquired because a transaction of the holder was in progress.
 */
function isActive(seen: SeenLease, before: SeenLease | undefined): boolean {
  if (isOfThisHost(seen.holder)) return !seen.isDead;
  if (before === undefined) return false;
  return before.fence !== seen.fence || before.until !== seen.until || before.leftMs < 0;
}

/** Returns the current writer of the ledger; undefined if the last holder is dead or its lease has expired. */
export async function writerOf(queries: Queries): Promise<Holder | undefined> {
  const seen = await readLease(queries);
  return seen === undefined || seen.isDead || seen.leftMs < 0 ? undefined : seen.holder;
}

/**
 * Stores the run that the lease holder is working on, so that other processes can see it. Call this as the last
 * statement of a transaction, because the statement locks the lease.
 */
export async function noteRun(transaction: Queries, run: string): Promise<void> {
  await transaction.run(NOTE_RUN, run);
}

const NOTE_RUN = `
  update migrate.writer set holder = (holder::jsonb || jsonb_build_object('run', $1::text))::text
  where id = 1 and holder is not null`;

/**
 * Tries once to acquire the lease, and returns the fencing token. Returns undefined if another process holds the lease,
 * or if a transaction of its holder is in progress.
 * @param before the observed state of the lease. A holder that is known to be dead loses the lease
 */
async function acquire(
  database: PostgresDatabase,
  holder: Holder,
  leaseMs: number,
  before: SeenLease | undefined,
): Promise<number | undefined> {
  const dead = before?.isDead === true ? before.fence : NO_FENCE;
  return database.transaction(async (transaction) => {
    const taken = await transaction.row(ACQUIRE, JSON.stringify(holder), leaseMs / 1000, dead);
    return taken?.fence;
  });
}

const NO_FENCE = -1;

const ACQUIRE = statement<{ fence: number }>(`
  with free as materialized (
    select id from migrate.writer
    where id = 1 and (holder is null or lease_until < clock_timestamp() or fence = $3)
    for update skip locked
  )
  update migrate.writer set fence = fence + 1, holder = $1, renewed_at = clock_timestamp(),
    lease_until = clock_timestamp() + make_interval(secs => $2)
  where id in (select id from free) returning fence`);

function heldLease(database: PostgresDatabase, fence: number, leaseMs: number, watch: LeaseWatch): WriterLease {
  const renewal = `update migrate.writer set renewed_at = clock_timestamp(),
    lease_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1000})
    where id = 1 and fence = ${fence}`;
  const lost = new AbortController();
  // Every waiting request adds a listener, so the number of listeners must not be limited.
  setMaxListeners(0, lost.signal);
  const renew = async (): Promise<void> => {
    const askedAt = watch.moment();
    // The renewal is durable, so that a server crash cannot make the lease shorter than its holder assumes.
    const renewed = await database.transaction((transaction) => transaction.run(renewal));
    if (renewed === 0) throw inUse(database.name, undefined);
    watch.renewed(askedAt);
  };
  let renewing: Promise<void> | undefined;
  const timer = setInterval(() => {
    renewing ??= renew()
      .catch((error: unknown) => lost.abort(error))
      .finally(() => {
        renewing = undefined;
      });
  }, leaseMs / RENEWALS);
  timer.unref();
  return {
    fence: writerFence(fence, database.name),
    isHeld: watch.isHeld,
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      await renewing;
      const free = "update migrate.writer set holder = null, lease_until = null where id = 1 and fence = $1";
      // If the server cannot be reached, the lease expires on its own.
      await database.run(free, fence).catch(() => undefined);
    },
  };
}

/**
 * Creates the fence of the lease holder. The key share lock on the lease row allows the holder to renew the lease
 * during the transaction, but prevents other processes from acquiring the lease until the transaction ends.
 */
function writerFence(fence: number, name: string): Fence {
  return {
    mark: (transaction) => `
      with held as materialized (
        select id from migrate.writer where id = 1 and fence = ${fence} for key share
      )
      update migrate.marks set fence = ${fence}, marked = ${transaction} where id in (select id from held)`,
    rows: 1,
    lastMark: `select marked from migrate.marks where fence = ${fence} for update`,
    lost: () => inUse(name, undefined),
  };
}

/**
 * Whether the holder was started on this host since the host last booted. Compares the boot ids, because another host
 * may have the same name, and only processes started since the last boot can be checked.
 */
function isOfThisHost(holder: Holder): boolean {
  const boot = bootIn(holder.processStart);
  return isOnThisHost(holder) && boot !== undefined && boot === bootIn(processStart(process.pid));
}

/** Returns the boot part of a start time, which has the form `boot/ticks`. */
function bootIn(start: string | null | undefined): string | undefined {
  return start?.split("/")[0];
}

function inUse(name: string, holder: Holder | undefined): Failure {
  return new Failure("ledger_in_use", `the ledger ${name} is in use by ${nameOf(holder)}`, {
    hint: "wait until it has ended, then run the same command again; if it has died, its lease expires within 30 s",
  });
}
