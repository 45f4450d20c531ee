type Headers = Readonly<Record<string, string>>

/** Headers that list features (`anthropic-beta`, `openai-beta`): those of provider and caller are both meant. */
const LISTS = /-beta$/

/**
 * Returns a provider's own headers with those of the caller that its API passes on. Lists are joined; of any other
 * header the caller's value is taken.
 */
export function mergeHeaders(own: Headers, passedOn: Headers): Record<string, string> {
  const merged: Record<string, string> = { ...own }
  for (const [name, value] of Object.entries(passedOn)) {
    const before = LISTS.test(name) ? merged[name] : undefined
    merged[name] = before === undefined ? value : `${before},${value}`
  }
  return merged
}
