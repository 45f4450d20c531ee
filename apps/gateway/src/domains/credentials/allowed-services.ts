import { GatewayError } from '@farebox/wire/errors'
import type { Queryable } from '../../ports.ts'

/** Finds which of some service ids and agentToolNames mean no service. */
export type ServiceNames = {
  readonly findUnknown: (db: Queryable, references: readonly string[]) => Promise<string[]>
}

/**
 * Checks that every service of an allow-list exists: a misspelt name would never allow anything.
 *
 * @throws GatewayError INVALID_PAYLOAD that names those that do not
 */
export async function assertServicesExist(
  db: Queryable,
  services: ServiceNames,
  references: readonly string[],
): Promise<void> {
  if (references.length === 0) return
  const unknown = await services.findUnknown(db, references)
  if (unknown.length === 0) return
  const message = `allowedServices: There is no service ${unknown.join(', ')}. Name its id or agentToolName as discovery shows it.`
  const issues = unknown.map(name => ({ path: 'allowedServices', message: `There is no service ${name}.` }))
  throw new GatewayError('INVALID_PAYLOAD', { issues }, { message })
}
