import { type AnswerOf, suggestServices } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { EXIT } from '../exit-codes.ts'
import { badInput, Failure } from '../failure.ts'
import type { Session } from '../session.ts'

type Found = AnswerOf<'readMarketService'>

/**
 * Returns the answer of the market about a service.
 *
 * @throws Failure SERVICE_NOT_FOUND with the closest names
 */
export async function findService(session: Session, name: string): Promise<Found> {
  if (name.trim() === '') throw badInput('Name a service.', 'Find one: farebox discover')
  const api = session.visitor()
  try {
    return await api.readMarketService({ path: { id: name } })
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === 'SERVICE_NOT_FOUND')) throw error
    // The suggestions are an addition: the service is unknown without them, too.
    const names = await suggestServices(api, name).catch(() => [])
    const hint = names.length === 0 ? 'Find one: farebox discover' : `Did you mean ${names.join(' or ')}?`
    const { code, requestId, detail } = error
    const about = { exitCode: EXIT.refused, hints: [hint], requestId, detail, cause: error }
    throw new Failure(code, `There is no service ${name}.`, about)
  }
}
