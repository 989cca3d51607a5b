import { describeLedger, KNOWN_KEYS, LATER_RUNS } from "../behaviour/ledger-behaviour.ts";
import { openInThread } from "./open-in-thread.ts";

describeLedger("a SQLite ledger in its own thread", openInThread, [...LATER_RUNS, ...KNOWN_KEYS]);
