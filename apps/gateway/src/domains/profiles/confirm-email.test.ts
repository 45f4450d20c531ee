import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ProfileFixture,
  type ProfileOwner,
  startProfileFixture,
  wrongCodes,
} from '../../../test/kit/world/profile-fixture.ts'

const TEN_MINUTES_MS = 600_000

let fixture: ProfileFixture

beforeAll(async () => {
  fixture = await startProfileFixture()
})
afterAll(() => fixture?.stop())

let people = 0
/** Returns a wallet with a pending email. */
async function pendingOwner(): Promise<ProfileOwner & { email: string; code: string }> {
  people += 1
  const email = `person${people}@example.com`
  const owner = await fixture.owner()
  await owner.update({ email })
  return { ...owner, email, code: await fixture.codeFor(email) }
}

async function lock(owner: { email: string; code: string; verify: ProfileOwner['verify'] }): Promise<void> {
  for (const code of wrongCodes(owner.code, 5)) await owner.verify(owner.email, code)
}

test('each wrong code reports the attempts left, and the fifth locks out the right one too', async () => {
  const owner = await pendingOwner()
  const answers = []
  for (const code of wrongCodes(owner.code, 5)) answers.push(await owner.verify(owner.email, code))
  expect(answers.map(({ status, body }) => [status, body.code, body.detail.attemptsRemaining])).toEqual([
    [400, 'EMAIL_VERIFICATION_INVALID_CODE', 4],
    [400, 'EMAIL_VERIFICATION_INVALID_CODE', 3],
    [400, 'EMAIL_VERIFICATION_INVALID_CODE', 2],
    [400, 'EMAIL_VERIFICATION_INVALID_CODE', 1],
    [423, 'EMAIL_VERIFICATION_LOCKED', 0],
  ])
  expect(await owner.me()).toMatchObject({ emailVerificationStatus: 'locked', pendingEmail: owner.email })
  for (const code of [owner.code, ...wrongCodes(owner.code, 2)]) {
    const late = await owner.verify(owner.email, code)
    expect([late.status, late.body.code]).toEqual([423, 'EMAIL_VERIFICATION_LOCKED'])
  }
  expect((await owner.me()).emailVerified).toBe(false)
})

test('five concurrent wrong codes count as five', async () => {
  const owner = await pendingOwner()
  const answers = await Promise.all(wrongCodes(owner.code, 5).map(code => owner.verify(owner.email, code)))
  expect(answers.map(answer => answer.body.detail.attemptsRemaining).sort()).toEqual([0, 1, 2, 3, 4])
  expect((await owner.verify(owner.email, owner.code)).body.code).toBe('EMAIL_VERIFICATION_LOCKED')
})

test('judges at most five of many concurrent guesses', async () => {
  const owner = await pendingOwner()
  const answers = await Promise.all(wrongCodes(owner.code, 40).map(code => owner.verify(owner.email, code)))
  expect(answers.filter(answer => answer.status === 400)).toHaveLength(4)
  expect(answers.filter(answer => answer.status === 423)).toHaveLength(36)
})

test('the right code among concurrent wrong ones either binds or is locked out', async () => {
  const owner = await pendingOwner()
  const codes = [...wrongCodes(owner.code, 6), owner.code]
  const answers = await Promise.all(codes.map(code => owner.verify(owner.email, code)))
  const isBound = answers.some(answer => answer.status === 200)
  const { emailVerified, emailVerificationStatus } = await owner.me()
  expect([emailVerified, emailVerificationStatus]).toEqual(isBound ? [true, 'verified'] : [false, 'locked'])
})

test('a resend unlocks with a new code', async () => {
  const owner = await pendingOwner()
  await lock(owner)
  const resent = await owner.resend(owner.email.replace('example', 'EXAMPLE'))
  expect(resent.status).toBe(200)
  expect(resent.body).toMatchObject({
    pendingEmail: owner.email,
    emailVerificationStatus: 'pending',
    emailVerificationSendsRemaining: 3,
  })
  expect(resent.body.profile.emailVerificationStatus).toBe('pending')
  const bound = await owner.verify(owner.email, await fixture.codeFor(owner.email, 2))
  expect(bound.status).toBe(200)
})

test('another email unlocks as well', async () => {
  const owner = await pendingOwner()
  await lock(owner)
  const email = `other-${owner.email}`
  expect((await owner.update({ email })).body.emailVerificationStatus).toBe('pending')
  expect((await owner.verify(email, await fixture.codeFor(email))).status).toBe(200)
})

