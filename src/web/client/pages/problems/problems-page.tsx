import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { counted } from "../../../../text/count.ts";
import type { Basis, CauseData, ProblemsData } from "../../../problems/problems-data.ts";
import { useLive } from "../../live.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice, Notice } from "../../parts/notice.tsx";
import { momentText } from "../../parts/time.ts";
import { Words } from "../../parts/words.tsx";
import { type Loaded, useData } from "../../use-data.ts";
import { CauseDetails } from "./cause-details.tsx";
import { CauseList } from "./cause-list.tsx";
import { type CauseFilter, filteredCauses, ProblemFilters } from "./problem-filters.tsx";

const EVERYTHING: CauseFilter = { owner: undefined, file: undefined };

/** Shows why records need work, grouped by cause, owner and file. Also shows the rows of a cause. */
export function ProblemsPage(): JSX.Element {
  const [basis, setBasis] = useState<Basis>();
  const { data, error, isLoading, isOutdated, reload } = useProblems(basis);
  return (
    <>
      <h1>{data === undefined ? "Problems" : headline(data)}</h1>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      <div class="problem-bar">
        {data !== undefined && <BasisChoice data={data} onChoose={setBasis} />}
        <Button isDisabled={isLoading} onClick={reload}>
          {isLoading ? "Reading…" : "Read again"}
        </Button>
        <span class="soft" role="status">
          {isOutdated && "A run has started or ended since the problems were read."}
        </span>
      </div>
      {data?.contractError !== undefined && <ErrorNotice error={data.contractError} />}
      {data?.notices.map((text) => (
        <p key={text} class="soft">
          <Words text={text} />
        </p>
      ))}
      {data !== undefined && <Causes data={data} />}
    </>
  );
}

/**
 * Loads the problems. `isOutdated` is true if a run has started or ended since they were loaded. The page does not
 * reload them automatically, because loading can take a long time.
 */
function useProblems(basis: Basis | undefined): Loaded<ProblemsData> & { readonly isOutdated: boolean } {
  const loaded = useData<ProblemsData>(basis === undefined ? "/api/problems" : `/api/problems?basis=${basis}`);
  const version = useLive().event?.version;
  const [readVersion, setReadVersion] = useState(version);
  useEffect(() => setReadVersion((before) => before ?? version), [version]);
  const reload = (): void => {
    setReadVersion(version);
    loaded.reload();
  };
  return { ...loaded, reload, isOutdated: readVersion !== undefined && readVersion !== version && !loaded.isLoading };
}

function headline({ records, basis }: ProblemsData): string {
  const where = basis === "migration" ? "" : " in the current files";
  if (records === 0)
    return basis === "migration" ? "No records are open" : "No records in the current files are invalid";
  return `${counted(records, "record")}${where} ${records === 1 ? "needs" : "need"} work`;
}

interface BasisOptions {
  readonly data: ProblemsData;
  readonly onChoose: (basis: Basis) => void;
}

function BasisChoice({ data: { basis, at, hasPush }, onChoose }: BasisOptions): JSX.Element {
  const choices: readonly (readonly [Basis, string])[] = [
    ["migration", "After all pushes"],
    ["files", "In the current files"],
  ];
  return (
    <fieldset class="choice">
      <legend class="quiet">Records to show</legend>
      {choices.map(([value, title]) => (
        <label key={value}>
          <input
            type="radio"
            name="basis"
            checked={value === basis}
            disabled={value === "migration" && !hasPush}
            onChange={() => onChoose(value)}
          />
          {title}
        </label>
      ))}
      <span class="soft">as of {momentText(at)}</span>
    </fieldset>
  );
}

function Causes({ data }: { readonly data: ProblemsData }): JSX.Element {
  const [filter, setFilter] = useState(EVERYTHING);
  const [chosen, setChosen] = useState<string>();
  const causes: readonly CauseData[] = filteredCauses(data.causes, filter);
  const shown = causes.find(({ id }) => id === chosen) ?? causes[0];
  if (data.records === 0) {
    return (
      <Notice kind="good" title="There is nothing to correct.">
        {data.basis === "files" && <p>The platform may still reject records when they are pushed.</p>}
      </Notice>
    );
  }
  return (
    <>
      <ProblemFilters causes={data.causes} filter={filter} onChange={setFilter} />
      <div class="problems">
        <CauseList causes={causes} chosen={shown?.id} onChoose={setChosen} />
        {shown !== undefined && (
          <CauseDetails key={`${shown.id} ${data.at}`} cause={shown} basis={data.basis} filter={filter} />
        )}
      </div>
    </>
  );
}
