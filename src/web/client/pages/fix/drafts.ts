/** A value that the user is typing, or an edit that is being saved. */
export interface Draft {
  /** The number of the last change that the tab had received when the draft was started. */
  readonly seen: number;
  readonly end: () => void;
}

/** The open drafts of a tab. A session that has ended stays on the page until no draft is open. */
export interface Drafts {
  readonly start: () => Draft;
  readonly isOpen: () => boolean;
  /**
   * Leaves the session: immediately if no draft is open, otherwise when the last draft ends.
   * @param action called when the session is left; replaces the action of an earlier call that is still waiting
   */
  readonly leave: (action: () => void) => void;
}

/** @param seen returns the number of the last change that the tab has received */
export function createDrafts(seen: () => number): Drafts {
  const open = new Set<Draft>();
  let waiting: (() => void) | undefined;
  const settle = (): void => {
    if (open.size > 0) return;
    const action = waiting;
    waiting = undefined;
    action?.();
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
    isOpen: () => open.size > 0,
    leave: (action) => {
      waiting = action;
      settle();
    },
  };
}
