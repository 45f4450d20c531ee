import { GatewayError } from '@farebox/wire/errors'
import type { Queryable } from '../../ports.ts'

/** Returns those of the given service ids and agentToolNames that no service has. */
export type ServiceNames = {
  readonly findUnknown: (db: Queryable, references: readonly string[]) => Promise<string[]>
}

/**
 * Checks that every service on an allow-list exists, as a misspelt name would never match.
 *
 * @throws GatewayError INVALID_PAYLOAD with the unknown names
 */
export async function assertServicesExist(
  db: Queryable,
  services: ServiceNames,
  references: readonly string[],
): Promise<void> {
  if (references.length === 0) return
  const unknown = await services.findUnknown(db, references)
  if (unknown.length === 0) return
  const message = `allowedServices: There is no service ${unknown.join(', ')}. Use its id or agentToolName from discovery.`
  const issues = unknown.map(name => ({ path: 'allowedServices', message: `There is no service ${name}.` }))
  throw new GatewayError('INVALID_PAYLOAD', { issues }, { message })
}
