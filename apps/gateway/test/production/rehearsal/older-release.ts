import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { startTestChain } from '../../kit/chain/test-chain.ts'
import { signIn } from '../../kit/world/wallets.ts'
import type { Opened } from '../../kit/world/withdrawals.ts'
import { query } from './database.ts'
import { CONFIRMATIONS } from './deployment.ts'
import type { Site } from './site.ts'

/** See its README.md. */
const DIRECTORY = join(import.meta.dirname, 'release-0.1.0')
const BLOCK_SECONDS = 0.25

type Name = 'owner' | 'provider' | 'depositor' | 'late'
type Balance = { readonly available: string; readonly receivable: string; readonly locked: string }

/** What a release before has left behind. */
export type Made = {
  readonly settings: { JWT_SECRET: string; ENCRYPTION_KEY: string; TICKET_SIGNER_KEY: Hex }
  readonly contracts: { usdc: Address; vault: Address }
  readonly keys: Readonly<Record<Name, Hex>>
  /** Token of the owner's agent. */
  readonly credential: string
  readonly service: string
  /** Calls, and the bytes of their answers. */
  readonly calls: readonly { request: { idempotencyKey: string }; status: number; text: string }[]
  /** The call that was in flight when the gateway was killed. */
  readonly inFlight: { idempotencyKey: string }
  /** In micro-USDC, before that call. */
  readonly balances: Readonly<Record<'owner' | 'provider', Balance>>
  readonly withdrawals: Readonly<Record<'paid' | 'open' | 'review', Opened>>
}

const read = (name: string) => readFileSync(join(DIRECTORY, name))

/** Loads the database of the release as its one role, which owns it, starts its chain, and gives the site its secrets. */
export async function loadRelease(site: Site): Promise<Made> {
  const made = JSON.parse(read('made.json').toString()) as Made
  await query(site.url('farebox_owner'), gunzipSync(read('database.sql.gz')).toString())
  const state = join(site.machine.place, 'chain.json')
  await writeFile(state, gunzipSync(read('chain.json.gz')))
  const { contracts, settings } = made
  const resume = { state, contracts, ticketSignerKey: settings.TICKET_SIGNER_KEY }
  const chain = await startTestChain({
    requiredConfirmations: CONFIRMATIONS,
    blockSeconds: BLOCK_SECONDS,
    resume,
  })
  site.addChain(chain)
  Object.assign(site.machine.settings, { CHAIN_RPC_URL: chain.rpcUrl, VAULT_ADDRESS: contracts.vault })
  await site.keepSecrets(settings)
  return made
}

/** Signs a wallet of the release in. */
export async function signInAgain(site: Site, made: Made, name: Name) {
  const account = privateKeyToAccount(made.keys[name])
  return { account, token: await signIn(site.front.url, account) }
}

/** Sends a call of the release; returns its status and bytes. */
export async function callAgain(site: Site, made: Made, request: object) {
  const answer = await fetch(`${site.front.url}/api/v1/agent/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-credential': made.credential },
    body: JSON.stringify(request),
  })
  return { status: answer.status, text: await answer.text() }
}
