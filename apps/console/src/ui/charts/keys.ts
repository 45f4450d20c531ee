/** Returns the index that a key moves to from another among `count`; null for a key that does not move. */
export function indexAfter(key: string, from: number, count: number): number | null {
  const last = count - 1
  const step = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[key]
  return step === undefined ? null : clampTo(count, from + step)
}

/** Returns the nearest index among `count`. */
export const clampTo = (count: number, index: number) => Math.max(0, Math.min(count - 1, index))
