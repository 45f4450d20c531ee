import type { AnvilClient } from './anvil.ts'
import type { NewBlock } from './watch-blocks.ts'

const EVERY_MS = 1_000
/** Without a transaction for so long, the chain slows down ... */
const ACTIVE_MS = 10 * 60_000
/** ... to one block in so many seconds, so that one left alone for days does not grow with every second. */
const IDLE_EVERY = 30

/**
 * Mines a block every second, beside those that the node mines at once for each transaction. That we do it, not
 * the node, lets the chain stand still while no gateway runs.
 *
 * @returns `onBlock` takes note of what happens on the chain; `stop` ends it
 */
export function mineRegularly(client: AnvilClient): { onBlock(block: NewBlock): void; stop(): void } {
  let usedAt = Date.now()
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
    const isActive = Date.now() - usedAt < ACTIVE_MS
    // A node that has just ended mines nothing; whoever looks after it sees that too.
    if (isActive || ticks % IDLE_EVERY === 0) client.mine({ blocks: 1 }).catch(() => undefined)
  }, EVERY_MS).unref()
  return {
    onBlock({ isUsed }) {
      if (isUsed) usedAt = Date.now()
    },
    stop: () => clearInterval(timer),
  }
}
