import { type Usdc, usdc } from '@farebox/money'
import { GatewayError } from '@farebox/wire/errors'
import type { Address } from 'viem'
import { expect } from 'vitest'
import { connectChain } from '../../../src/adapters/chain/chain.ts'
import { adminRoutes } from '../../../src/domains/admin/routes.ts'
import { confirmDeposit } from '../../../src/domains/deposits/confirm-deposit.ts'
import { followVault } from '../../../src/domains/deposits/follow-vault.ts'
import { openDeposit } from '../../../src/domains/deposits/open-deposit.ts'
import { depositRoutes } from '../../../src/domains/deposits/routes.ts'
import { proofRoutes } from '../../../src/domains/ledger/proof/proof-routes.ts'
import { readBalance } from '../../../src/domains/ledger/read-balance.ts'
import { reconcile } from '../../../src/domains/ledger/reconcile/reconcile.ts'
import { reconcileRecent } from '../../../src/domains/ledger/reconcile/reconcile-recent.ts'
import { ledgerRoutes } from '../../../src/domains/ledger/routes.ts'
import { completeByEvents } from '../../../src/domains/withdrawals/complete-by-event.ts'
import { raiseReorganised } from '../../../src/domains/withdrawals/raise-reorganised.ts'
import { withdrawalRoutes } from '../../../src/domains/withdrawals/routes.ts'
import type { Chain, Deps } from '../../../src/ports.ts'
import { startRpcProxy } from '../chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '../chain/test-chain.ts'
import { insertPaidCall } from '../ledger/paid-call.ts'
import { postMovements } from '../ledger/post-movements.ts'
import { type FaultProxy, startFaultProxy } from '../network/database-proxy.ts'
import { silent } from '../silent-log.ts'
import type { Member } from '../world/member.ts'
import { newWallet } from '../world/wallets.ts'
import { startPartialGateway } from './partial-gateway.ts'

/** One USDC, in micro-USDC. */
export const USDC = 1_000_000n

type MoneyOptions = {
  readonly requiredConfirmations?: number
  readonly env?: Record<string, string>
  readonly nodeTimeoutMs?: number
  readonly via?: (direct: string) => Promise<string>
}

/** A gateway of deposits, withdrawals and the books, with a chain and a database of its own. */
export type MoneyGateway = Awaited<ReturnType<typeof startMoneyGateway>>

/**
 * Starts chain, database and gateway for one test file. Nothing runs in the background: tests call the follower and
 * the jobs. The gateway reaches the chain through the proxy `node`.
 *
 * @param options.requiredConfirmations default 3
 * @param options.env settings that differ from those of development mode
 * @param options.nodeTimeoutMs how long the gateway waits for its node
 * @param options.via returns the database URL that the gateway uses, from the direct one
 */
