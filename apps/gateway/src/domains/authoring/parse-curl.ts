import { GatewayError } from '@farebox/wire/errors'
import { holdsSecret } from '../redaction/redact.ts'
import { CurlError, readCurl } from './curl-rules.ts'
import { type Draft, draftManifest } from './draft-rules.ts'
import { ShellSyntaxError, splitWords } from './shell-words-rules.ts'

export type { Draft } from './draft-rules.ts'

/**
 * Drafts a manifest from a curl command. Nothing of the command is run, expanded, looked up or stored.
 *
 * @param command bounded by the caller; it and the draft may contain secrets
 * @returns a manifest that can be registered once its price is added
 * @throws GatewayError INVALID_PAYLOAD if it is not a curl command with a URL; does not contain its text
 */
export function parseCurl(command: string): Draft {
  try {
    // Half of a surrogate pair cannot be sent.
    const { words, notes } = splitWords(command.toWellFormed())
    return draftManifest(readCurl(words), notes, holdsSecret)
  } catch (error) {
    if (!(error instanceof ShellSyntaxError || error instanceof CurlError)) throw error
    const issues = [{ path: 'curlCommand', message: error.message }]
    throw new GatewayError('INVALID_PAYLOAD', { issues }, { message: `curlCommand: ${error.message}` })
  }
}
