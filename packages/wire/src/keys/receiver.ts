/**
 * Returns what an OAuth redirect URI leads to, for the owner to judge: its host, or the scheme of a program, with the host
 * if there is one.
 */
export function receiverOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  if (protocol === 'https:' || protocol === 'http:') return host
  return host === '' ? protocol : `${protocol}//${host}`
}
