import { describeLedger, KNOWN_KEYS, LATER_RUNS, ONE_RUN } from "../behaviour/ledger-behaviour.ts";
import { openInThread } from "./open-in-thread.ts";

describeLedger("a SQLite ledger in its own thread", openInThread, [...ONE_RUN, ...LATER_RUNS, ...KNOWN_KEYS]);