test('the sends of a day allow 25 guesses, by resend or update', async () => {
  const owner = await pendingOwner()
  let judged = 0
  for (let sends = 1; sends <= 8; sends += 1) {
    const code = await fixture.codeFor(owner.email, Math.min(sends, 5))
    const answers = await Promise.all(wrongCodes(code, 8).map(one => owner.verify(owner.email, one)))
    judged += answers.filter(answer => answer.status === 400).length
    const isLocking = answers.filter(answer => answer.status === 423).length > 3
    expect(isLocking).toBe(true)
    const more =
      sends % 2 === 0 ? await owner.resend(owner.email) : await owner.update({ email: owner.email })
    expect(more.status).toBe(sends < 5 ? 200 : 429)
  }
  // Of each five, four are reported as wrong and the fifth as locked.
  expect(judged).toBe(20)
})

test('a code for another email is NOT_PENDING and counts nothing', async () => {
  const owner = await pendingOwner()
  for (const email of ['eve@example.com', `x${owner.email}`]) {
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const refused = await owner.verify(email, owner.code)
      expect([refused.status, refused.body.code]).toEqual([400, 'EMAIL_VERIFICATION_NOT_PENDING'])
    }
    expect((await owner.resend(email)).body.code).toBe('EMAIL_VERIFICATION_NOT_PENDING')
  }
  expect((await owner.me()).emailVerificationSendsRemaining).toBe(4)
  expect((await owner.verify(owner.email, owner.code)).status).toBe(200)
})

test('confirms and resends an email in any case, and binds it as given', async () => {
  const owner = await pendingOwner()
  expect((await owner.resend(owner.email.toUpperCase())).body.pendingEmail).toBe(owner.email)
  const code = await fixture.codeFor(owner.email, 2)
  const confirmed = await owner.verify(owner.email.toUpperCase(), code)
  expect([confirmed.status, confirmed.body.profile.email]).toEqual([200, owner.email])
})

test('a code works once, for its own wallet', async () => {
  const owner = await pendingOwner()
  const thief = await fixture.owner()
  expect((await thief.verify(owner.email, owner.code)).body.code).toBe('EMAIL_VERIFICATION_NOT_PENDING')
  const both = await Promise.all([1, 2].map(() => owner.verify(owner.email, owner.code)))
  expect(both.map(answer => answer.body.code ?? 'bound').sort()).toEqual([
    'EMAIL_VERIFICATION_NOT_PENDING',
    'bound',
  ])
  expect((await owner.verify(owner.email, owner.code)).body.code).toBe('EMAIL_VERIFICATION_NOT_PENDING')
  expect((await owner.resend(owner.email)).body.code).toBe('EMAIL_VERIFICATION_NOT_PENDING')
})

test('a malformed code or email is INVALID_PAYLOAD and counts nothing', async () => {
  const owner = await pendingOwner()
  const { email, code } = owner
  const bodies = [
    ...[
      '',
      '12345',
      '1234567',
      `${code}\n`,
      ` ${code}`,
      'abcdef',
      '１２３４５６',
      Number(code),
      null,
      [code],
    ].map(bad => ({ email, code: bad })),
    ...['', 'nobody', `${email}\r\n`, null, [email], { email }].map(bad => ({ email: bad, code })),
    { code },
    { email },
    {},
    null,
    [],
    'text',
  ]
  for (const body of bodies) {
    const refused = await owner.call<object>('/email/verify-code', { method: 'POST', body })
    expect([body, refused.status, refused.body.code]).toEqual([body, 400, 'INVALID_PAYLOAD'])
  }
  for (const body of [{ email: 'nobody' }, {}, { email: null }, null]) {
    const refused = await owner.call<object>('/email/resend-code', { method: 'POST', body })
    expect([body, refused.status, refused.body.code]).toEqual([body, 400, 'INVALID_PAYLOAD'])
  }
  expect((await owner.verify(email, code)).status).toBe(200)
})

// Advances the gateway's clock, so these come last.

test('a code is valid for ten minutes, then EXPIRED, right or wrong', async () => {
  const [early, late] = [await pendingOwner(), await pendingOwner()]
  fixture.gateway.advance(TEN_MINUTES_MS - 10_000)
  expect((await early.verify(early.email, early.code)).status).toBe(200)
  fixture.gateway.advance(10_000)
  for (const code of [late.code, ...wrongCodes(late.code, 6)]) {
    const refused = await late.verify(late.email, code)
    expect([refused.status, refused.body.code]).toEqual([410, 'EMAIL_VERIFICATION_EXPIRED'])
  }
  expect(await late.me()).toMatchObject({ pendingEmail: late.email, emailVerificationStatus: 'pending' })
  await late.resend(late.email)
  expect((await late.verify(late.email, await fixture.codeFor(late.email, 2))).status).toBe(200)
})

test('a lock takes precedence over expiry', async () => {
  const owner = await pendingOwner()
  await lock(owner)
  fixture.gateway.advance(TEN_MINUTES_MS)
  expect((await owner.verify(owner.email, owner.code)).body.code).toBe('EMAIL_VERIFICATION_LOCKED')
})
