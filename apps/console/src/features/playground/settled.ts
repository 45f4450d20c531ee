import type { AnswerOf } from '@farebox/client'
import { api } from '../../api.ts'

/** A call as the gateway tells it when its money is settled. */
export type Invocation = AnswerOf<'readInvocation'>

const POLL_INTERVAL_MS = 400
/** A stream that was left is read to its end by the gateway, which takes as long as the model takes. */
const POLLS_MAX = 600

/**
 * Waits until a call is over, and tells what it cost. One whose usage is awaited of its provider is told as it stands:
 * that may take a quarter of an hour.
 */
export async function readSettled(invocationId: string, credential: string): Promise<Invocation> {
  for (let looks = 1; ; looks++) {
    const invocation = await api.readInvocation({ path: { id: invocationId }, credential })
    if (invocation.status !== 'PENDING' || looks === POLLS_MAX) return invocation
    await new Promise(done => setTimeout(done, POLL_INTERVAL_MS))
  }
}
