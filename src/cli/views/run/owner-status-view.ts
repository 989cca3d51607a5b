import type { OwnerProgress } from "../../../pipeline/owners/owner-progress.ts";
import { printableJson } from "../../../terminal/safe-json.ts";
import { renderTable } from "../../../terminal/text-table.ts";
import { formatCount } from "../../../text/count.ts";
import type { View } from "../view.ts";

/** A table with one line per owner. As data, `{"owners":[...]}`. */
export const ownerStatusView: View<readonly OwnerProgress[]> = {
  text: (owners, { screen }) => {
    const rows = owners.map(({ owner, open, overdue, exported, returned, due = "-", address = "" }) => [
      owner,
      ...[open, overdue, exported, returned].map(formatCount),
      due,
      address,
    ]);
    const numbers = ["open", "overdue", "exported", "returned"].map((title) => ({ title, align: "right" }) as const);
    return renderTable(rows, [{ title: "owner" }, ...numbers, { title: "due" }, { title: "address" }], screen);
  },
  json: (owners) => `${printableJson({ owners }, "indented")}\n`,
};
