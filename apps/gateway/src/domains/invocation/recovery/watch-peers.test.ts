import { describe, expect, test } from 'vitest'
import { createPeerWatch } from './watch-peers.ts'

const LEASE_MS = 6_000
const LOOK_MS = 1_000

/** A watch of one peer, with a look every second of a clock that is set by hand. */
function watching() {
  let at = 50_000
  let losses = 0
  const clock = { elapsed: () => at }
  const watch = createPeerWatch({ clock, databaseLosses: () => losses }, LEASE_MS)
  return {
    watch,
    look(lease: string, { afterMs = LOOK_MS, server = 'primary' } = {}) {
      at += afterMs
      watch.see({ server, peers: [{ id: 'gw', lease }] })
    },
    lose() {
      losses += 1
    },
  }
}

/** Looks until a peer that does not renew is one look from being silent. */
function nearlySilent(lease: string) {
  const seen = watching()
  for (let looks = 0; looks < LEASE_MS / LOOK_MS; looks += 1) seen.look(lease)
  expect(seen.watch.silent()).toEqual([])
  return seen
}

describe('a gateway is reported silent', () => {
  test('after a full lease of polls without a renewal', () => {
    const { watch, look } = nearlySilent('a')
    look('a')
    expect(watch.silent()).toMatchObject([{ id: 'gw', lease: 'a' }])
  })

  test('not when it has renewed its lease in the meantime', () => {
    const { watch, look } = nearlySilent('a')
    look('b')
    look('b')
    expect(watch.silent()).toEqual([])
  })

  test('not until another full lease after the database was unreachable', () => {
    const { watch, look, lose } = nearlySilent('a')
    lose()
    for (let looks = 0; looks <= LEASE_MS / LOOK_MS; looks += 1) {
      expect(watch.silent()).toEqual([])
      look('a')
    }
    expect(watch.silent()).toHaveLength(1)
  })

  test('not once the database connection is lost', () => {
    const { watch, look, lose } = nearlySilent('a')
    look('a')
    lose()
    expect(watch.silent()).toEqual([])
  })

  test('not after a failed poll or a change of database server', () => {
    const interrupted = nearlySilent('a')
    interrupted.watch.interrupt()
    interrupted.look('a')
    expect(interrupted.watch.silent()).toEqual([])
    const moved = nearlySilent('a')
    moved.look('a', { server: 'promoted' })
    expect(moved.watch.silent()).toEqual([])
  })

  test('not because the watcher paused, however long', () => {
    const { watch, look } = watching()
    look('a')
    look('a', { afterMs: 100 * LEASE_MS })
    expect(watch.silent()).toEqual([])
  })
})
