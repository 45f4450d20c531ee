import { setTimeout as delay } from 'node:timers/promises'
import type { Anvil } from './anvil.ts'
import { saveState } from './chain-state.ts'
import type { NewBlock } from './watch-blocks.ts'

/** The state is saved after each block with transactions, and after this many without. */
const SAVE_AFTER_BLOCKS = 60n
/** Blocks without transactions after which the chain is idle enough for a compaction. */
const QUIET_BLOCKS = 30n
/** With this many times `compactAfterBlocks` the chain is compacted in any case. */
const COMPACT_AT_LATEST = 2n
/** Pause after a save, in multiples of its duration, so that saving does not dominate the node's work. */
const PAUSE_PER_SAVE = 2

/** Saves the state of one node. */
export type StateKeeper = {
  onBlock(block: NewBlock): void
  /** True if the node was stopped to be restarted from its saved state, without its empty blocks. */
  isCompacting(): boolean
  /** Stops mining and saves the last state; does nothing if the node has ended. */
  saveLast(): Promise<void>
}

/**
 * Saves the state of a node as blocks arrive, one save at a time, and stops the node for compaction once it has many
 * empty blocks.
 *
 * @param options.file               see {@link saveState}
 * @param options.compactAfterBlocks number of blocks before a compaction
 * @param options.notice             called if a state cannot be saved
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

  /** Only if the saved state is complete: no newer block, no pending transaction. */
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
