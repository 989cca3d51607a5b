type DefinedMembers<Members> = { -readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Copies an object without its undefined members, so that it can be spread into an object with optional members. */
export function definedMembers<Members extends object>(members: Members): DefinedMembers<Members> {
  const kept: DefinedMembers<Members> = { ...members };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}
