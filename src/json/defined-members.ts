type DefinedMembers<Members> = { -readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Copies an object without members that are undefined, so that it can be spread where members are optional. */
export function definedMembers<Members extends object>(members: Members): DefinedMembers<Members> {
  const kept: DefinedMembers<Members> = { ...members };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}
