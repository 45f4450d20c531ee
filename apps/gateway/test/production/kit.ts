import { join } from 'node:path'
import { formatUsdc, parseUsdc } from '@farebox/money'
import type { WithdrawalTicket } from '@farebox/wire/withdrawals'
import type { Hex } from 'viem'
import { expect } from 'vitest'
import { startRpcProxy } from '../kit/chain/rpc-proxy.ts'
import { startTestChain } from '../kit/chain/test-chain.ts'
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway/gateway-process.ts'
import { post } from '../kit/network/http.ts'
import { startProvider } from '../kit/provider/provider.ts'
import { until } from '../kit/until.ts'
import { newWallet, signIn } from '../kit/world/wallets.ts'
import { type Opened, vaultTicket } from '../kit/world/withdrawals.ts'
import { arrive, balanceOf, invoke, mint, type Person, register } from '../kit/world/world.ts'
import { startCluster } from './cluster.ts'

/** A block of the chain comes each so often, in seconds. */
const BLOCK_SECONDS = 0.25
/** Confirmations that an event needs. */
export const CONFIRMATIONS = 3
/** What the owner that pays for every provider's earnings has deposited. */
const FUNDS_USDC = '200'
/** Stops and starts of whole processes, on a machine that may be busy. */
export const TEST_TIMEOUT_MS = 120_000
const CLOCK = join(import.meta.dirname, '../../../../lab/chaos/clock-preload.ts')

/** Nothing runs that a test does not wait for; what runs does so quickly. */
const SETTINGS = {
  REQUIRED_CONFIRMATIONS: String(CONFIRMATIONS),
  FOLLOWER_INTERVAL_SECONDS: '0.2',
  RECONCILE_INTERVAL_SECONDS: '0.5',
  PROBE_INTERVAL_SECONDS: '3600',
  CALL_WAIT_SECONDS_MAX: '60',
  LEASE_SECONDS: '5',
}

/** A deployment as operators run it. */
export type Production = Awaited<ReturnType<typeof startProduction>>

/** Settings that put the wall clock of one gateway ahead, or behind when negative. */
export function clockAhead(ms: number): Record<string, string> {
  return { CLOCK_AHEAD_MS: String(ms), NODE_OPTIONS: `--import=${CLOCK}` }
}

/**
 * Starts two gateway processes in production mode on a PostgreSQL of their own, as its role without privileges, and on
 * a chain that makes blocks by itself, each by a JSON-RPC proxy of its own.
 *
 * @param options.env  settings of both
 * @param options.each settings of one of them
 */
export async function startProduction(
  options: { env?: Record<string, string>; each?: readonly [object, object] } = {},
) {
  const [cluster, chain, upstream] = await Promise.all([
    startCluster(),
    startTestChain({ requiredConfirmations: CONFIRMATIONS, blockSeconds: BLOCK_SECONDS }),
    startProvider(),
  ])
  const nodes = await Promise.all([startRpcProxy(chain.rpcUrl), startRpcProxy(chain.rpcUrl)] as const)
  const admin = newWallet()
  const settings = (at: 0 | 1) => ({
    ...SETTINGS,
    ADMIN_WALLETS: admin.address,
    ...options.env,
    CHAIN_RPC_URL: nodes[at].url,
    ...options.each?.[at],
  })
  const database = { url: cluster.gatewayUrl, ownerUrl: cluster.url, drop: () => cluster.end() }
  const one = await startGatewayProcess({ chain, database, env: settings(0) })
  const two = await startGatewayProcess({ share: one, env: settings(1) })
  const payer = await pay(one)

  return {
    cluster,
    chain,
    /** The node of each gateway. */
    nodes,
    one,
    two,
    /** An owner with money, and its credential. */
    payer,
    /** The session of an admin. */
    admin: { account: admin, token: await signIn(one.url, admin) } satisfies Person,
    /** Plain SQL as the superuser, past every fault. */
    sql: one.sql,
    /** Starts one more gateway on the node of the first; to be stopped before the others. */
    another: (env: Record<string, string>): Promise<GatewayProcess> =>
      startGatewayProcess({ share: one, env }),
    /** A provider that paid calls have brought so much. */
    async earner(earnedUsdc: string): Promise<Person> {
      const provider = await arrive(one)
      const serviceId = await register(one, provider, { targets: [upstream.url], priceUsdc: earnedUsdc })
      const body = { serviceId, costUsdc: earnedUsdc, payload: { body: { q: 1 } } }
      expect(await invoke(one, payer.credential, body)).toMatchObject({ status: 200 })
      return provider
    },
    /** Deposits on the chain, and waits until a gateway has credited it. Returns the transaction. */
    deposit: (person: Person, amountUsdc: string): Promise<Hex> => deposit(one, person, amountUsdc),
    withdraw,
    /** Redeems a ticket at the vault, and waits until it is mined. Returns the transaction. */
    redeem: (ticket: WithdrawalTicket): Promise<Hex> =>
      chain.redeem(vaultTicket(ticket), ticket.signature as Hex),
    /** Waits until the chain has a number of blocks more than now. */
    async blocks(count: number): Promise<void> {
      const { number } = await chain.adapter.head()
      await until(
        `${count} more blocks`,
        async () => (await chain.adapter.head()).number >= number + BigInt(count),
      )
    },
    /** Waits until a check of the books that begins now has been clean. */
    async checkedClean(): Promise<void> {
      const [last] = await one.sql<{ id: string }>('select coalesce(max(id), 0) as id from reconciliations')
      await until('a check of the books is clean', async () => {
        const clean = await one.sql('select 1 from reconciliations where id > $1 + 1 and consistent', [
          last?.id,
        ])
        return clean.length > 0
      })
    },
    async stop(): Promise<void> {
      await two.stop()
      await one.stop()
      await Promise.all([upstream.stop(), ...nodes.map(node => node.stop())])
    },
  }
}

/** Asks a gateway for a withdrawal. */
async function withdraw(
  on: { readonly url: string },
  person: Person,
  amountUsdc: string,
  key: string = crypto.randomUUID(),
): Promise<Opened> {
  const sent = { token: person.token, body: { amountUsdc }, headers: { 'x-idempotency-key': key } }
  const { status, body } = await post<Opened>(on, '/providers/withdrawals/intent', sent)
  expect(body).toMatchObject({ status: 'success' })
  expect(status).toBe(200)
  return body
}

async function pay(on: GatewayProcess) {
  const owner = await arrive(on)
  await deposit(on, owner, FUNDS_USDC)
  return { owner, credential: await mint(on, owner) }
}

async function deposit(on: GatewayProcess, person: Person, amountUsdc: string): Promise<Hex> {
  const before = await balanceOf(on, person)
  const amount = parseUsdc(amountUsdc)
  const txHash = await on.chain.deposit(person.account.address, amount)
  const body = { tx_hash: txHash, amount: amountUsdc }
  const opened = await post(on, '/balance/deposit/intent', { token: person.token, body })
  expect(opened).toMatchObject({ status: 200 })
  await until(`${formatUsdc(amount)} are credited`, async () => {
    const { available } = await balanceOf(on, person)
    return available === before.available + amount
  })
  return txHash
}
