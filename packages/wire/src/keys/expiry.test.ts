import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { changedExpiry, expiryIn, newExpiry } from './expiry.ts'

const NOW = new Date('2026-11-22T12:00:00.000Z')
const HOUR_LATER = '2026-11-22T13:00:00.000Z'
const HOUR_LATER_UNIX = Date.parse(HOUR_LATER) / 1_000
const body = z.object(expiryIn)
const changed = (input: object) => changedExpiry(body.parse(input), NOW)

describe('an expiry', () => {
  test.each([
    [{ expiresInSec: 3_600 }],
    [{ expiresAt: HOUR_LATER }],
    [{ expiresAt: '2026-11-22T15:00:00+02:00' }],
    [{ expiresAt: HOUR_LATER_UNIX }],
    [{ expiration: HOUR_LATER }],
    [{ expiration: HOUR_LATER_UNIX, expiresAt: HOUR_LATER }],
    [{ expiresInSec: 3_630, expiresAt: HOUR_LATER }],
  ])('%j is an hour from now', input => {
    expect(changed(input)?.toISOString()).toBe(HOUR_LATER)
  })

  test.each([
    [{ expiresAt: HOUR_LATER, expiration: HOUR_LATER_UNIX + 1 }, 'expiration: Contradicts expiresAt.'],
    [{ expiresInSec: 60, expiresAt: HOUR_LATER }, 'expiresAt: Contradicts expiresInSec.'],
    [{ expiresInSec: null, expiresAt: HOUR_LATER }, 'expiresAt: Contradicts expiresInSec.'],
    [{ expiresAt: NOW.toISOString() }, 'expiresAt: Must be in the future.'],
    [{ expiration: '2036-11-22T12:00:00Z' }, 'expiration: Must be at most 315360000 seconds from now.'],
  ])('%j is refused: %s', (input, message) => {
    expect(() => changed(input)).toThrow(message)
  })

  test.each([
    [{ expiresAt: '2026-11-22' }],
    [{ expiresAt: '2026-11-22T13:00:00' }],
    [{ expiresAt: Date.parse(HOUR_LATER) }],
    [{ expiration: '3600' }],
    [{ expiration: -1 }],
    [{ expiresInSec: 0 }],
  ])('%j is invalid', input => {
    expect(body.safeParse(input).success).toBe(false)
  })

  test('is removed by null, kept when absent, and unset by null at creation', () => {
    expect(changed({ expiresAt: null })).toBeNull()
    expect(changed({})).toBeUndefined()
    expect(newExpiry({ expiresInSec: null, expiresAt: new Date(HOUR_LATER) }, NOW)).toEqual(
      new Date(HOUR_LATER),
    )
    expect(newExpiry({}, NOW)).toBeNull()
  })
})
