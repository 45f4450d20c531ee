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
import { arrive, balanceOf, invoke, mint, type OnGateway, type Person, register } from '../kit/world/world.ts'
import { startCluster } from './cluster.ts'

/** Block interval of the chain, in seconds. */
const BLOCK_SECONDS = 0.25
/** Confirmations that an event needs. */
export const CONFIRMATIONS = 3
/** Deposit of the owner that pays for every provider's earnings. */
const FUNDS_USDC = '200'
/** Bound of the wait for a credit on a busy machine, in ms. */
const CREDIT_MS_MAX = 60_000
/** Timeouts for stops and starts of whole processes on a busy machine. */
export const TEST_TIMEOUT_MS = 120_000

/** Only jobs that a test waits for run, and quickly. */
const SETTINGS = {
  REQUIRED_CONFIRMATIONS: String(CONFIRMATIONS),
  FOLLOWER_INTERVAL_SECONDS: '0.2',
  RECONCILE_INTERVAL_SECONDS: '0.5',
  PROBE_INTERVAL_SECONDS: '3600',
  CALL_WAIT_SECONDS_MAX: '60',
  LEASE_SECONDS: '5',
}

/** A deployment as in production. */
export type Production = Awaited<ReturnType<typeof startProduction>>

/**
 * Starts two gateway processes in production mode on their own PostgreSQL, as its runtime role, and on a chain with
 * automatic blocks, each through its own JSON-RPC proxy.
 */
export async function startProduction() {
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
    CHAIN_RPC_URL: nodes[at].url,
  })
  const database = { url: cluster.gatewayUrl, ownerUrl: cluster.url, drop: () => cluster.end() }
  const one = await startGatewayProcess({ chain, database, env: settings(0) })
  const two = await startGatewayProcess({ share: one, env: settings(1) })
  const payer = await pay(one)

  return {
    cluster,
    chain,
    /** The JSON-RPC proxy of each gateway. */
    nodes,
    one,
    two,
    /** An owner with money, and its credential. */
    payer,
    /** The session of an admin. */
    admin: { account: admin, token: await signIn(one.url, admin) } satisfies Person,
    /** SQL as the superuser, without faults. */
    sql: one.sql,
    /** Creates a provider with this amount of earnings from paid calls. */
    async earner(earnedUsdc: string): Promise<Person> {
      const provider = await arrive(one)
      const serviceId = await register(one, provider, { targets: [upstream.url], priceUsdc: earnedUsdc })
      const body = { serviceId, costUsdc: earnedUsdc, payload: { body: { q: 1 } } }
      expect(await invoke(one, payer.credential, body)).toMatchObject({ status: 200 })
      return provider
    },
    /** Deposits on chain, and waits for the credit. Returns the transaction. */
    deposit: (person: Person, amountUsdc: string): Promise<Hex> => deposit(one, person, amountUsdc),
    withdraw,
    /** Redeems a ticket at the vault, and waits until it is mined. Returns the transaction. */
    redeem: (ticket: WithdrawalTicket): Promise<Hex> =>
      chain.redeem(vaultTicket(ticket), ticket.signature as Hex),
    /** Waits for a number of new blocks. */
    async blocks(count: number): Promise<void> {
      const { number } = await chain.adapter.head()
      await until(
        `${count} more blocks`,
        async () => (await chain.adapter.head()).number >= number + BigInt(count),
      )
    },
    /** Waits for a clean check of the books that begins now or later. */
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

/** Requests a withdrawal at a gateway. */
export async function withdraw(
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

/** Deposits on chain, and waits for the credit. Returns the transaction. */
export async function deposit(on: OnGateway, person: Person, amountUsdc: string): Promise<Hex> {
  const before = await balanceOf(on, person)
  const amount = parseUsdc(amountUsdc)
  const txHash = await on.chain.deposit(person.account.address, amount)
  const body = { tx_hash: txHash, amount: amountUsdc }
  const opened = await post(on, '/balance/deposit/intent', { token: person.token, body })
  expect(opened).toMatchObject({ status: 200 })
  const isCredited = async () => (await balanceOf(on, person)).available === before.available + amount
  await until(`${formatUsdc(amount)} are credited`, isCredited, CREDIT_MS_MAX)
  return txHash
}
