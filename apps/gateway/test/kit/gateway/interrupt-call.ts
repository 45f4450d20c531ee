import { createInvocations } from '../../../src/domains/invocation/create-invocations.ts'
import { recoverCalls } from '../../../src/domains/invocation/recovery/recover-calls.ts'
import { createServiceDirectory } from '../../../src/domains/services/find-callable.ts'
import { until } from '../until.ts'
import type { TestGateway } from './test-gateway.ts'

/**
 * Recovers the only running call of a credential, once it is held, as another gateway does after a lease has
 * expired.
 */
export async function interruptCall(on: TestGateway, credential: { readonly id: string }): Promise<void> {
  const deps = { ...on.gateway.deps, instanceId: 'gw_sweeper' }
  const sweeper = createInvocations({ ...deps, directory: createServiceDirectory(deps) })
  // The gateway under test may adopt the call before the sweeper does, and leave it in flight.
  await until('a held call is recovered', async () => {
    await on.sql(
      `update open_calls o set instance_id = 'gw_gone' from invocations i
       where i.id = o.invocation_id and i.credential_id = $1 and i.status = 'PENDING'`,
      [credential.id],
    )
    return (await recoverCalls(sweeper)) === 1
  })
}
