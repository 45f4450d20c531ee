/** Default number of targets tried for one call. */
const TARGETS_CHOSEN_MAX = 3

/** A target to choose from. */
export type Target = { readonly url: string; readonly weight: number; readonly isHealthy: boolean }

/**
 * Draws the targets of one call: the first, and fallbacks. Each draw takes one of the rest with a probability
 * proportional to its weight.
 *
 * @param isOpen true if a target's breaker is open
 * @param random returns numbers in [0, 1)
 * @param max    maximum targets
 * @returns distinct URLs; none if no target is healthy and allowed
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
