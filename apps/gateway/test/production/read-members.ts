/**
 * Returns a value that reads like another, and a function that lists the members of it that nothing has read, as paths.
 *
 * Compiled validators of Kubernetes resources accept members that their schemas do not know, as the schemas do: but they
 * read only those they know.
 */
export function watchReads<T extends object>(root: T): { watched: T; unread: () => string[] } {
  const visited: { readonly path: string; readonly value: object; readonly seen: Set<string> }[] = []
  function watch<V extends object>(value: V, path: string): V {
    const seen = new Set<string>()
    visited.push({ path, value, seen })
    const members = new Map<string, unknown>()
    return new Proxy(value, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof name !== 'string' || !Object.hasOwn(target, name)) return member
        seen.add(name)
        if (typeof member !== 'object' || member === null) return member
        if (!members.has(name)) members.set(name, watch(member, `${path}/${name}`))
        return members.get(name)
      },
    })
  }
  return {
    watched: watch(root, ''),
    unread: () =>
      visited.flatMap(({ path, value, seen }) =>
        Object.keys(value).flatMap(name => (seen.has(name) ? [] : `${path}/${name}`)),
      ),
  }
}
