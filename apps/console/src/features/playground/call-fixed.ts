import { GatewayError } from '@farebox/client/errors'
import { api, queryClient } from '../../api.ts'
import { type Invocation, readSettled } from './settled.ts'

/** The input of a call. */
export type Sent = {
  readonly serviceId: string
  /** The asserted price; undefined for a metered call. */
  readonly costUsdc: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
  readonly key: string
  readonly credential: string
}

/** The result of a call. */
export type Outcome = {
  readonly sent: Sent
  /** The provider's answer; undefined when the call failed. */
  readonly result: unknown
  readonly error: unknown
  /** The gateway replayed a stored answer. */
  readonly isReplay: boolean
  /** The settled call; null when no call was made. */
  readonly invocation: Invocation | null
}

/** Makes a call and reads its receipt. Returns failures instead of throwing them. */
export async function callFixed(sent: Sent): Promise<Outcome> {
  const { serviceId, costUsdc, payload, key, credential } = sent
  try {
    const response = await api.raw('invokeService', {
      body: {
        serviceId,
        ...(costUsdc !== undefined && { costUsdc }),
        payload: payload as { body: Record<string, unknown> },
      },
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

/** Reads the receipt of a failed call, if a call was made. */
async function receiptOf(error: unknown, credential: string): Promise<Invocation | null> {
  const id = error instanceof GatewayError ? error.detail.invocationId : undefined
  if (typeof id !== 'string') return null
  return readSettled(id, credential).catch(() => null)
}
