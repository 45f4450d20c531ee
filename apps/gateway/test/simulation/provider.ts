import { GatewayError } from '@farebox/wire/errors'
import type { KeyedCall, Provided } from './carry.ts'
import type { Chance } from './chance.ts'
import type { Machine } from './wire.ts'

/** A call that a provider was asked for. */
export type ProvidedCall = {
  readonly invocationId: string
  readonly key: string
  readonly machine: Machine
  readonly hold: bigint
  /** What it is due by its answer; null: nothing was told yet of what it used. */
  due: bigint | null
  /** Whether a good answer was given. */
  isGood: boolean
  /** What was reported of its usage later, if anything was. */
  reported: bigint | null
}

/** Makes what a provider answers to a call, and writes down what it is due. */
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

/** Tokens that a call used, and what they cost: a micro-USDC each, and the hold at most. */
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
