type Given = Readonly<Record<string, unknown>>

/**
 * Returns `read` as a parser that removes all parameters it does not return: the router keeps them otherwise, also those
 * that `read` found invalid.
 */
export function only<Search extends object>(read: (given: Given) => Search): (given: Given) => Search {
  return given => {
    const removed = Object.fromEntries(Object.keys(given).map(name => [name, undefined]))
    return Object.assign(removed, read(given))
  }
}

/**
 * Returns a search parameter as text; undefined if it is absent, empty or a list. The router takes digits, `true` and
 * `false` for values of their own.
 */
export function readText(value: unknown): string | undefined {
  return typeof value === 'object' ? undefined : String(value ?? '') || undefined
}
