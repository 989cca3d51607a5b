/** A value that the user is typing, or an edit that is being saved. */
export interface Draft {
  /** The number of the last change that the tab had received when the draft was started. */
  readonly seen: number;
  readonly end: () => void;
}

/** The open drafts of a tab. A session that has ended stays on the page until no draft is open. */
export interface Drafts {
  readonly start: () => Draft;
  /** Leaves the session: immediately if no draft is open, otherwise when the last draft ends. */
  readonly leave: () => void;
}

/** @param seen returns the number of the last change that the tab has received */
export function createDrafts(seen: () => number, onLeave: () => void): Drafts {
  const open = new Set<Draft>();
  let isLeaving = false;
  const settle = (): void => {
    if (!isLeaving || open.size > 0) return;
    isLeaving = false;
    onLeave();
  };
  return {
    start: () => {
      const draft: Draft = {
        seen: seen(),
        end: () => {
          if (open.delete(draft)) settle();
        },
      };
      open.add(draft);
      return draft;
    },
    leave: () => {
      isLeaving = true;
      settle();
    },
  };
}
