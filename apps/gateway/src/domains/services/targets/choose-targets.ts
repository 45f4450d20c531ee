/** Targets tried for one call when the caller does not say. */
const TARGETS_CHOSEN_MAX = 3

/** A target as a choice sees it. */
export type Target = { readonly url: string; readonly weight: number; readonly isHealthy: boolean }

/**
 * Draws the targets of one call: the one to call, then those to fall back on. Each draw takes one of the rest with
 * a chance in proportion to its weight.
 *
 * @param isOpen whether a target's breaker keeps calls away from it
 * @param random gives numbers in [0, 1)
 * @param max    most targets drawn
 * @returns distinct URLs; none when no target is healthy and let through
 */
export function chooseTargets(
  targets: readonly Target[],
  isOpen: (url: string) => boolean,
  random: () => number,
  max = TARGETS_CHOSEN_MAX,
): string[] {
  const [only] = targets
  if (only === undefined) return []
  if (targets.length === 1) return only.isHealthy && !isOpen(only.url) ? [only.url] : []
  const rest = targets.filter(target => target.isHealthy && !isOpen(target.url))
  const chosen: string[] = []
  while (chosen.length < max && rest.length > 0) {
    const [target] = rest.splice(draw(rest, random()), 1)
    if (target !== undefined) chosen.push(target.url)
  }
  return chosen
}

function draw(targets: readonly Target[], chance: number): number {
  let left = chance * targets.reduce((sum, { weight }) => sum + weight, 0)
  const index = targets.findIndex(({ weight }) => {
    left -= weight
    return left < 0
  })
  return index === -1 ? targets.length - 1 : index
}
