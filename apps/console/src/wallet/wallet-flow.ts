import { GatewayError } from '@farebox/client/errors'
import type { Address, Hex } from 'viem'
import type { LocalStore } from '../ui/state/local-store.ts'
import { NOT_SENT, WalletError } from './errors.ts'
import { pause } from './pause.ts'
import { findTransaction } from './transactions.ts'

// An errand is what needs several answers of the wallet, the chain and the gateway, such as a deposit. It is kept by the
// browser as a draft, and each step is written down before and after it is taken: a reload at any point finds out where it
// stands and goes on.

const POLL_INTERVAL_MS = 1_500
/** A transaction that the chain does not know is looked for so often before it is said to be gone. */
const POLLS_UNTIL_DROPPED = 4

/** What keeps an errand from going on. */
export type Trouble = {
  readonly error: unknown
  /** It is tried again without anybody doing anything. */
  readonly isPassing: boolean
}

/** What a run of an errand works with. */
export type Run<Draft> = {
  readonly owner: Address
  readonly drafts: LocalStore<Draft>
  readonly signal: AbortSignal
  /** Whether somebody is there who has asked for it: else the wallet is left in peace. */
  readonly mayAsk: boolean
  /** Told whenever something stands in the way, and with null when it does not any more. */
  readonly onTrouble: (trouble: Trouble | null) => void
  /** The wallet has been asked for something, and is waited for. */
  readonly onAsking: (isAsking: boolean) => void
}

/** The chain does not know a transaction, and has nothing in its place. */
export class UnknownTransactionError extends Error {
  override readonly name = 'UnknownTransactionError'
  override readonly message =
    'The chain does not know this transaction. It may be on its way, or your wallet may have given it up: look there.'
}

/**
 * Takes the errand of a wallet as far as it goes. Returns when a step says that there is no more to do, when something
 * stands in the way for good, or when the run is called off.
 *
 * @param takeStep looks at the chain and at the gateway first, so that it may be called at any point; tells whether there
 *   is more to do at once
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

/** A little while before the next look. */
export function rest({ signal }: Pick<Run<unknown>, 'signal'>): Promise<void> {
  return pause(POLL_INTERVAL_MS, signal)
}

/** Members of a draft with their new values; undefined takes one out. */
type Changes<Draft> = { [Name in keyof Draft]?: Draft[Name] | undefined }

/** Writes a change down, unless somebody has put the errand aside meanwhile. */
export function change<Draft extends object>({ drafts, owner }: Run<Draft>, changes: Changes<Draft>): void {
  const draft = drafts.read(owner)
  if (draft !== null) drafts.write(owner, { ...draft, ...changes } as Draft)
}

/** Asks the wallet, and tells so as long as it takes. */
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

/** Whether a wallet that answered so has sent nothing. */
export function wasNotSent(error: unknown): boolean {
  return error instanceof WalletError && NOT_SENT.includes(error.problem)
}

/** How often in a row each transaction was not found. */
const missed = new Map<Hex, number>()

/**
 * Looks for the transaction of an errand; follows one that was sped up to the one in its place.
 *
 * @param findOther the transaction that does the same, if the chain has one
 * @returns what became of it; `waits` when it must be looked for again
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
