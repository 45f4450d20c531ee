/** Limits concurrent probes: in total, per host, and per provider. */
export type ProbeSlots = {
  /** Runs the work when a slot is free, in order of arrival. */
  run<Result>(who: SlotUser, work: () => Promise<Result>): Promise<Result>
  /** Returns the number of free slots. */
  free(): number
}

/** Host that is probed, and provider of the service. */
export type SlotUser = { readonly host: string; readonly owner: string }

type Waiting = SlotUser & { readonly go: () => void }

/**
 * Returns slots that are all free.
 *
 * @param limits.atOnce   total number of slots
 * @param limits.perHost  slots per host; protects the servers of providers with hundreds of services. A provider takes at
 * most as many as it leaves free, so that its targets that hang delay none of others at the host
 * @param limits.perOwner slots per provider; a provider with slow targets delays no others
 */
export function createProbeSlots(limits: { atOnce: number; perHost: number; perOwner: number }): ProbeSlots {
  const taken = new Map<string, number>()
  let inUse = 0
  let waiting: Waiting[] = []

  const keysOf = ({ host, owner }: SlotUser) =>
    [
      [`host ${host}`, () => limits.perHost],
      [`owner ${owner}`, () => limits.perOwner],
      [`owner ${owner} host ${host}`, () => limits.perHost - (taken.get(`host ${host}`) ?? 0)],
    ] as const
  const hasRoom = (user: SlotUser): boolean =>
    inUse < limits.atOnce && keysOf(user).every(([key, max]) => (taken.get(key) ?? 0) < max())
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
