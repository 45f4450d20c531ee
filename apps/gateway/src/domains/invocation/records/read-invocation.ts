import { GatewayError } from '@farebox/wire/errors'
import type { EarnedCall } from '@farebox/wire/usage'
import type { Deps } from '../../../ports.ts'
import { isTerminal } from '../rules.ts'
import { readArchivedAnswer } from './archived-answer.ts'
import { presentEarned, presentInvocation } from './present.ts'
import { readInvocation as readRow } from './store.ts'

/**
 * Tells an invocation, as JSON text, to the credential that made it, or to its owner.
 *
 * @throws GatewayError INVOCATION_NOT_FOUND, also for an invocation of somebody else
 */
export async function readInvocation(
  deps: Pick<Deps, 'db'>,
  id: string,
  reader: { readonly credentialId: string } | { readonly wallet: string },
): Promise<string> {
  const row = await readRow(deps.db, id)
  const isTheirs =
    row !== null &&
    ('wallet' in reader ? row.owner === reader.wallet : row.credentialId === reader.credentialId)
  if (!isTheirs) throw new GatewayError('INVOCATION_NOT_FOUND')
  if (row.answer !== null || !isTerminal(row.status)) return presentInvocation(row)
  const { body } = await readArchivedAnswer(deps.db, { invocationId: id, owner: row.owner })
  return presentInvocation({ ...row, answer: body })
}

/**
 * Tells a call to its provider.
 *
 * @param provider wallet in lower case
 * @throws GatewayError INVOCATION_NOT_FOUND, also for a call to somebody else's service
 */
export async function readEarned(deps: Pick<Deps, 'db'>, id: string, provider: string): Promise<EarnedCall> {
  const row = await readRow(deps.db, id)
  if (row?.provider !== provider) throw new GatewayError('INVOCATION_NOT_FOUND')
  return presentEarned(row)
}
