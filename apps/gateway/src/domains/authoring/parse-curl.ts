import { GatewayError } from '@farebox/wire/errors'
import { holdsSecret } from '../redaction/redact.ts'
import { CurlError, readCurl } from './curl-rules.ts'
import { type Draft, draftManifest } from './draft-rules.ts'
import { ShellSyntaxError, splitWords } from './shell-words-rules.ts'

/** Maximum texts of a command that are searched for secrets, at some 20 us each. */
const TEXTS_MAX = 4_000
/** Maximum length of an option in a refusal. */
const OPTION_LENGTH_MAX = 64

export type { Draft } from './draft-rules.ts'

/**
 * Drafts a manifest from a curl command. Nothing of the command is run, expanded, looked up or stored.
 *
 * @param command bounded by the caller; it and the draft may contain secrets
 * @returns a manifest that can be registered once its price is added
 * @throws GatewayError INVALID_PAYLOAD if it is not a curl command with a URL; with `detail.option` if that makes calls
 *   impossible. Contains nothing else of its text
 */
export function parseCurl(command: string): Draft {
  try {
    // Half of a surrogate pair cannot be sent.
    const { words, notes } = splitWords(command.toWellFormed())
    return draftManifest(readCurl(words), notes, countedJudge())
  } catch (error) {
    if (!(error instanceof ShellSyntaxError || error instanceof CurlError)) throw error
    const option = error instanceof CurlError ? error.option : null
    const said = option === null ? error.message : `${option.slice(0, OPTION_LENGTH_MAX)}: ${error.message}`
    const issues = [{ path: 'curlCommand', message: said }]
    const context = option === null ? { issues } : { issues, option: option.slice(0, OPTION_LENGTH_MAX) }
    throw new GatewayError('INVALID_PAYLOAD', context, { message: `curlCommand: ${said}` })
  }
}

/** Returns a judge of the texts of one command; it throws CurlError if there are too many. */
function countedJudge(): (text: string) => boolean {
  let left = TEXTS_MAX
  return text => {
    left -= 1
    if (left < 0) throw new CurlError('Must have fewer headers, parameters and fields.')
    return holdsSecret(text)
  }
}
