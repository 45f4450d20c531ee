import { outageIn } from '../adapters/outage-lines.ts'
import { describeFailure } from '../preflight/check.ts'

/** Returns why a program beside the gateway failed, for its operator. */
export function describeFault(error: unknown): string {
  const reason = describeFailure(error)
  if (outageIn(error) === 'database') return `The database does not answer (${reason}).`
  return error instanceof Error ? error.message : reason
}
