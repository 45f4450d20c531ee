import type { AnswerOf } from '@farebox/client'
import { api } from '../../api.ts'

/** A call with its settlement. */
export type Invocation = AnswerOf<'readInvocation'>

const POLL_INTERVAL_MS = 400
/** The gateway reads an abandoned stream to its end, which takes as long as the model does. */
const POLLS_MAX = 600

/**
 * Polls a call until it is settled. Returns at once if it waits for the provider to report its usage, which can take
 * 15 minutes.
 */
export async function readSettled(invocationId: string, credential: string): Promise<Invocation> {
  for (let looks = 1; ; looks++) {
    const invocation = await api.readInvocation({ path: { id: invocationId }, credential })
    if (invocation.status !== 'PENDING' || looks === POLLS_MAX) return invocation
    await new Promise(done => setTimeout(done, POLL_INTERVAL_MS))
  }
}
