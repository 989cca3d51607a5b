import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted, formatCount } from "../../../../text/count.ts";
import type { PushPlan } from "../../../push/push-data.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { countsText } from "../../parts/states.tsx";

interface DialogOptions {
  readonly plan: PushPlan;
  readonly onCancel: () => void;
  /** @param typed the text that the user types to confirm a push to production */
  readonly onStart: (typed: string) => void;
}

/** Asks for confirmation of a push. Shows the platform, the supplier and the number of records. */
export function PushDialog({ plan, onCancel, onStart }: DialogOptions): JSX.Element {
  const { target, supplier, operation, records, counts, isProduction } = plan;
  const [typed, setTyped] = useState("");
  const { valid: _sent, ...notSent } = counts;
  const code = supplier === "" ? target : supplier;
  const send = `Send ${counted(records, "record")}`;
  return (
    <Dialog title={`${send}?`} onClose={onCancel}>
      <Facts
        facts={[
          ["Platform", isProduction ? <ProductionName target={target} /> : target],
          ["Import supplier", supplier === "" ? "none" : supplier],
          ["Operation", operation],
          ["Records to send", formatCount(records)],
          ["Not sent", countsText(notSent) || "none"],
        ]}
      />
      {isProduction && (
        <label class="field">
          <span>
            This is a production platform. Type {supplier === "" ? "its host" : "the code of the supplier"},{" "}
            <code>{code}</code>, to confirm.
          </span>
          <input
            type="text"
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      )}
      <div class="actions dialog-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          kind={isProduction ? "danger" : "main"}
          isDisabled={isProduction && typed.trim() !== code}
          onClick={() => onStart(typed)}
        >
          {send}
        </Button>
      </div>
    </Dialog>
  );
}

function ProductionName({ target }: { readonly target: string }): JSX.Element {
  return (
    <>
      {target} <span class="tag bad">production</span>
    </>
  );
}
