import type { Access } from '../../../src/http/openapi/contract.ts'
import type { TestGateway } from '../gateway/test-gateway.ts'
import { get, post } from '../network/http.ts'
import { type newWallet, sessionFor } from './wallets.ts'
import { arrive, issueSecret, mint, ownerWith, type Person, register } from './world.ts'

/** Headers by which somebody says who they are. */
export type Presented = Readonly<Record<string, string>>

/** Everybody who knocks at an operation. */
export type Callers = {
  /** Who may call operations of each kind. */
  readonly admitted: Readonly<Record<Access, Presented>>
  /** Who may not, each for a reason of their own. */
  readonly refused: readonly Presented[]
  /** The one of these whose token is valid, of a wallet that is suspended. */
  readonly suspended: Presented
}

const bearer = (token: string): Presented => ({ authorization: `Bearer ${token}` })
/** A token of the right form that nobody has. */
const forged = (token: string): string => {
  const middle = Math.floor(token.length / 2)
  return `${token.slice(0, middle)}${token[middle] === 'A' ? 'B' : 'A'}${token.slice(middle + 1)}`
}

/**
 * Brings about wallets, credentials and provider secrets in every state in which they are refused.
 *
 * @param admin wallet that the gateway's settings name as an admin
 */
export async function inviteCallers(on: TestGateway, admin: ReturnType<typeof newWallet>): Promise<Callers> {
  const adminToken = await sessionFor(on.gateway.deps, admin.address)
  const owner = await ownerWith(on, '5')
  const barred = await ownerWith(on, '5')
  const [agent, revoked, barredAgent] = await Promise.all([
    mint(on, owner),
    mint(on, owner),
    mint(on, barred),
  ])
  const secret = await secretOf(on, owner)
  const slowSecret = await secretOf(on, await arrive(on), 1)
  await get(on, '/provider/services', { token: slowSecret })
  const barredSecret = await secretOf(on, barred)
  const { status } = await post(on, `/credentials/agent/${revoked.id}/revoke`, { token: owner.token })
  if (status !== 200) throw new Error('The credential was not revoked.')
  await on.sql(`update wallets set suspended_at = now() where address = $1`, [
    barred.account.address.toLowerCase(),
  ])

  const wallet = bearer(owner.token)
  const credential = { 'x-credential': agent.token }
  return {
    admitted: {
      public: {},
      wallet,
      anyone: wallet,
      admin: bearer(adminToken),
      agent: credential,
      agentOrWallet: credential,
      providerSecret: bearer(secret),
    },
    suspended: bearer(barred.token),
    refused: [
      {},
      ...[forged(owner.token), barred.token, owner.token].map(bearer),
      ...[forged(agent.token), revoked.token, barredAgent.token].map(token => ({ 'x-credential': token })),
      ...[agent.token, revoked.token, barredAgent.token].map(forged).map(bearer),
      ...[forged(secret), barredSecret, slowSecret, slowSecret].map(bearer),
    ],
  }
}

/** Issues a secret of a provider, which has a service. */
async function secretOf(on: TestGateway, provider: Person, rpm = 100_000): Promise<string> {
  await register(on, provider, { targets: ['http://127.0.0.1:9/'], priceUsdc: '0.01' })
  return issueSecret(on, provider, { rpm })
}
