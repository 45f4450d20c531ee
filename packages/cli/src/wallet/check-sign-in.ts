import { parseSiweMessage } from 'viem/siwe'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failure.ts'

/** Required contents of a sign-in message. `address` is checksummed. */
export type SignInFacts = { readonly address: string; readonly domain: string; readonly chainId: number }

/**
 * Checks a sign-in message (EIP-4361) before it is signed: a gateway could hand over the message of another site, and
 * sign in there as this wallet.
 *
 * @throws Failure if the message is not one, or names another domain, wallet or chain
 */
export function checkSignIn(message: string, expected: SignInFacts): void {
  const { address, domain, chainId } = parseSiweMessage(message)
  const found: Record<string, unknown> = { address, domain, chainId }
  for (const [name, value] of Object.entries(expected)) {
    if (found[name] === value) continue
    const actual = found[name] === undefined ? 'nothing' : String(found[name])
    throw new Failure(
      'SIGN_IN_MISMATCH',
      `The sign-in message names ${actual} as its ${LABELS[name]}, not ${value}. Nothing was signed.`,
      {
        exitCode: EXIT.mismatch,
        hints: name === 'domain' ? [`If you trust this gateway as ${actual}: --domain ${actual}`] : [],
      },
    )
  }
}

const LABELS: Readonly<Record<string, string>> = { address: 'wallet', domain: 'domain', chainId: 'chain' }
