import { expect } from 'vitest'
import { createInvocations } from '../../../src/domains/invocation/create-invocations.ts'
import { releaseUnreported } from '../../../src/domains/invocation/recovery/release-unreported.ts'
import { createServiceDirectory } from '../../../src/domains/services/find-callable.ts'
import { get } from '../network/http.ts'
import type { Payer } from '../world/payer.ts'
import { invoke } from '../world/world.ts'
import { chatBody, type LlmMarket } from './llm-market.ts'

/** Sets the age of all calls that wait for their usage. */
export async function letWait(market: LlmMarket, seconds: number): Promise<void> {
  await market.sql(
    `update metered_calls set processing_since = clock_timestamp() - make_interval(secs => $1)
     where processing_since is not null`,
    [seconds],
  )
}

/** Releases calls whose usage was not reported in time; returns their number. */
export function release(market: LlmMarket): Promise<number> {
  const { deps } = market.gateway
  return releaseUnreported(createInvocations({ ...deps, directory: createServiceDirectory(deps) }))
}

/** Reads a call with its credential. */
export async function statusOf(
  market: LlmMarket,
  payer: Payer,
  invocationId: string,
): Promise<Record<string, unknown>> {
  const headers = { 'x-credential': payer.token }
  return (await get(market, `/agent/invocations/${invocationId}`, { headers })).body
}

/** Makes a call that then waits for its usage. */
export async function waitingCall(market: LlmMarket, payer: Payer, more: Record<string, unknown> = {}) {
  market.model.bend({ usage: { replaceBy: undefined } })
  const call = {
    serviceId: market.chat,
    idempotencyKey: crypto.randomUUID(),
    payload: { body: chatBody() },
    ...more,
  }
  const answer = await invoke(market, payer, call)
  expect(answer).toMatchObject({ status: 502, body: { detail: { status: 'PROCESSING' } } })
  const replay = () => invoke(market, payer, call)
  return { invocationId: String(answer.body.detail.invocationId), answer, replay, call }
}
