import type { AnvilClient } from './anvil.ts'
import type { NewBlock } from './watch-blocks.ts'

const EVERY_MS = 1_000
/** Time without a transaction after which the chain slows down. */
const ACTIVE_MS = 10 * 60_000
/** Seconds per block of an idle chain, so that it grows slowly. */
const IDLE_EVERY = 30

/**
 * Mines a block every second, besides those that the node mines for transactions. As the gateway does it, not the node,
 * the chain stands still while no gateway runs.
 *
 * @returns `onBlock` records activity on the chain; `stop` ends it
 */
export function mineRegularly(client: AnvilClient): { onBlock(block: NewBlock): void; stop(): void } {
  let usedAt = Date.now()
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
    const isActive = Date.now() - usedAt < ACTIVE_MS
    // A node that has just ended mines nothing; its watcher notices too.
    if (isActive || ticks % IDLE_EVERY === 0) client.mine({ blocks: 1 }).catch(() => undefined)
  }, EVERY_MS).unref()
  return {
    onBlock({ isUsed }) {
      if (isUsed) usedAt = Date.now()
    },
    stop: () => clearInterval(timer),
  }
}
