/** Gives out places to probe: so many at once, and of these so many to one host, and to one provider. */
export type ProbeSlots = {
  /** Does the work when there is a place for it; whoever waits longest comes first. */
  run<Result>(who: SlotUser, work: () => Promise<Result>): Promise<Result>
  /** Places that nobody has. */
  free(): number
}

/** For whom a place is: the host that is asked, and the provider whose it is. */
export type SlotUser = { readonly host: string; readonly owner: string }

type Waiting = SlotUser & { readonly go: () => void }

/**
 * Slots that are all free.
 *
 * @param limits.atOnce   places in all
 * @param limits.perHost  places that one host has: a provider with hundreds of services is not stormed
 * @param limits.perOwner places that the targets of one provider have: who has us wait makes nobody else wait
 */
export function createProbeSlots(limits: { atOnce: number; perHost: number; perOwner: number }): ProbeSlots {
  const taken = new Map<string, number>()
  let inUse = 0
  let waiting: Waiting[] = []

  const keysOf = ({ host, owner }: SlotUser) =>
    [
      [`host ${host}`, limits.perHost],
      [`owner ${owner}`, limits.perOwner],
    ] as const
  const hasRoom = (user: SlotUser): boolean =>
    inUse < limits.atOnce && keysOf(user).every(([key, max]) => (taken.get(key) ?? 0) < max)
  const take = (user: SlotUser): void => {
    inUse += 1
    for (const [key] of keysOf(user)) taken.set(key, (taken.get(key) ?? 0) + 1)
  }
  const give = (user: SlotUser): void => {
    inUse -= 1
    for (const [key] of keysOf(user)) {
      const left = (taken.get(key) ?? 0) - 1
      if (left > 0) taken.set(key, left)
      else taken.delete(key)
    }
    admitWaiting()
  }
  const admitWaiting = (): void => {
    if (waiting.length === 0 || inUse >= limits.atOnce) return
    const still: Waiting[] = []
    for (const user of waiting) {
      if (!hasRoom(user)) {
        still.push(user)
        continue
      }
      take(user)
      user.go()
    }
    waiting = still
  }

  return {
    async run(who, work) {
      if (hasRoom(who)) take(who)
      else await new Promise<void>(go => waiting.push({ ...who, go }))
      try {
        return await work()
      } finally {
        give(who)
      }
    },
    free: () => Math.max(0, limits.atOnce - inUse),
  }
}
