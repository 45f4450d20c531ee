import { EMAIL_SENDS_PER_DAY } from '@farebox/wire/profiles'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CODE_ATTEMPTS_MAX,
  EMPTY_PROFILE,
  isSameEmail,
  isVerified,
  judgeCode,
  mailboxOf,
  type ProfileRecord,
  secondsToNextDay,
  sendsLeft,
  statusOf,
  utcDay,
  withSend,
} from './rules.ts'

const DAY_MS = 86_400_000
const RIGHT = Buffer.alloc(32, 1)
const WRONG = Buffer.alloc(32, 2)
const EMAIL = 'ada@example.com'
const EXPIRES_AT = 1_700_000_600_000

function pending(): ProfileRecord {
  const staged = {
    email: EMAIL,
    codeId: 'evc_1',
    codeDigest: RIGHT,
    attempts: 0,
    expiresAt: new Date(EXPIRES_AT),
    sealedCode: null,
    queuedAt: new Date(0),
  }
  return { ...EMPTY_PROFILE, email: 'before@example.com', staged }
}

const attempt = fc.record({
  email: fc.constantFrom(EMAIL, 'ada@EXAMPLE.com', 'Ada@example.com', 'eve@example.com'),
  digest: fc.constantFrom(RIGHT, WRONG),
  now: fc.constantFrom(EXPIRES_AT - 600_000, EXPIRES_AT - 1, EXPIRES_AT, EXPIRES_AT + DAY_MS),
})

type Attempt = { email: string; digest: Buffer; now: number }
/** State of a code as visible from outside: number of wrong attempts, and whether the right one was given. */
type Model = { wrong: number; isBound: boolean }

function expectedKind({ wrong, isBound }: Model, one: Attempt): string {
  if (isBound || !isSameEmail(one.email, EMAIL)) return 'not_pending'
  if (wrong === CODE_ATTEMPTS_MAX) return 'locked'
  if (one.now >= EXPIRES_AT) return 'expired'
  return one.digest === RIGHT ? 'right' : 'wrong'
}

function expectedStatus({ wrong, isBound }: Model): string {
  if (isBound) return 'verified'
  return wrong === CODE_ATTEMPTS_MAX ? 'locked' : 'pending'
}

test('a code allows at most five wrong guesses, in any order of attempts', () => {
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 30 }), attempts => {
      const model: Model = { wrong: 0, isBound: false }
      let record = pending()
      for (const one of attempts) {
        const verdict = judgeCode(record, one)
        expect(verdict.kind).toBe(expectedKind(model, one))
        model.wrong += verdict.kind === 'wrong' ? 1 : 0
        model.isBound ||= verdict.kind === 'right'
        if (verdict.kind === 'wrong') {
          expect(verdict.attemptsRemaining).toBe(CODE_ATTEMPTS_MAX - model.wrong)
        }
        record = 'next' in verdict ? verdict.next : record
        expect(statusOf(record)).toBe(expectedStatus(model))
        expect(record.email).toBe(model.isBound ? EMAIL : 'before@example.com')
      }
    }),
  )
})

test('nothing is pending in an empty profile', () => {
  expect(judgeCode(EMPTY_PROFILE, { email: EMAIL, digest: RIGHT, now: 0 })).toEqual({ kind: 'not_pending' })
  expect(statusOf(EMPTY_PROFILE)).toBe('none')
  expect(statusOf({ ...EMPTY_PROFILE, email: EMAIL })).toBe('verified')
})

test('sends at most the mails of two days when clocks differ around midnight', () => {
  const clocks = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(clocks, hours => {
      const midnight = 20_000 * DAY_MS
      let record = EMPTY_PROFILE
      let sent = 0
      for (const hour of hours) {
        const today = utcDay(midnight + hour * 3_600_000)
        const left = sendsLeft(record, today)
        expect(left).toBeGreaterThanOrEqual(0)
        expect(left).toBeLessThanOrEqual(EMAIL_SENDS_PER_DAY)
        if (left === 0) continue
        record = withSend(record, today)
        sent += 1
        expect(sendsLeft(record, today)).toBe(left - 1)
        expect(record.sends).toBeLessThanOrEqual(EMAIL_SENDS_PER_DAY)
      }
      expect(sent).toBeLessThanOrEqual(2 * EMAIL_SENDS_PER_DAY)
    }),
  )
})

test('the seconds to the next day end in its first second', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), now => {
      const seconds = secondsToNextDay(now)
      expect(seconds).toBeGreaterThanOrEqual(1)
      expect(utcDay(now + seconds * 1_000)).toBe(utcDay(now) + 1)
      expect(utcDay(now + (seconds - 1) * 1_000)).toBe(utcDay(now))
    }),
  )
})

const local = fc.stringMatching(/^[a-zA-Z0-9]{1,8}([.+][a-zA-Z0-9]{1,8}){0,3}$/)
const host = fc.stringMatching(/^[a-zA-Z0-9]{1,8}(\.[a-zA-Z]{2,5}){1,2}$/)
const mixed = (text: string) =>
  [...text].map((one, at) => (at % 2 ? one.toUpperCase() : one.toLowerCase())).join('')

test('addresses are equal in any case, and only then', () => {
  fc.assert(
    fc.property(local, host, (name, domain) => {
      expect(isSameEmail(`${name}@${domain}`, `${mixed(name)}@${mixed(domain)}`)).toBe(true)
      expect(isVerified({ email: `${name}@${domain}` }, `${mixed(name)}@${mixed(domain)}`)).toBe(true)
      expect(isSameEmail(`${name}@${domain}`, `${name}x@${domain}`)).toBe(false)
      expect(isSameEmail(`${name}@${domain}`, `${name}@x${domain}`)).toBe(false)
    }),
  )
  expect(isVerified({ email: null }, EMAIL)).toBe(false)
})

test('all spellings of a mailbox are equal, and those of another differ', () => {
  const spellings = [
    'adalovelace@example.com',
    'Ada.Lovelace@Example.com',
    'a.d.a.lovelace+one+two@example.com',
  ]
  expect(new Set(spellings.map(mailboxOf)).size).toBe(1)
  expect(mailboxOf('+tag@example.com')).not.toBe(mailboxOf('+other@example.com'))
  fc.assert(
    fc.property(local, host, (name, domain) => {
      const mailbox = mailboxOf(`${name}@${domain}`)
      expect(mailboxOf(mailbox)).toBe(mailbox)
      expect(mailboxOf(`${mixed(name)}@${mixed(domain)}`)).toBe(mailbox)
      expect(mailboxOf(`${name}@x${domain}`)).not.toBe(mailbox)
    }),
  )
})