export async function startMoneyGateway(options: MoneyOptions = {}) {
  const chain = await startTestChain({ requiredConfirmations: options.requiredConfirmations ?? 3 })
  const node = await startRpcProxy(chain.rpcUrl)
  const adapter = await connectChain({
    rpcUrl: node.url,
    publicRpcUrl: chain.rpcUrl,
    vault: chain.contracts.vault,
    requiredConfirmations: chain.adapter.facts.requiredConfirmations,
    ticketSignerKey: chain.ticketSignerKey,
    ...(options.nodeTimeoutMs !== undefined && { requestTimeoutMs: options.nodeTimeoutMs }),
    log: silent,
  })
  const faults: Partial<Chain> = {}
  const gateway = await startPartialGateway({
    chain: faulty(adapter, faults),
    // One check of the books is valid for the whole file.
    env: { RECONCILE_INTERVAL_SECONDS: '86400', ...options.env },
    ...(options.via && { via: options.via }),
    routes: (app, deps) => {
      ledgerRoutes(app, deps)
      proofRoutes(app, deps)
      depositRoutes(app, deps)
      withdrawalRoutes(app, deps)
      adminRoutes(app, deps)
    },
  })
  const { deps, url } = gateway
  const follow = (by: Deps = deps) =>
    followVault(
      by,
      {
        onWithdrawn: events => completeByEvents(by, events),
        onRead: range => raiseReorganised(by, range),
      },
      new AbortController().signal,
    )
  // No ticket is issued before the first check of the books.
  await reconcileRecent(deps)

  return {
    chain,
    deps,
    url,
    /** Its database as the role of gateways, and as the owner of the schema. */
    databaseUrl: gateway.databaseUrl,
    ownerUrl: gateway.ownerUrl,
    run: gateway.run,
    /** Moves the gateway's clock forward. */
    advance: gateway.advance,
    /** The proxy before the node; `heal` resets it. */
    node,
    /** Overrides methods of the chain; `heal` removes them. */
    faults,
    /** Makes these methods of the chain fail with UNAVAILABLE until `heal`. */
    cut(...names: (keyof Chain)[]) {
      const fail = () => Promise.reject(new GatewayError('UNAVAILABLE', {}, { retryAfterSeconds: 2 }))
      for (const name of names) Object.assign(faults, { [name]: fail })
    },
    heal() {
      node.misbehave()
      for (const name of Object.keys(faults)) delete faults[name as keyof Chain]
    },
    member: gateway.member,
    /** Deposits on the chain and credits the deposit. */
    deposit: (owner: Address, amount: Usdc) => deposit({ chain, deps, owner, amount }),
    earn: (provider: Member, amount: Usdc, fee = usdc(0n)) => earn({ chain, deps, provider, amount, fee }),
    /** Runs the follower of the vault once, which also completes withdrawals. */
    follow: () => follow(),
    /** Returns the balance of a wallet in the books. */
    balance: (of: Member) => readBalance(deps.db, of.wallet),
    /** Follows the vault to its head; throws if the books violate an invariant or differ from it. */
    async assertBooks() {
      const healthy = { ...deps, chain: chain.adapter }
      await chain.mine(chain.adapter.facts.requiredConfirmations)
      await follow(healthy)
      const { findings, vault } = await reconcile(healthy)
      expect(findings).toEqual([])
      expect(vault).toMatchObject({ held: vault?.due })
    },
    async stop() {
      await gateway.stop()
      await node.stop()
      await chain.stop()
    },
  }
}

/** A {@link MoneyGateway} that reaches its database through the proxy `database`. */
export type ProxiedMoneyGateway = Awaited<ReturnType<typeof startProxiedMoneyGateway>>

/** Starts a gateway as {@link startMoneyGateway} does, with a fault proxy before its database. */
export async function startProxiedMoneyGateway(options: Omit<MoneyOptions, 'via'> = {}) {
  const started = Promise.withResolvers<FaultProxy>()
  const gateway = await startMoneyGateway({
    ...options,
    via: async direct => {
      const proxy = await startFaultProxy(direct)
      started.resolve(proxy)
      return proxy.url
    },
  })
  const database = await started.promise
  return {
    ...gateway,
    database,
    async stop() {
      await gateway.stop()
      await database.stop()
    },
  }
}

/** Returns a chain whose methods can be overridden. */
function faulty(chain: Chain, faults: Partial<Chain>): Chain {
  return new Proxy(chain, {
    get: (target, name) => Reflect.get(faults, name) ?? Reflect.get(target, name),
  })
}

/** Gives a provider earnings: a consumer's confirmed deposit, a hold and its capture. */
async function earn(input: {
  chain: TestChain
  deps: Deps
  provider: Member
  amount: Usdc
  fee: Usdc
}): Promise<void> {
  const { chain, deps, provider, amount, fee } = input
  const consumer = newWallet().address.toLowerCase() as Address
  const reference = deps.ids.next('inv')
  await deposit({ chain, deps, owner: consumer, amount })
  await deps.db.transaction(async tx => {
    const posted = await postMovements(tx, [
      { kind: 'hold', wallet: consumer, provider: provider.wallet, amount, reference },
      {
        kind: 'capture',
        consumer,
        provider: provider.wallet,
        hold: amount,
        charge: amount,
        fee,
        reference,
      },
    ])
    expect(posted).toEqual([true, true])
    await insertPaidCall(tx, {
      id: reference,
      consumer,
      provider: provider.wallet,
      hold: amount,
      charge: amount,
      fee,
    })
  })
}

async function deposit(input: { chain: TestChain; deps: Deps; owner: Address; amount: Usdc }): Promise<void> {
  const { chain, deps, owner, amount } = input
  const txHash = await chain.deposit(owner, amount)
  const wallet = owner.toLowerCase() as Address
  const { body } = await openDeposit(deps, { wallet, txHash, amount, idempotencyKey: null })
  await chain.mine(chain.adapter.facts.requiredConfirmations - 1)
  await confirmDeposit(deps, { wallet, id: body.intent.id })
}
