import { randomBytes } from 'node:crypto'
import type { TestChain } from '../../apps/gateway/test/kit/chain/test-chain.ts'
import { type RunningGateway, runGateway } from '../bench/gateway.ts'

/** Secrets of an installation: all its gateways have the same, whenever they are started. */
export const makeSecrets = () => ({
  JWT_SECRET: randomBytes(32).toString('hex'),
  ENCRYPTION_KEY: randomBytes(32).toString('hex'),
})

/**
 * Starts gateways as in production, all on one database, one after another.
 *
 * @param on.settings settings beside the usual ones: secrets at least
 */
export async function startGateways(
  on: {
    databaseUrl: string
    chain: TestChain
    settings: Readonly<Record<string, string>>
    undo: AsyncDisposableStack
  },
  count: number,
): Promise<readonly RunningGateway[]> {
  const settings = {
    FAREBOX_MODE: 'production',
    DATABASE_URL: on.databaseUrl,
    CHAIN_RPC_URL: on.chain.rpcUrl,
    VAULT_ADDRESS: on.chain.contracts.vault,
    TICKET_SIGNER_KEY: on.chain.ticketSignerKey,
    REQUIRED_CONFIRMATIONS: '1',
    // The provider listens on loopback.
    ALLOW_PRIVATE_TARGETS: 'true',
    ALLOW_HTTP_TARGETS: 'true',
    CHALLENGES_PER_MINUTE: '1000000',
    LOG_LEVEL: 'warn',
    ...on.settings,
  }
  const gateways: RunningGateway[] = []
  for (let index = 0; index < count; index += 1) {
    const gateway = await runGateway({ settings })
    on.undo.defer(() => gateway.stop())
    gateways.push(gateway)
  }
  return gateways
}
