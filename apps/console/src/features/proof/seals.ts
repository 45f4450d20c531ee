import type { AnswerOf } from '@farebox/client'
import { api } from '../../api.ts'
import { sealHash } from './merkle.ts'

export type Seal = AnswerOf<'listSeals'>['seals'][number]
/** A seal as it is listed, and whether its hash is that of what it says and goes on from the one before. */
export type CheckedSeal = Seal & { readonly isSound: boolean }

/** Seals of a page. */
export const SEALS_PAGE = 20

/** A page of the seals, newest first, each hashed anew here. */
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

/** What whoever wants to know later keeps of a seal. */
export const anchorOf = ({ number, hash }: Seal): string => `${number}:${hash}`

const KEY = 'farebox.seal-anchor'
/** So many pages are read at most to find the seal that was seen last. */
const PAGES_MAX = 25

/** What became of the seal that this browser saw first. */
export type AnchorState =
  | { readonly state: 'first' }
  | {
      readonly state: 'same' | 'changed' | 'missing' | 'far'
      readonly number: number
      readonly seenAt: string
    }

/**
 * Compares the seal that this browser has anchor with what the gateway says of it now, and keeps the newest one when
 * there is none. A history that is written anew cannot have the same seal.
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
    const anchor = JSON.parse(localStorage.getItem(KEY) ?? 'null') as SealAnchor | null
    return anchor !== null && typeof anchor.number === 'number' && typeof anchor.hash === 'string'
      ? anchor
      : null
  } catch {
    return null
  }
}

function storeAnchor({ number, hash }: Seal): void {
  localStorage.setItem(KEY, JSON.stringify({ number, hash, seenAt: new Date().toISOString() }))
}
