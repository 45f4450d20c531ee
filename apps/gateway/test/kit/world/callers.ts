import type { Access } from '../../../src/http/openapi/contract.ts'
import type { TestGateway } from '../gateway/test-gateway.ts'
import { get, post } from '../network/http.ts'
import { type newWallet, sessionFor } from './wallets.ts'
import { arrive, issueSecret, mint, ownerWith, type Person, register } from './world.ts'

/** Headers with credentials. */
export type Presented = Readonly<Record<string, string>>

/** Callers of every kind, admitted or refused. */
export type Callers = {
  /** A valid caller of each kind of operation. */
  readonly admitted: Readonly<Record<Access, Presented>>
  /** Callers that are refused, each for another reason. */
  readonly refused: readonly Presented[]
  /** A valid token of a suspended wallet. */
  readonly suspended: Presented
}

const bearer = (token: string): Presented => ({ authorization: `Bearer ${token}` })
/** Returns a well-formed token that was never issued. */
const forged = (token: string): string => {
  const middle = Math.floor(token.length / 2)
  return `${token.slice(0, middle)}${token[middle] === 'A' ? 'B' : 'A'}${token.slice(middle + 1)}`
}

/**
 * Creates wallets, credentials and provider secrets in every state in which they are refused.
 *
 * @param admin a wallet in `ADMIN_WALLETS`
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

/** Registers a service of a provider and issues a secret. */
async function secretOf(on: TestGateway, provider: Person, rpm = 100_000): Promise<string> {
  await register(on, provider, { targets: ['http://127.0.0.1:9/'], priceUsdc: '0.01' })
  return issueSecret(on, provider, { rpm })
}
