import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { errorCode } from "../../files/error-code.ts";
import { replaceFile, replaceFileSync } from "../../files/replace-file.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { Failure } from "../../model/failure.ts";
import { counted } from "../../text/count.ts";
import { type Clock, timestamp } from "../../time/clock.ts";

/**
 * Remembers outside of the ledger how many requests it knew last. A ledger that knows fewer is an older copy, which would
 * send again what was sent since. The journal never knows more than the ledger that belongs to it: it is written after.
 */
export interface RunJournal {
  /** The run is about to send. Durable on return. */
  readonly begin: (run: string) => Promise<void>;
  /** So many requests more are in the ledger. Written down once a second at most, while the run goes on. */
  readonly add: (requests: number) => void;
  readonly end: () => Promise<void>;
}

type Place = Pick<LedgerStore, "folder" | "name">;

/**
 * The journal of a ledger that has just been opened to be written to.
 * @throws Failure `ledger_outdated` when the ledger is an older copy than the journal has seen
 */
export async function openRunJournal(place: Place, ledger: Ledger, clock: Clock): Promise<RunJournal> {
  await requireNewestCopy(place, ledger);
  let file = "";
  let known: Omit<JournalEntry, "at"> | undefined;
  let savedAt = 0;
  /** The latest writing, whether it has ended or not. What the journal says already is not wrong without it. */
  let saved: Promise<void> = Promise.resolve();
  let isSaving = false;
  const textOf = (entry: Omit<JournalEntry, "at">): string => {
    savedAt = clock.monotonic();
    return `${JSON.stringify({ ...entry, at: timestamp(clock) })}\n`;
  };
  const saveIfPossible = async (entry: Omit<JournalEntry, "at">): Promise<void> => {
    isSaving = true;
    await replaceFile(file, textOf(entry), { tag: "next" }).catch((error: unknown) => {
      if (errorCode(error) === undefined) throw error;
    });
    isSaving = false;
  };
  return {
    async begin(run) {
      const { id, requests } = await ledger.history();
      file = journalPath(place, id ?? run);
      known = { run, requests };
      try {
        mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
        replaceFileSync(file, Buffer.from(textOf(known)));
      } catch (cause) {
        if (errorCode(cause) === undefined) throw cause;
        throw new Failure("storage", `the journal ${file} cannot be written`, {
          hint: "make room, and see that its folder can be written to; nothing was sent",
          cause,
        });
      }
    },
    add(requests) {
      if (known === undefined) return;
      known = { ...known, requests: known.requests + requests };
      if (!isSaving && clock.monotonic() - savedAt >= SAVE_INTERVAL_MS) saved = saveIfPossible(known);
    },
    async end() {
      await saved;
      if (known !== undefined) await saveIfPossible(known);
    },
  };
}

const SAVE_INTERVAL_MS = 1000;

const entrySchema = z.object({ run: z.string(), requests: z.number(), at: z.string() });
type JournalEntry = z.infer<typeof entrySchema>;

/** A ledger is known by its first run, which all its copies share. */
function journalPath({ folder }: Pick<Place, "folder">, id: string): string {
  return path.join(folder, "journal", `${id}.json`);
}

async function requireNewestCopy(place: Place, ledger: Ledger): Promise<void> {
  const { id, requests } = await ledger.history();
  if (id === undefined) return;
  const file = journalPath(place, id);
  const last = readEntry(file);
  if (last === undefined) return;
  const isRunKnown = (await ledger.findRun(last.run)) !== undefined;
  if (isRunKnown && requests >= last.requests) return;
  const known = `it knows ${counted(requests, "request")}, and by ${last.at} ${counted(last.requests, "request")} had been made`;
  throw new Failure("ledger_outdated", `the ledger ${place.name} is an older copy: ${known}, in run ${last.run}`, {
    hint:
      "put the newest copy back, with its log and its seal: this one would send again what was sent since. " +
      `If there is none, find out what the platform has (the reports in ${path.join(place.folder, "runs")} say it, too), ` +
      `leave that out of the input, and remove ${file}`,
  });
}

/** A journal that is not there, or cannot be understood, proves nothing. */
function readEntry(file: string): JournalEntry | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return undefined;
    throw new Failure("storage", `the journal ${file} cannot be read`, { cause: error });
  }
}

/** A ledger that was repaired may know fewer requests than before: what it is not sure of is ambiguous in it. */
export async function forgetJournal(place: Pick<LedgerStore, "folder" | "read">): Promise<void> {
  const ledger = await place.read();
  try {
    const { id } = await ledger.history();
    if (id !== undefined) rmSync(journalPath(place, id), { force: true });
  } finally {
    await ledger.close();
  }
}
