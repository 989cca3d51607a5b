import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ErrorDetails } from "../../model/failure.ts";
import type { ProjectData } from "../project-data.ts";
import { openSession } from "./api.ts";
import { followActivity, useLive } from "./live.ts";
import { FixPage } from "./pages/fix/fix-page.tsx";
import { MappingPage } from "./pages/mapping/mapping-page.tsx";
import { OverviewPage } from "./pages/overview/overview-page.tsx";
import { ProblemsPage } from "./pages/problems/problems-page.tsx";
import { ErrorNotice, type ErrorNoticeOptions, Notice } from "./parts/notice.tsx";
import { Pages, usePage } from "./page-context.ts";
import { detailsOf, useData } from "./use-data.ts";

interface PageEntry {
  readonly path: string;
  readonly title: string;
  readonly show: () => JSX.Element;
}

/** The pages in navigation order. The server has its own list of the page addresses (`static-files.ts`). */
const PAGES: readonly PageEntry[] = [
  { path: "/", title: "Overview", show: () => <OverviewPage /> },
  { path: "/problems", title: "Problems", show: () => <ProblemsPage /> },
  { path: "/fix", title: "Fix", show: () => <FixPage /> },
  { path: "/mapping", title: "Mapping", show: () => <MappingPage /> },
];

const VALUES = "migrate-values";

/** Opens the session, then shows the page at the current address. */
export function App(): JSX.Element {
  const [session, setSession] = useState<"opening" | "open" | ErrorDetails>("opening");
  useEffect(() => {
    const open = (): void => {
      openSession().then(
        () => setSession("open"),
        (error: unknown) => setSession(detailsOf(error)),
      );
    };
    open();
    // The user may paste an address with a token into an open page.
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  }, []);
  if (session === "opening") return <main class="alone" aria-busy="true" />;
  return session === "open" ? <Project /> : <ErrorPage error={session} />;
}

function ErrorPage(options: ErrorNoticeOptions): JSX.Element {
  return (
    <main class="alone">
      <h1>migrate</h1>
      <ErrorNotice {...options} />
    </main>
  );
}

function Project(): JSX.Element {
  const { data: project, error, reload } = useData<ProjectData>("/api/project");
  if (project !== undefined) return <Frame project={project} reloadProject={reload} />;
  return error === undefined ? <main class="alone" aria-busy="true" /> : <ErrorPage error={error} onRetry={reload} />;
}

interface FrameOptions {
  readonly project: ProjectData;
  readonly reloadProject: () => void;
}

function Frame({ project, reloadProject }: FrameOptions): JSX.Element {
  useEffect(() => {
    const ending = new AbortController();
    void followActivity(ending.signal);
    return () => ending.abort();
  }, []);
  const [path, goTo] = usePath();
  const [areValuesShown, setValuesShown] = useState(sessionStorage.getItem(VALUES) === "shown");
  const page = PAGES.find((each) => each.path === path.split("?")[0]);
  const title = page?.title ?? "Page not found";
  useEffect(() => {
    document.title = `${title} · ${project.name} · migrate`;
  }, [title, project.name]);
  const showValues = (areShown: boolean): void => {
    sessionStorage.setItem(VALUES, areShown ? "shown" : "hidden");
    setValuesShown(areShown);
  };
  return (
    <Pages.Provider value={{ project, reloadProject, areValuesShown, goTo }}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Bar page={page} onShow={showValues} />
      <main id="content" tabIndex={-1}>
        <LiveError />
        {project.isEmpty && page?.path !== "/mapping" && (
          <Notice kind="info" title="This folder has no migrate.yaml">
            <p>
              Start <code>migrate web</code> in a project folder, or begin a project on the{" "}
              <a href="/mapping" onClick={(event) => follow(event, "/mapping", goTo)}>
                Mapping
              </a>{" "}
              page.
            </p>
          </Notice>
        )}
        {page === undefined ? <h1>{title}</h1> : page.show()}
      </main>
    </Pages.Provider>
  );
}

/** Shows an error on every page if the server has stopped, or cannot read the settings or the ledger. */
function LiveError(): JSX.Element | undefined {
  const { error } = useLive();
  return error && <ErrorNotice error={error} />;
}

interface BarOptions {
  readonly page: PageEntry | undefined;
  readonly onShow: (isShown: boolean) => void;
}

function Bar({ page, onShow }: BarOptions): JSX.Element {
  const { project, goTo, areValuesShown } = usePage();
  return (
    <header class="bar">
      <p class="project">
        <strong>{project.name}</strong> <Destination project={project} />
      </p>
      <nav aria-label="Pages">
        <ul>
          {PAGES.map((each) => (
            <li key={each.path}>
              <a
                href={each.path}
                aria-current={each === page ? "page" : undefined}
                onClick={(event) => follow(event, each.path, goTo)}
              >
                {each.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          checked={areValuesShown}
          onChange={(event) => onShow(event.currentTarget.checked)}
        />
        Show values
      </label>
    </header>
  );
}

function Destination({ project }: { readonly project: ProjectData }): JSX.Element {
  const { target, supplier, isProduction } = project;
  if (target === undefined) return <span class="destination">no target</span>;
  return (
    <span class="destination">
      to {target}
      {supplier !== undefined && `, supplier ${supplier}`} {isProduction && <span class="tag bad">production</span>}
    </span>
  );
}

/** Follows a link without reloading the document. A click with a modifier key opens a new tab or window, as usual. */
function follow(event: MouseEvent, path: string, goTo: (path: string) => void): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
  event.preventDefault();
  goTo(path);
}

/** Returns the path and query of the current address, and a function that opens another address. */
function usePath(): readonly [string, (path: string) => void] {
  const [path, setPath] = useState(currentPath);
  useEffect(() => {
    const changed = (): void => setPath(currentPath());
    addEventListener("popstate", changed);
    return () => removeEventListener("popstate", changed);
  }, []);
  const goTo = (next: string): void => {
    history.pushState(null, "", next);
    setPath(next);
    scrollTo(0, 0);
    document.getElementById("content")?.focus();
  };
  return [path, goTo];
}

function currentPath(): string {
  return location.pathname + location.search;
}
