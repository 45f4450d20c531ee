import type { Invocation } from './settled.ts'

/** A question and what came of it. */
export type Turn = {
  readonly id: string
  readonly question: string
  readonly answer: string
  readonly state: 'waiting' | 'streaming' | 'settling' | 'done' | 'stopped' | 'failed'
  /** Of the stream's head; null until it has come. */
  readonly invocationId: string | null
  readonly holdUsdc: string | null
  /** The final bill; null until it is known. */
  readonly bill: Invocation | null
  readonly error: unknown
  /** Tokens of what was sent, about. */
  readonly inputTokens: number
}

const PREFIX = 'farebox.playground.chat.'
const TURNS_KEPT = 60

/** Whether something of a turn is still to come. */
export const isOpen = ({ state }: Turn) =>
  state === 'waiting' || state === 'streaming' || state === 'settling'

/** The conversation with a model in this tab. One that a reload has cut is told as stopped; its bill is to be read. */
export function readConversation(serviceId: string): readonly Turn[] {
  try {
    const turns = JSON.parse(sessionStorage.getItem(PREFIX + serviceId) ?? '[]') as Turn[]
    return turns.map(turn => (isOpen(turn) ? { ...turn, state: 'stopped' } : turn))
  } catch {
    return []
  }
}

/** Keeps it over a reload. Errors lose their details by that, and keep their words. */
export function keepConversation(serviceId: string, turns: readonly Turn[]): void {
  const told = turns
    .slice(-TURNS_KEPT)
    .map(turn => (turn.error instanceof Error ? { ...turn, error: turn.error.message } : turn))
  try {
    sessionStorage.setItem(PREFIX + serviceId, JSON.stringify(told))
  } catch {
    // The tab's storage is full: the conversation goes on, and a reload loses it.
    sessionStorage.removeItem(PREFIX + serviceId)
  }
}
