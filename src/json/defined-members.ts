type DefinedMembers<Members> = { -readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** The members that are not undefined, for spreading into an object with optional members. */
export function definedMembers<Members extends object>(members: Members): DefinedMembers<Members> {
  const kept: DefinedMembers<Members> = { ...members };
  for (const name in kept) if (kept[name] === undefined) delete kept[name];
  return kept;
}
