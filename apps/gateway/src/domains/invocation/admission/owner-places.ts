/** Bounds of what runs at once. */
export type PlaceBounds = {
  /** Most places of one owner. */
  readonly perOwner: number
  /** Most places of all owners of this process. */
  readonly all: number
}

/** Why an owner gets no place: it has as many as it may, or the process has no more for it now. */
export type NoPlace = { readonly refusedBy: 'owner' | 'process' }

/**
 * Counts what runs at once by owner, within bounds. Each owner may have as many places as there are free ones, up to a
 * bound of its own, so that one owner fills half of them at most and the next one always finds a place.
 */
export type OwnerPlaces = {
  readonly bounds: PlaceBounds
  /** @returns to be called once, when what took the place is over; or why there is none */
  take(owner: string): (() => void) | NoPlace
  /** Places taken by all owners. */
  size(): number
}

/** Makes places; none is taken at first. */
export function createOwnerPlaces(bounds: PlaceBounds): OwnerPlaces {
  const byOwner = new Map<string, number>()
  let size = 0
  return {
    bounds,
    take(owner) {
      const own = byOwner.get(owner) ?? 0
      if (own >= bounds.perOwner) return { refusedBy: 'owner' }
      if (own >= bounds.all - size) return { refusedBy: 'process' }
      byOwner.set(owner, own + 1)
      size += 1
      return () => {
        const rest = (byOwner.get(owner) ?? 1) - 1
        if (rest === 0) byOwner.delete(owner)
        else byOwner.set(owner, rest)
        size -= 1
      }
    },
    size: () => size,
  }
}
