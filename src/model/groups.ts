/** Adds a member to its group, which is created if necessary. */
export function addToGroup<Key, Member>(groups: Map<Key, Member[]>, key: Key, member: Member): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [member]);
  else group.push(member);
}
