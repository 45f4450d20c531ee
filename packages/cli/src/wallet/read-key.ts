import type { Hex, PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { EXIT } from '../exit-codes.ts'
import { badInput, Failure } from '../failure.ts'
import { readPrivateFile } from '../state/private-file.ts'

const PRIVATE_KEY = /^(?:0x)?([0-9a-fA-F]{64})$/

/**
 * Returns the wallet that signs. Its key comes from `--key-file`, FAREBOX_KEY_FILE or FAREBOX_KEY, in this order; it is
 * never stored, printed or sent.
 *
 * @throws Failure if there is no key, if it is not one, or if others can read its file
 */
export function readWallet(keyFile: string | undefined): PrivateKeyAccount {
  const { FAREBOX_KEY_FILE, FAREBOX_KEY } = process.env
  const path = keyFile ?? FAREBOX_KEY_FILE
  const text = path === undefined ? FAREBOX_KEY : readPrivateFile(path, 'key file')
  if (text === null) throw badInput(`There is no key file ${path}.`)
  if (text === undefined)
    throw new Failure('NO_KEY', 'No private key was given.', {
      exitCode: EXIT.usage,
      hints: ['Pass --key-file FILE, or set FAREBOX_KEY_FILE or FAREBOX_KEY.'],
    })
  const [, digits] = PRIVATE_KEY.exec(text.trim()) ?? []
  const source = path === undefined ? 'FAREBOX_KEY' : `the key file ${path}`
  if (digits === undefined)
    throw badInput(`There is no private key in ${source}: 64 hex digits, 0x before them or not.`)
  try {
    return privateKeyToAccount(`0x${digits}` as Hex)
  } catch {
    // The error of viem's library repeats the key.
    throw badInput(`The number in ${source} is not a private key.`)
  }
}
