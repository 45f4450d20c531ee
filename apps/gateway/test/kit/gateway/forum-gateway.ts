import { getAddress } from 'viem'
import { systemClock } from '../../../src/adapters/clock.ts'
import type { Clock } from '../../../src/ports.ts'
import { type Answer, type Sent, send } from '../network/http.ts'
import { newWallet, sessionFor } from '../world/wallets.ts'
import { deposit } from '../world/world.ts'
import { startTestGateway, type TestGateway } from './test-gateway.ts'

/** A client of a gateway, by default with an IP address of its own. */
export type Caller = {
  /** Checksummed; null for an anonymous caller. */
  readonly address: string | null
  readonly token: string | null
  /** Sends a request. `path` below `/api/v1`. */
  send<Body = Record<string, unknown>>(
    path: string,
    sent?: Sent & { on?: TestGateway },
  ): Promise<Answer<Body & Record<string, unknown>>>
}

/** Two gateways on one database, an admin of both, and their callers. */
export type ForumGateway = Awaited<ReturnType<typeof startForumGateway>>

/** Starts two gateways on one database. Callers share no rate limit by IP address. */
export async function startForumGateway() {
  const boss = newWallet()
  const env = {
    ADMIN_WALLETS: boss.address,
    TRUST_PROXY: '1',
    JWT_SECRET: 'a secret that both gateways know, of more than 32 characters',
  }
  let standsAt: number | null = null
  const clock: Clock = { ...systemClock, now: () => standsAt ?? Date.now() }
  const gateway = await startTestGateway({ env, clock })
  const other = await startTestGateway({ env, clock, share: gateway })
  let clients = 0

  /** Returns a caller with an IP address of its own, 10.x.y.z. */
  const caller = (who: { address: string; token: string } | null): Caller => {
    clients += 1
    const client = `10.${clients >> 16}.${(clients >> 8) & 255}.${clients & 255}`
    return {
      address: who?.address ?? null,
      token: who?.token ?? null,
      send: (path, { on = gateway, headers, ...sent } = {}) =>
        send(on.url, `/api/v1${path}`, {
          ...(who === null ? {} : { token: who.token }),
          ...sent,
          headers: { 'x-forwarded-for': client, ...headers },
        }),
    }
  }
  const member = async (account: { address: `0x${string}` } = newWallet()) =>
    caller({
      address: getAddress(account.address),
      token: await sessionFor(gateway.gateway.deps, account.address),
    })

  const admin = await member(boss)
  return {
    gateway,
    other,
    /** A signed-in wallet. */
    member,
    /** An anonymous caller. */
    stranger: () => caller(null),
    admin,
    /** Stops the clock of the gateways during some work, so that no rate limit refills. */
    async atOnce<Result>(work: () => Promise<Result>): Promise<Result> {
      standsAt = Date.now()
      try {
        return await work()
      } finally {
        standsAt = null
      }
    },
    /** Deposits USDC on the chain, for the admin by default. */
    async deposit(amountUsdc: string, who: Caller = admin) {
      const [address, token] = [who.address as `0x${string}`, who.token ?? '']
      await deposit(gateway, { account: { ...newWallet(), address }, token }, amountUsdc)
    },
    async stop() {
      await other.stop()
      await gateway.stop()
    },
  }
}
