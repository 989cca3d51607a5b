import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../../../text/count.ts";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type { PushEnd, PushPlan, PushState } from "../../../push/push-data.ts";
import { changePush, useLive, type PushAction } from "../../live.ts";
import { usePage } from "../../page-context.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice, Notice } from "../../parts/notice.tsx";
import { countsText } from "../../parts/states.tsx";
import { PushDialog } from "./push-dialog.tsx";

/** Starts a push in two steps: a check that counts the records, then the confirmation. */
export function PushSection(): JSX.Element | undefined {
  const { event } = useLive();
  const [error, setError] = useState<ErrorDetails>();
  const [isAsking, setAsking] = useState(false);
  if (event === undefined) return undefined;
  const { push, live } = event;
  const change = (action: PushAction, body?: object): void => void changePush(action, body).then(setError);
  const answer = (action: PushAction, body?: object): void => {
    setAsking(false);
    change(action, body);
  };
  return (
    <section aria-label="Push">
      {error !== undefined && <ErrorNotice error={error} />}
      <PushMessage push={push} onDismiss={() => change("dismiss")} onAsk={() => setAsking(true)} />
      <PushActions
        push={push}
        isRunning={live !== undefined}
        onStop={() => change("stop")}
        onCheck={() => {
          setAsking(true);
          change("check");
        }}
      />
      {push.kind === "checked" && push.plan.records > 0 && isAsking && (
        <PushDialog
          plan={push.plan}
          onCancel={() => answer("dismiss")}
          onStart={(typed) => answer("start", { plan: push.plan.id, typed })}
        />
      )}
    </section>
  );
}

interface ActionOptions {
  readonly push: PushState;
  /** Whether any process is working on a run of the ledger. */
  readonly isRunning: boolean;
  readonly onStop: () => void;
  readonly onCheck: () => void;
}

function PushActions({ push, isRunning, onStop, onCheck }: ActionOptions): JSX.Element {
  const { project } = usePage();
  if (push.kind === "checking" || push.kind === "sending") {
    const isStopping = push.kind === "sending" && push.isStopping;
    return (
      <div class="actions push-actions">
        <Button isDisabled={isStopping} onClick={onStop}>
          {isStopping ? "Stopping…" : "Stop"}
        </Button>
      </div>
    );
  }
  return (
    <div class="actions push-actions">
      <Button
        kind={push.kind === "checked" ? "plain" : "main"}
        isDisabled={isRunning || project.isEmpty || project.target === undefined}
        onClick={onCheck}
      >
        {push.kind === "checked" ? "Check again…" : "Start a push…"}
      </Button>
      <span class="soft">{startText(isRunning, project.target)}</span>
    </div>
  );
}

function startText(isRunning: boolean, target: string | undefined): string {
  if (isRunning) return "Another process is using this ledger.";
  if (target === undefined)
    return "No platform is configured. Set a target in migrate.yaml, or restart `migrate web` with --base-url.";
  return "The records are counted first. Nothing is sent until you confirm.";
}

interface MessageOptions {
  readonly push: PushState;
  readonly onDismiss: () => void;
  readonly onAsk: () => void;
}

function PushMessage({ push, onDismiss, onAsk }: MessageOptions): JSX.Element | undefined {
  if (push.kind === "failed") return <ErrorNotice error={push.error} />;
  if (push.kind === "checking") {
    return <Notice kind="info" title="The records are being counted. Nothing is sent." />;
  }
  if (push.kind === "checked") return <Checked plan={push.plan} onAsk={onAsk} />;
  if (push.kind === "ended") return <Ended end={push.end} onDismiss={onDismiss} />;
  return undefined;
}

function Checked({ plan, onAsk }: { readonly plan: PushPlan; readonly onAsk: () => void }): JSX.Element {
  const { records, counts, target } = plan;
  return (
    <Notice
      kind="info"
      title={records === 0 ? "There is nothing to send." : `${counted(records, "record")} can be sent to ${target}.`}
    >
      <p>Records in the input: {countsText(counts)}.</p>
      {records > 0 && (
        <Button kind="main" onClick={onAsk}>
          Send {counted(records, "record")}…
        </Button>
      )}
    </Notice>
  );
}

function Ended({ end, onDismiss }: { readonly end: PushEnd; readonly onDismiss: () => void }): JSX.Element {
  const { goTo } = usePage();
  const { run, counts, failures, exitCode, folder, next } = end;
  const needsWork = (counts["rejected"] ?? 0) + (counts["invalid"] ?? 0) > 0;
  return (
    <>
      {failures.map((failure) => (
        <ErrorNotice key={failure.message} error={failure} />
      ))}
      <Notice kind={exitCode === 0 ? "good" : "info"} title={`Push ${run} has ended.`}>
        <p>{countsText(counts)}.</p>
        {folder !== undefined && (
          <p>
            The report is in <code>{folder}</code>.
          </p>
        )}
        {next !== undefined && (
          <p>
            Next on the command line: <code>{next}</code>
          </p>
        )}
        <div class="actions">
          {needsWork && <Button onClick={() => goTo("/problems")}>See the problems</Button>}
          <Button onClick={onDismiss}>Close</Button>
        </div>
      </Notice>
    </>
  );
}
