/** Statement of a server about a wallet. `absent`: none. */
export type TargetProof = 'named' | 'other' | 'absent'

/** Answer of a server to `GET /.well-known/farebox.json`. */
export type ProofAnswer = { readonly status: number; readonly contentType: string; readonly text: string }

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i

/**
 * Evaluates an answer to `GET /.well-known/farebox.json`: `{"providers": ["0x..."]}`. Many servers answer 200 to any
 * path, so only a likely file counts: a JSON object with the member `providers`, or invalid JSON with that word. A
 * malformed file names nobody.
 *
 * @param wallet in lower case
 */
export function judgeProof(answer: ProofAnswer, wallet: string): TargetProof {
  if (answer.status !== 200) return 'absent'
  const text = answer.text.replace(/^\ufeff/, '')
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return JSON_TYPE.test(answer.contentType) && text.includes('"providers"') ? 'other' : 'absent'
  }
  if (typeof file !== 'object' || file === null || !('providers' in file)) return 'absent'
  const { providers } = file
  if (!Array.isArray(providers)) return 'other'
  const isNamed = providers.some(each => typeof each === 'string' && each.toLowerCase() === wallet)
  return isNamed ? 'named' : 'other'
}
