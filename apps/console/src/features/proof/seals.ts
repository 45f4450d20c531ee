import type { AnswerOf } from '@farebox/client'
import { api } from '../../api.ts'
import { safeLocalStorage } from '../../ui/state/safe-storage.ts'
import { sealHash } from './merkle.ts'

export type Seal = AnswerOf<'listSeals'>['seals'][number]
/** A seal. `isSound`: its hash matches its content, and it continues the previous seal. */
export type CheckedSeal = Seal & { readonly isSound: boolean }

/** Seals per page. */
export const SEALS_PAGE = 20

/** Reads a page of seals, newest first, and verifies their hashes. */
export async function readSeals(query: { cursor?: string; limit?: number }, signal: AbortSignal) {
  const { seals, nextCursor } = await api.listSeals({ query: { limit: SEALS_PAGE, ...query }, signal })
  const checked = await Promise.all(
    seals.map(async (seal, index): Promise<CheckedSeal> => {
      const before = seals[index + 1]
      const isNext = before === undefined || before.hash === seal.previousHash
      return { ...seal, isSound: isNext && (await sealHash(seal)) === seal.hash }
    }),
  )
  return { seals: checked, nextCursor }
}

/** Returns the text to keep for a later comparison. */
export const anchorOf = ({ number, hash }: Seal): string => `${number}:${hash}`

const KEY = 'farebox.seal-anchor'
/** Most pages to read in search of the anchor. */
const PAGES_MAX = 25

/** The result of looking up this browser's anchor. */
export type AnchorState =
  | { readonly state: 'first' }
  | {
      readonly state: 'same' | 'changed' | 'missing' | 'far'
      readonly number: number
      readonly seenAt: string
    }

/**
 * Compares the seal that this browser stored with the gateway's current one, and stores the newest seal if there is
 * none. A rewritten history cannot have the same seal.
 */
export async function compareAnchor(signal: AbortSignal): Promise<AnchorState> {
  const anchor = readAnchor()
  let query = {}
  for (let page = 0; page < PAGES_MAX; page++) {
    const { seals, nextCursor } = await readSeals(query, signal)
    const [newest] = seals
    if (anchor === null) {
      if (newest !== undefined) storeAnchor(newest)
      return { state: 'first' }
    }
    const found = seals.find(({ number }) => number === anchor.number)
    const about = { number: anchor.number, seenAt: anchor.seenAt }
    if (found !== undefined) return { state: found.hash === anchor.hash ? 'same' : 'changed', ...about }
    if (nextCursor === null) return { state: 'missing', ...about }
    query = { cursor: nextCursor }
  }
  return { state: 'far', number: anchor?.number ?? 0, seenAt: anchor?.seenAt ?? '' }
}

type SealAnchor = { readonly number: number; readonly hash: string; readonly seenAt: string }

function readAnchor(): SealAnchor | null {
  try {
    const anchor = JSON.parse(safeLocalStorage.getItem(KEY) ?? 'null') as SealAnchor | null
    return anchor !== null && typeof anchor.number === 'number' && typeof anchor.hash === 'string'
      ? anchor
      : null
  } catch {
    return null
  }
}

function storeAnchor({ number, hash }: Seal): void {
  safeLocalStorage.setItem(KEY, JSON.stringify({ number, hash, seenAt: new Date().toISOString() }))
}
