let options = ''

/**
 * Sets the profile and the gateway of this run, which the commands that it proposes name.
 *
 * @param choice.profile null: the default one
 * @param choice.gateway null: that of the profile
 */
export function setChoice(choice: {
  readonly profile: string | null
  readonly gateway: string | null
}): void {
  const { profile, gateway } = choice
  options = `${gateway === null ? '' : ` --gateway ${quote(gateway)}`}${profile === null ? '' : ` --profile ${profile}`}`
}

/** Returns the command line of a command to run next, for the profile and gateway of this run. */
export const nextCommand = (words: string): string => `farebox ${words}${options}`

/** Quotes a word for a shell, if it needs that. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
