import { GatewayError } from '@farebox/client/errors'
import type { Address, Hex } from 'viem'
import type { LocalStore } from '../ui/state/local-store.ts'
import { NOT_SENT, WalletError } from './errors.ts'
import { pause } from './pause.ts'
import { findTransaction } from './transactions.ts'

// A wallet flow, such as a deposit, needs several answers of the wallet, the chain and the gateway. The browser
// stores it as a draft that is written before and after each step, so that a reload at any point can resume it.

const POLL_INTERVAL_MS = 1_500
/** Polls without finding a transaction until it counts as dropped. */
const POLLS_UNTIL_DROPPED = 4

/** An error that stops or delays a flow. */
export type Trouble = {
  readonly error: unknown
  /** It is retried automatically. */
  readonly isPassing: boolean
}

/** The context of one run of a flow. */
export type Run<Draft> = {
  readonly owner: Address
  readonly drafts: LocalStore<Draft>
  readonly signal: AbortSignal
  /** The person has asked for it, so the wallet may open. Otherwise it must not. */
  readonly mayAsk: boolean
  /** Called with each error, and with null when it has passed. */
  readonly onTrouble: (trouble: Trouble | null) => void
  /** Called when a wallet request opens and closes. */
  readonly onAsking: (isAsking: boolean) => void
}

/** The chain knows neither the transaction nor a replacement. */
export class UnknownTransactionError extends Error {
  override readonly name = 'UnknownTransactionError'
  override readonly message =
    'The chain does not know this transaction. It may be pending, or your wallet may have dropped it. Check your wallet.'
}

/**
 * Runs a flow as far as possible. Returns when a step has nothing more to do, on an error that is not transient, or
 * when the run is aborted.
 *
 * @param takeStep reads the state of chain and gateway first, so it can be called at any point; returns whether to
 *   continue at once
 */
export async function runFlow<Draft>(
  run: Run<Draft>,
  takeStep: (draft: Draft) => Promise<boolean> | boolean,
): Promise<void> {
  const { owner, drafts, signal, onTrouble } = run
  while (!signal.aborted) {
    const draft = drafts.read(owner)
    if (draft === null) return
    try {
      const goesOn = await takeStep(draft)
      if (signal.aborted) return
      onTrouble(null)
      if (!goesOn) return
    } catch (error) {
      if (signal.aborted) return
      const isPassing = isTransient(error)
      onTrouble({ error, isPassing })
      if (!isPassing) return
      await rest(run)
    }
  }
}

function isTransient(error: unknown): boolean {
  if (error instanceof GatewayError) return error.isPassing
  if (error instanceof UnknownTransactionError) return true
  return error instanceof WalletError && error.problem === 'CHAIN_UNREACHABLE'
}

/** Waits for the next poll. */
export function rest({ signal }: Pick<Run<unknown>, 'signal'>): Promise<void> {
  return pause(POLL_INTERVAL_MS, signal)
}

/** Changed members of a draft; undefined removes one. */
type Changes<Draft> = { [Name in keyof Draft]?: Draft[Name] | undefined }

/** Updates the stored draft, unless the flow was put aside meanwhile. */
export function change<Draft extends object>({ drafts, owner }: Run<Draft>, changes: Changes<Draft>): void {
  const draft = drafts.read(owner)
  if (draft !== null) drafts.write(owner, { ...draft, ...changes } as Draft)
}

/** Runs a wallet request and reports that it is open. */
export async function withAskingState<Value>(
  run: Pick<Run<unknown>, 'onTrouble' | 'onAsking'>,
  ask: () => Promise<Value>,
): Promise<Value> {
  run.onTrouble(null)
  run.onAsking(true)
  try {
    return await ask()
  } finally {
    run.onAsking(false)
  }
}

/** Returns whether the error means that nothing was sent. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof WalletError && NOT_SENT.includes(error.problem)
}

/** Consecutive polls in which a transaction was not found. */
const missed = new Map<Hex, number>()

/**
 * Polls the transaction of a flow, and follows its replacement if it was sped up.
 *
 * @param findOther finds another transaction of the same effect
 * @returns its outcome; `waits` to poll again
 * @throws UnknownTransactionError
 */
export async function follow<Draft extends { readonly hash?: Hex; readonly nonce?: number }>(
  run: Run<Draft>,
  { hash, nonce }: { readonly hash: Hex; readonly nonce: number | undefined },
  findOther: () => Promise<Hex | null>,
): Promise<'done' | 'reverted' | 'dropped' | 'waits'> {
  const seen = await findTransaction({ hash, owner: run.owner, nonce })
  if (seen.kind === 'mined') return seen.receipt.status === 'success' ? 'done' : 'reverted'
  if (seen.kind === 'pending') {
    missed.delete(hash)
    if (nonce === undefined) change(run, { nonce: seen.nonce } as Changes<Draft>)
  } else {
    const other = await findOther()
    if (other !== null && other !== hash) {
      change(run, { hash: other } as Changes<Draft>)
      return 'waits'
    }
    const count = (missed.get(hash) ?? 0) + 1
    missed.set(hash, count)
    if (count >= POLLS_UNTIL_DROPPED && seen.isPast) return 'dropped'
    if (count >= POLLS_UNTIL_DROPPED) throw new UnknownTransactionError()
  }
  await rest(run)
  return 'waits'
}
