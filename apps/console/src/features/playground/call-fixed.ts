import { GatewayError } from '@farebox/client/errors'
import { api, queryClient } from '../../api.ts'
import { type Invocation, readSettled } from './settled.ts'

/** One call, as it is sent. */
export type Sent = {
  readonly serviceId: string
  readonly costUsdc: string
  readonly payload: { readonly body: unknown } | { readonly query: unknown }
  readonly key: string
  readonly credential: string
}

/** What came of it. */
export type Outcome = {
  readonly sent: Sent
  /** The provider's answer; undefined when the call failed. */
  readonly result: unknown
  readonly error: unknown
  /** The gateway told the stored answer again. */
  readonly isReplay: boolean
  /** What it cost; null when it did not come to a call. */
  readonly invocation: Invocation | null
}

/** Makes a call and reads its receipt. Failures are outcomes too, and are not thrown. */
export async function callFixed(sent: Sent): Promise<Outcome> {
  const { serviceId, costUsdc, payload, key, credential } = sent
  try {
    const response = await api.raw('invokeService', {
      body: { serviceId, costUsdc, payload: payload as { body: Record<string, unknown> } },
      idempotencyKey: key,
      credential,
    })
    const answer: { invocationId: string; result: unknown } = await response.json()
    const isReplay = response.headers.get('idempotent-replayed') === 'true'
    const invocation = await readSettled(answer.invocationId, credential)
    return { sent, result: answer.result, error: null, isReplay, invocation }
  } catch (error) {
    return { sent, result: undefined, error, isReplay: false, invocation: await receiptOf(error, credential) }
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['balance'] })
  }
}

/** Of a call that failed, when it came to one. */
async function receiptOf(error: unknown, credential: string): Promise<Invocation | null> {
  const id = error instanceof GatewayError ? error.detail.invocationId : undefined
  if (typeof id !== 'string') return null
  return readSettled(id, credential).catch(() => null)
}
