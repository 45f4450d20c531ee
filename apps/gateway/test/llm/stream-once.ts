import { formatUsdc, usdc } from '@farebox/money'
import { expect } from 'vitest'
import { chatBody, invokeStream, type LlmMarket } from '../kit/llm/llm-market.ts'
import { FUNDS, newPayer } from '../kit/llm/payers.ts'
import { balanceOf } from '../kit/world/world.ts'

/** A stream read to its end, and functions that read its money. */
export type Streamed = Awaited<ReturnType<typeof streamOnce>>

/** Makes one streamed call of a model with its own payer. */
export async function streamOnce(
  market: LlmMarket,
  serviceId: string,
  body: Record<string, unknown> = chatBody({ stream: true }),
) {
  const payer = await newPayer(market)
  const call = { serviceId, idempotencyKey: 'k', payload: { body } }
  const answer = await invokeStream(market, payer, call)
  const parsed = (name: string) => {
    const event = answer.events.find(seen => seen.name === name)
    return event === undefined ? null : (JSON.parse(event.data) as Record<string, unknown>)
  }
  const money = async () => {
    const { available, held } = await balanceOf(market, payer.owner)
    return { charge: FUNDS - available - held, isHeld: held > 0n }
  }
  const kept = async () => {
    const [row] = await market.sql<{ status: string }>(
      'select status from invocations where credential_id = $1',
      [payer.id],
    )
    return row?.status
  }
  return { payer, call, answer, bill: parsed('gateway'), error: parsed('error'), money, kept }
}

/** Expects that a stream is cut, and its usage pending. */
export async function expectWaiting(streamed: Streamed, reason: string): Promise<void> {
  const { answer, bill, error } = streamed
  expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', detail: { reason, status: 'PROCESSING' } })
  expect(bill).toBeNull()
  expect(answer.events.at(-1)?.name).toBe('error')
  expect(answer.text).not.toContain('[DONE]')
  expect(await streamed.money()).toEqual({ charge: 0n, isHeld: true })
  expect(await streamed.kept()).toBe('PROCESSING')
}

/** Expects that a stream is charged; complete ones end properly, cut ones with an error. */
export async function expectPaid(
  streamed: Streamed,
  { charge, reason }: { readonly charge: bigint; readonly reason?: string },
): Promise<void> {
  const { answer, bill, error } = streamed
  expect(bill).toMatchObject({ status: 'SUCCEEDED', chargedUsdc: formatUsdc(usdc(charge)) })
  if (reason === undefined) {
    expect(error).toBeNull()
    expect(answer.events.at(-1)?.data).toBe('[DONE]')
    expect(answer.events.at(-2)?.name).toBe('gateway')
    expect(answer.text.match(/\[DONE\]/g)).toHaveLength(1)
  } else {
    expect(error).toMatchObject({ detail: { reason, status: 'SUCCEEDED', chargedUsdc: bill?.chargedUsdc } })
    expect(answer.events.at(-1)?.name).toBe('error')
    expect(answer.text).not.toContain('[DONE]')
  }
  expect(await streamed.money()).toEqual({ charge, isHeld: false })
  expect(await streamed.kept()).toBe('SUCCEEDED')
}
