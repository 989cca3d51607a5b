/** Returns the value of a key. If there is none, adds the value that `create` returns. */
export function getOrAdd<Key, Value>(
  known: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  const value = known.get(key);
  if (value !== undefined) return value;
  const created = create();
  known.set(key, created);
  return created;
}

/** Adds a member to its group, which is created if necessary. */
export function addToGroup<Key, Member>(groups: Map<Key, Member[]>, key: Key, member: Member): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [member]);
  else group.push(member);
}
