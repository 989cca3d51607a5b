// Stands in the place of SQLite's package while failpoints are set: commits and checkpoints pass by a failpoint.
import { DatabaseSync as RealDatabase } from "@photostructure/sqlite";
import { reach } from "./preload.mjs";

export class DatabaseSync extends RealDatabase {
  exec(sql) {
    if (sql === "commit") reach("commit");
    return super.exec(sql);
  }

  prepare(sql) {
    const statement = super.prepare(sql);
    if (!sql.includes("wal_checkpoint")) return statement;
    return { get: (...values) => (reach("checkpoint"), statement.get(...values)) };
  }
}
