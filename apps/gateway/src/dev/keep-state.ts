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
export function keepState(anvil: Anvil, options: Options): StateKeeper {
  return new Keeper(anvil, options)
}

type Options = { file: string; compactAfterBlocks: bigint; notice: (message: string) => void }

class Keeper implements StateKeeper {
  readonly #anvil: Anvil
  readonly #options: Options
  #firstBlock: bigint | null = null
  #latestBlock = 0n
  #usedBlock = 0n
  #savedBlock = 0n
  #isDue = false
  #isLast = false
  #hasEnded = false
  #isCompacting = false
  #working: Promise<void> | null = null

  constructor(anvil: Anvil, options: Options) {
    this.#anvil = anvil
    this.#options = options
    anvil.ended.then(() => {
      this.#hasEnded = true
    })
  }

  isCompacting(): boolean {
    return this.#isCompacting
  }

  onBlock({ number, isUsed }: NewBlock): void {
    this.#firstBlock ??= number
    this.#latestBlock = number
    if (isUsed) this.#usedBlock = number
    if (isUsed || number - this.#savedBlock >= SAVE_AFTER_BLOCKS) {
      this.#savedBlock = number
      this.#isDue = true
    }
    if (this.#working !== null || this.#isLast || !(this.#isDue || this.#isCompactionDue())) return
    this.#working = this.#unlessEnded(() => this.#work()).then(() => {
      this.#working = null
    })
  }

  async saveLast(): Promise<void> {
    this.#isLast = true
    await this.#working
    if (this.#hasEnded) return
    await this.#unlessEnded(async () => {
      await this.#anvil.client.setAutomine(false)
      await this.#save()
    })
  }

  async #work(): Promise<void> {
    while (this.#isDue && !this.#isLast) {
      this.#isDue = false
      const from = Date.now()
      await this.#save()
      await delay(PAUSE_PER_SAVE * (Date.now() - from))
    }
    if (!this.#isLast && this.#isCompactionDue()) await this.#compact()
  }

  async #save(): Promise<void> {
    await saveState(this.#options.file, await this.#anvil.client.dumpState())
  }

  #isCompactionDue(): boolean {
    const age = this.#latestBlock - (this.#firstBlock ?? this.#latestBlock)
    const isQuiet = this.#latestBlock - this.#usedBlock >= QUIET_BLOCKS
    return age >= this.#options.compactAfterBlocks * (isQuiet ? 1n : COMPACT_AT_LATEST)
  }

  /** Only when what was saved is all there is: no newer block, nothing that waits to be mined. */
  async #compact(): Promise<void> {
    const { client } = this.#anvil
    const before = await client.getBlockNumber()
    await this.#save()
    const [after, { pending, queued }] = await Promise.all([
      client.getBlockNumber(),
      client.getTxpoolStatus(),
    ])
    if (after !== before || pending + queued > 0) return
    this.#isCompacting = true
    await this.#anvil.stop('SIGKILL')
  }

  async #unlessEnded(task: () => Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      if (!this.#hasEnded) {
        this.#options.notice(`The state of the local chain could not be saved: ${String(error)}`)
      }
    }
  }
}
