import { usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { encodeFunctionData } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { vi } from 'vitest'
import { systemClock } from '../../src/adapters/clock.ts'
import { firstAccount } from '../../src/dev/deploy.ts'
import { reconcile } from '../../src/domains/ledger/reconcile/reconcile.ts'
import { watchSigner } from '../../src/domains/withdrawals/watch-signer.ts'
import { startExternalSigner } from '../kit/chain/external-signer.ts'
import { startRpcProxy } from '../kit/chain/rpc-proxy.ts'
import { startTestChain } from '../kit/chain/test-chain.ts'
import { createTestDatabase } from '../kit/database/test-database.ts'
import { readScrape, scrape } from '../kit/gateway/prometheus.ts'
import { startTestGateway } from '../kit/gateway/test-gateway.ts'
import { registerModel } from '../kit/llm/llm-market.ts'
import { startFaultProxy } from '../kit/network/database-proxy.ts'
import type { TimedScrape } from '../kit/prometheus/alert-rules.ts'
import { startLlmProvider } from '../kit/provider/llm-provider.ts'
import { newPayer } from '../kit/world/payer.ts'
import { sellService } from '../kit/world/sold-service.ts'

const METRICS_TOKEN = 'a token of the metrics'
/** Half of them for one owner. */
const CALLS_WAITING_MAX = 64
const DATABASE_CONNECTIONS = 3

/** A gateway on which the conditions of alerts are caused, and its scrapes. */
export type AlertFixture = Awaited<ReturnType<typeof startAlertFixture>>

/**
 * Starts a gateway whose database, two endpoints of the chain, external signer, provider, model and clocks can each fail.
 * Every withdrawal waits for review.
 *
 * @param more more settings
 */
export async function startAlertFixture(more: Record<string, string> = {}) {
  const [chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  const nodes = [await startRpcProxy(chain.rpcUrl), await startRpcProxy(chain.rpcUrl)] as const
  const signer = await startExternalSigner(chain.ticketSignerKey, generatePrivateKey())
  const proxy = await startFaultProxy(database.url)
  const time = movableTime()
  const signerAddress = privateKeyToAccount(chain.ticketSignerKey).address
  const env = {
    METRICS_TOKEN,
    DATABASE_URL: proxy.url,
    DATABASE_CONNECTIONS: String(DATABASE_CONNECTIONS),
    CHAIN_RPC_URL: nodes[0].url,
    RPC_URLS: nodes[1].url,
    TICKET_SIGNER_KEY: '',
    TICKET_SIGNER_URL: signer.url,
    TICKET_SIGNER_ADDRESS: signerAddress,
    CALLS_WAITING_MAX: String(CALLS_WAITING_MAX),
    FOLLOWER_INTERVAL_SECONDS: '0.2',
    WITHDRAW_AUTO_APPROVE_MAX_USDC: '0',
    ...more,
  }
  const on = await startTestGateway({
    chain,
    database,
    machineClock: { ...systemClock, now: () => Date.now() + time.machineAheadMs },
    env,
  })
  const [sold, model] = await Promise.all([sellService(on), startLlmProvider()])
  const chat = await registerModel(on, sold.provider, { url: `${model.url}/v1/chat/completions` })
  const payer = await newPayer(on, '100')
  const owner = await firstAccount(chain.client)
  const { deps } = on.gateway
  const scrapes: TimedScrape[] = []

  return {
    on,
    chain,
    nodes,
    signer,
    signerAddress,
    proxy,
    time,
    sold,
    model,
    chat,
    payer,
    /** Runs SQL as the owner of the schema, without faults. */
    sql: on.sql,
    /** Starts another gateway beside it. */
    startAnother: () => startTestGateway({ share: on, env }),
    call: () => sold.call(payer, { idempotencyKey: crypto.randomUUID() }),
    /** Checks all books now. */
    checkBooks: () => reconcile(deps),
    /** Does now what a job does every 15 s. */
    watchSigner: () => watchSigner(deps),
    /** Appoints a signer of the vault. */
    appoint: (address: `0x${string}`) =>
      chain.send(
        owner,
        chain.contracts.vault,
        encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'setSigner', args: [address] }),
      ),
    /** Has the vault pay a ticket of its signer that no withdrawal explains. */
    async payUnknownTicket() {
      const to = owner
      const deadline = (await chain.now()) + 600n
      const ticket = { to, amount: usdc(1n), deadline, nonce: generatePrivateKey() }
      await chain.redeem(ticket, await chain.adapter.signTicket(ticket))
      await chain.mine(2)
    },
    /** All scrapes of the gateway, in their order. */
    scrapes,
    async look(): Promise<void> {
      scrapes.push(await timedScrape(on))
    },
    async stop() {
      time.restore()
      await on.stop()
      await Promise.all([sold.upstream, model, signer, proxy, ...nodes].map(part => part.stop()))
    },
  }
}

/** Scrapes as Prometheus does, which notes a gateway that does not answer as down. */
export async function timedScrape(gateway: { readonly url: string }): Promise<TimedScrape> {
  const found = await scrape(gateway, METRICS_TOKEN).catch((error: Error) => {
    if (error.message !== 'fetch failed') throw error
    return null
  })
  const up = readScrape(`# TYPE up gauge\nup ${found === null ? 0 : 1}\n`)
  return {
    at: Date.now(),
    scrape: found === null ? up : { ...found, series: [...up.series, ...found.series] },
  }
}

/** The monotonic clock of this process, which can be moved forward, and how far the machine's clock is ahead. */
function movableTime() {
  const monotonic = performance.now.bind(performance)
  let aheadMs = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + aheadMs)
  return {
    machineAheadMs: 0,
    pass(seconds: number) {
      aheadMs += seconds * 1_000
    },
    restore: () => spy.mockRestore(),
  }
}
