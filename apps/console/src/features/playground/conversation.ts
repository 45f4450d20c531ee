import { safeSessionStorage } from '../../ui/state/safe-storage.ts'
import type { Invocation } from './settled.ts'

/** A question and its answer. */
export type Turn = {
  readonly id: string
  readonly question: string
  readonly answer: string
  readonly state: 'waiting' | 'streaming' | 'settling' | 'done' | 'stopped' | 'failed'
  /** From the stream's headers; null until they arrive. */
  readonly invocationId: string | null
  readonly holdUsdc: string | null
  /** The settled call; null until it is known. */
  readonly bill: Invocation | null
  readonly error: unknown
  /** Estimated input tokens. */
  readonly inputTokens: number
}

const PREFIX = 'farebox.playground.chat.'
const TURNS_KEPT = 60

/** Returns whether the turn is still in progress. */
export const isOpen = ({ state }: Turn) =>
  state === 'waiting' || state === 'streaming' || state === 'settling'

/**
 * Reads the conversation with a model from this tab. A turn that a reload interrupted is marked as stopped; its bill
 * is still to be read.
 */
export function readConversation(serviceId: string): readonly Turn[] {
  try {
    const turns = JSON.parse(safeSessionStorage.getItem(PREFIX + serviceId) ?? '[]') as Turn[]
    return turns.map(turn => (isOpen(turn) ? { ...turn, state: 'stopped' } : turn))
  } catch {
    return []
  }
}

/** Stores the conversation in this tab. Errors are reduced to their messages. */
export function keepConversation(serviceId: string, turns: readonly Turn[]): void {
  const reported = turns
    .slice(-TURNS_KEPT)
    .map(turn => (turn.error instanceof Error ? { ...turn, error: turn.error.message } : turn))
  safeSessionStorage.setItem(PREFIX + serviceId, JSON.stringify(reported))
}
