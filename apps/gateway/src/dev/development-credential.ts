import { readFile } from 'node:fs/promises'
import { formatUsdc, parseUsdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Address, Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createAgentGuard } from '../domains/credentials/require-agent.ts'
import { readBalance } from '../domains/ledger/read-balance.ts'
import type { Gateway } from '../gateway.ts'
import type { Deps } from '../ports.ts'
import { call, signIn } from './call-gateway.ts'
import { depositTestMoney, type TestMoney } from './deposit-test-money.ts'
import { writeWhole } from './write-whole.ts'

/** May be spent with the credential in a day. */
const DAILY_LIMIT = parseUsdc('1')
/** Test money of its owner; deposited again at the first start with less than a day's limit. */
const DEPOSIT = parseUsdc('100')

/** `token`: null until the first was minted. */
type Kept = { readonly walletKey: Hex; readonly token: string | null }

/** Returns how to use the credential, for the terminal. */
export const describeCredential = (token: string): string => `
A credential for development, good for ${formatUsdc(DAILY_LIMIT)} USDC of test money a day:

  export CREDENTIAL=${token}
`

/**
 * Returns the token of the development credential. It is minted at the first start of a data directory, for a wallet with
 * test money, and returned again as long as it is valid.
 *
 * @param chain null on a chain with another token: then there is none
 * @param file stores the wallet's key and the token, readable by its owner only
 * @throws Error if the chain or the gateway refuses
 */
export async function ensureDevelopmentCredential(
  { url, deps }: Pick<Gateway, 'url' | 'deps'>,
  chain: TestMoney | null,
  file: string,
): Promise<string | null> {
  if (chain === null) return null
  const { walletKey, token: kept } = await readOrMake(file)
  const { address } = privateKeyToAccount(walletKey)
  await fillUp(deps, chain, address)
  if (kept !== null && (await isValid(deps, kept))) return kept
  const { credential } = await call<{ credential: { token: string } }>(url, '/credentials/agent/issue', {
    token: await signIn(url, walletKey),
    method: 'POST',
    body: { name: 'development', creditLimit: formatUsdc(DAILY_LIMIT), resetInterval: 'daily' },
  })
  await writeWhole(file, JSON.stringify({ walletKey, token: credential.token } satisfies Kept))
  return credential.token
}

async function readOrMake(file: string): Promise<Kept> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text !== null) return JSON.parse(text) as Kept
  const made: Kept = { walletKey: generatePrivateKey(), token: null }
  // Before its wallet gets money: a start that is killed meanwhile loses nothing.
  await writeWhole(file, JSON.stringify(made))
  return made
}

async function fillUp(deps: Deps, chain: TestMoney, address: Address): Promise<void> {
  const { consumerAvailable } = await readBalance(deps.db, address.toLowerCase())
  if (consumerAvailable < DAILY_LIMIT) await depositTestMoney(deps, chain, { address, amount: DEPOSIT })
}

async function isValid(deps: Deps, token: string): Promise<boolean> {
  try {
    await createAgentGuard(deps).authenticate({ 'x-credential': token })
    return true
  } catch (error) {
    if (error instanceof GatewayError && error.code.startsWith('CREDENTIAL_')) return false
    throw error
  }
}
