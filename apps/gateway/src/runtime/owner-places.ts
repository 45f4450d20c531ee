/** Concurrency limits. */
export type PlaceBounds = {
  /** Maximum places of one owner. */
  readonly perOwner: number
  /** Maximum places of all owners of this process. */
  readonly all: number
}

/** Why an owner gets no place: its own limit, or that of the process. */
export type NoPlace = { readonly refusedBy: 'owner' | 'process' }

/**
 * Counts concurrent work by owner, within limits. An owner may take as many places as are free, up to its own limit, so
 * one owner fills at most half of them and the next owner finds a place.
 */
export type OwnerPlaces = {
  readonly bounds: PlaceBounds
  /** @returns a function to call once when the place is free again; or the reason for the refusal */
  take(owner: string): (() => void) | NoPlace
  /** Places taken by all owners. */
  size(): number
}

/** Creates the places; none is taken. */
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
