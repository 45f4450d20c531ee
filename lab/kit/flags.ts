/**
 * Reads the value of a numeric flag.
 *
 * @throws Error that names the flag and its bounds
 */
export function within(flag: string, text: string, least: number, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!(value >= least && value <= most)) throw new Error(`--${flag} must be from ${least} to ${most}`)
  return value
}

/** Reads the value of a numeric flag that takes whole numbers. Throws as {@link within}. */
export function whole(flag: string, text: string, least: number, most: number): number {
  const value = within(flag, text, least, most)
  if (!Number.isInteger(value)) throw new Error(`--${flag} must be a whole number`)
  return value
}
