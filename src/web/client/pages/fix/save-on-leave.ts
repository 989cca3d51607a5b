/**
 * Calls `save` when the user clicks outside an area, before the click has any other effect. Ignores a click on an
 * element that contains the area, because a selection of text that starts in the area can end there.
 */
export function saveOnLeave(area: () => Element | null, save: () => void, signal: AbortSignal): void {
  const clicked = ({ target }: MouseEvent): void => {
    const element = area();
    if (element === null || !(target instanceof Node)) return;
    if (!element.contains(target) && !target.contains(element)) save();
  };
  document.addEventListener("click", clicked, { capture: true, signal });
}
