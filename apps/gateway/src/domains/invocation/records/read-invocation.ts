import { GatewayError } from '@farebox/wire/errors'
import type { EarnedCall } from '@farebox/wire/usage'
import type { Deps } from '../../../ports.ts'
import { isTerminal } from '../rules.ts'
import { readArchivedAnswer } from './archived-answer.ts'
import { presentEarned, presentInvocation } from './present.ts'
import { readInvocation as readRow } from './store.ts'

/**
 * Returns an invocation as JSON text, for the credential that made it or its owner.
 *
 * @throws GatewayError INVOCATION_NOT_FOUND, also for invocations of others
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
 * Returns a call for its provider.
 *
 * @param provider wallet in lower case
 * @throws GatewayError INVOCATION_NOT_FOUND, also for calls to services of others
 */
export async function readEarned(deps: Pick<Deps, 'db'>, id: string, provider: string): Promise<EarnedCall> {
  const row = await readRow(deps.db, id)
  if (row?.provider !== provider) throw new GatewayError('INVOCATION_NOT_FOUND')
  return presentEarned(row)
}
