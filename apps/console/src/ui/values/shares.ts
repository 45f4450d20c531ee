const SHARE_DIGITS = 9

/**
 * Formats a share as a percentage with one decimal at most: `98.4%`, `<0.1%`. Rounded down, so that only the whole
 * shows 100%, and only nothing 0%.
 */
export function formatShare(share: number): string {
  // Without the error of binary fractions: 0.283 * 1,000 is below 283.
  const thousandths = Math.floor(Number((share * 1_000).toFixed(SHARE_DIGITS)))
  if (thousandths < 1 && share > 0) return '<0.1%'
  return `${thousandths / 10}%`
}

/** Returns the used part of a cap, amounts on the wire, as a share: 1 for a cap of zero. */
export function shareOf(used: string, cap: string): number {
  const whole = Number(cap)
  return whole <= 0 ? 1 : Number(used) / whole
}
