/** Locks with FIFO waiters. */
export type Locks<Holder extends object> = {
  /** Takes locks one after the other; skips those already held. */
  take(holder: Holder, names: readonly number[]): Promise<void>
  /** Releases all locks of a holder and its place in the queue; it takes no more. */
  release(holder: Holder): void
}

type Waiter<Holder> = { readonly holder: Holder; readonly have: () => void }

/** A lock with its holder and waiters. */
type Held<Holder> = { holder: Holder; readonly line: Waiter<Holder>[] }

/** All are free at first. */
export function createLocks<Holder extends object>(): Locks<Holder> {
  const held = new Map<number, Held<Holder>>()
  const gone = new WeakSet<Holder>()
  const takeOne = (holder: Holder, name: number): Promise<void> | null => {
    // It ended just as it got the previous lock: takes no more.
    if (gone.has(holder)) return new Promise(() => undefined)
    const now = held.get(name)
    if (now === undefined) {
      held.set(name, { holder, line: [] })
      return null
    }
    if (now.holder === holder) return null
    return new Promise(have => now.line.push({ holder, have }))
  }
  return {
    async take(holder, names) {
      for (const name of names.toSorted((one, other) => one - other)) await takeOne(holder, name)
    },
    release(holder) {
      gone.add(holder)
      for (const { line } of held.values()) {
        const index = line.findIndex(waiter => waiter.holder === holder)
        // Waits for one lock at a time.
        if (index !== -1) line.splice(index, 1)
      }
      for (const [name, now] of held) {
        if (now.holder !== holder) continue
        const next = now.line.shift()
        if (next === undefined) held.delete(name)
        else {
          now.holder = next.holder
          next.have()
        }
      }
    },
  }
}
