import { GatewayError } from '@farebox/wire/errors'
import type { KeyedCall, Provided } from './carry.ts'
import type { Chance } from './chance.ts'
import type { Machine } from './wire.ts'

/** A call received by a provider. */
export type ProvidedCall = {
  readonly invocationId: string
  readonly key: string
  readonly machine: Machine
  readonly hold: bigint
  /** Due amount by its answer; null: the usage is not stated yet. */
  due: bigint | null
  /** True if it answered successfully. */
  isGood: boolean
  /** Usage reported later, if any. */
  reported: bigint | null
}

/** Answers a call like a provider, and records its due amount. */
export function provide(chance: Chance, { service }: KeyedCall, call: ProvidedCall): Provided {
  const { hold } = call
  if (chance.is(0.15)) {
    call.due = 0n
    const status = chance.is(0.5) ? 'FAILED_RETRYABLE' : 'FAILED_FINAL'
    const error = new GatewayError('UPSTREAM_ERROR', { reason: 'status', upstreamStatus: 500 })
    return { outcome: { kind: 'failed', isBegun: false, failure: { status, error } }, due: 0n }
  }
  call.isGood = true
  const responseHash = '00'
  if (!service.isMetered) {
    call.due = hold
    const result = { said: call.invocationId }
    return {
      outcome: { kind: 'answered', resultText: JSON.stringify(result), result, responseHash },
      due: hold,
    }
  }
  const isSilent = chance.is(0.4)
  const usage = usageOf(chance, hold)
  const result = isSilent ? { choices: [] } : { object: 'chat.completion', choices: [], usage: usage.block }
  call.due = isSilent ? null : usage.cost
  return {
    outcome: { kind: 'answered', resultText: JSON.stringify(result), result, responseHash },
    due: call.due,
  }
}

/** Tokens that a call used, and their cost: a micro-USDC each, at most the hold. */
export function usageOf(chance: Chance, hold: bigint) {
  const [input, output] = [chance.below(Number(hold)), chance.below(Number(hold))]
  const total = BigInt(input + output)
  return {
    input,
    output,
    cost: total < hold ? total : hold,
    block: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  }
}
