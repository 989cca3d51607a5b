type Present<Members> = { -readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** The members that have a value: what an object with optional members is spread from. */
export function present<Members extends object>(members: Members): Present<Members> {
  const kept: Present<Members> = { ...members };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}
