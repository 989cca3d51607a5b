import { describeLedger, ONE_RUN } from "../behaviour/ledger-behaviour.ts";
import { openInThread } from "./open-in-thread.ts";

describeLedger("a SQLite ledger in its own thread", openInThread, ONE_RUN);
