import { GatewayError } from '@farebox/wire/errors'
import type { Span } from './tracer.ts'

/** Runs a step of a request in its own span, if there is a trace. */
export function traceStep<Outcome>(
  parent: Span | undefined,
  name: string,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  return parent === undefined ? work() : traced(parent.child(name), work)
}

async function traced<Outcome>(span: Span, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    span.fail(error instanceof GatewayError ? error.code : 'INTERNAL')
    throw error
  } finally {
    span.end()
  }
}
