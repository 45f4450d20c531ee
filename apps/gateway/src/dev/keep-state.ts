import { setTimeout as delay } from 'node:timers/promises'
import type { Anvil } from './anvil.ts'
import { saveState } from './chain-state.ts'
import type { NewBlock } from './watch-blocks.ts'

/** The state is saved after each block with transactions, and after so many without any. */
const SAVE_AFTER_BLOCKS = 60n
/** So many blocks without transactions are a quiet time, good for a compaction ... */
const QUIET_BLOCKS = 30n
/** ... and when twice as many blocks are there, it is done in any case. */
const COMPACT_AT_LATEST = 2n
/** After a save, a pause in proportion to the time it took: it is not to be the node's main work. */
const PAUSE_PER_SAVE = 2

/** What saves the state of one node. */
export type StateKeeper = {
  onBlock(block: NewBlock): void
  /** Whether the node was ended to be started again from its saved state, without its empty blocks. */
  isCompacting(): boolean
  /** Stops mining and saves the last state; does nothing when the node has ended. */
  saveLast(): Promise<void>
}

/**
 * Saves the state of one node as its blocks come, one save at a time, and ends the node when it has collected
 * many empty blocks.
 *
 * @param options.file               see {@link saveState}
 * @param options.compactAfterBlocks how many blocks are many
 * @param options.notice             told when a state cannot be saved
 */
export function keepState(
  anvil: Anvil,
  options: { file: string; compactAfterBlocks: bigint; notice: (message: string) => void },
): StateKeeper {
  const { client } = anvil
  const seen = { first: null as bigint | null, saved: 0n, used: 0n, latest: 0n }
  let isDue = false
  let isLast = false
  let hasEnded = false
  let isCompacting = false
  let working: Promise<void> | null = null
  anvil.ended.then(() => {
    hasEnded = true
  })

  async function save(): Promise<void> {
    await saveState(options.file, await client.dumpState())
  }

  async function work(): Promise<void> {
    while (isDue && !isLast) {
      isDue = false
      const from = Date.now()
      await save()
      await delay(PAUSE_PER_SAVE * (Date.now() - from))
    }
    if (!isLast && isCompactionDue()) await compact()
  }

  function isCompactionDue(): boolean {
    const { first, latest, used } = seen
    const age = latest - (first ?? latest)
    const isQuiet = latest - used >= QUIET_BLOCKS
    return age >= options.compactAfterBlocks * (isQuiet ? 1n : COMPACT_AT_LATEST)
  }

  /** Only when what was saved is all there is: no newer block, nothing that waits to be mined. */
  async function compact(): Promise<void> {
    const before = await client.getBlockNumber()
    await save()
    const [after, { pending, queued }] = await Promise.all([
      client.getBlockNumber(),
      client.getTxpoolStatus(),
    ])
    if (after !== before || pending + queued > 0) return
    isCompacting = true
    await anvil.stop('SIGKILL')
  }

  async function unlessEnded(task: () => Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      if (!hasEnded) options.notice(`The state of the local chain could not be saved: ${String(error)}`)
    }
  }

  return {
    isCompacting: () => isCompacting,
    onBlock({ number, isUsed }) {
      seen.first ??= number
      seen.latest = number
      if (isUsed) seen.used = number
      if (isUsed || number - seen.saved >= SAVE_AFTER_BLOCKS) {
        seen.saved = number
        isDue = true
      }
      if (working !== null || isLast || !(isDue || isCompactionDue())) return
      working = unlessEnded(work).then(() => {
        working = null
      })
    },
    async saveLast() {
      isLast = true
      await working
      if (hasEnded) return
      await unlessEnded(async () => {
        await client.setAutomine(false)
        await save()
      })
    },
  }
}
