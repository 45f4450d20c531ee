import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ProfileFixture, startProfileFixture } from '../../../test/kit/world/profile-fixture.ts'
import { askChallenge, newWallet } from '../../../test/kit/world/wallets.ts'

const DAY_MS = 86_400_000
const FIVE_MINUTES_MS = 300_000

let fixture: ProfileFixture
const boss = newWallet()

beforeAll(async () => {
  fixture = await startProfileFixture({ env: { ADMIN_WALLETS: boss.address } })
})
afterAll(() => fixture?.stop())

/** Returns an address that is unique in this file. */
let people = 0
const newEmail = () => {
  people += 1
  return `person${people}@example.com`
}

async function verifiedOwner(email = newEmail()) {
  const owner = await fixture.owner()
  await owner.update({ email })
  const bound = await owner.verify(email, await fixture.codeFor(email))
  expect(bound.status).toBe(200)
  return { ...owner, email }
}

test('an update changes the members it names and leaves the rest', async () => {
  const owner = await fixture.owner()
  const named = await owner.update({ username: 'Ada Lovelace' })
  expect(named.status).toBe(200)
  expect(named.body).toMatchObject({ username: 'Ada Lovelace', email: null, notifications: true })
  const quiet = await owner.update({ notifications: false })
  expect(quiet.body).toMatchObject({ username: 'Ada Lovelace', notifications: false })
  expect(await owner.me()).toMatchObject({
    username: 'Ada Lovelace',
    notifications: false,
    emailVerificationStatus: 'none',
    emailVerificationSendsRemaining: 5,
  })
  expect((await owner.update({})).body).toEqual(await owner.me())
})

test('a new email is pending until its code is confirmed, then bound', async () => {
  const email = newEmail()
  const owner = await fixture.owner()
  const updated = await owner.update({ username: 'Ada', email, notifications: true })
  const pending = {
    wallet_address: owner.account.address,
    username: 'Ada',
    email: null,
    emailVerified: false,
    pendingEmail: email,
    emailVerificationStatus: 'pending',
    emailVerificationSendsRemaining: 4,
  }
  expect(updated.body).toMatchObject(pending)
  expect(updated.body.profile).toMatchObject(pending)
  expect(await owner.me()).toEqual(updated.body)

  const bound = await owner.verify(email, await fixture.codeFor(email))
  expect(bound.status).toBe(200)
  expect(bound.body.profile).toMatchObject({
    walletAddress: owner.account.address,
    email,
    emailVerified: true,
    pendingEmail: null,
    emailVerificationStatus: 'verified',
  })
  expect(await owner.me()).toMatchObject({ email, emailVerified: true, pendingEmail: null })
})

test('the verified email stays while another one is pending', async () => {
  const owner = await verifiedOwner()
  const next = newEmail()
  const updated = await owner.update({ email: next })
  expect(updated.body).toMatchObject({
    email: owner.email,
    emailVerified: true,
    pendingEmail: next,
    emailVerificationStatus: 'pending',
  })
  expect((await owner.verify(next, await fixture.codeFor(next))).body.profile.email).toBe(next)
})

test('setting the verified email, in any case, cancels a pending change without a mail', async () => {
  const owner = await verifiedOwner()
  const next = newEmail()
  await owner.update({ email: next })
  const code = await fixture.codeFor(next)
  const cancelled = await owner.update({ email: owner.email.toUpperCase() })
  expect(cancelled.body).toMatchObject({
    email: owner.email,
    pendingEmail: null,
    emailVerificationStatus: 'verified',
    emailVerificationSendsRemaining: 3,
  })
  expect((await owner.verify(next, code)).body.code).toBe('EMAIL_VERIFICATION_NOT_PENDING')
})

test('null removes the verified and the pending email', async () => {
  const owner = await verifiedOwner()
  await owner.update({ email: newEmail() })
  const removed = await owner.update({ email: null })
  expect(removed.body).toMatchObject({
    email: null,
    emailVerified: false,
    pendingEmail: null,
    emailVerificationStatus: 'none',
  })
  expect(await owner.me()).toEqual(removed.body)
})

test('setting the pending email again is a resend that voids the old code', async () => {
  const email = newEmail()
  const owner = await fixture.owner()
  await owner.update({ email })
  const old = await fixture.codeFor(email)
  const again = await owner.update({ email })
  expect(again.body).toMatchObject({ pendingEmail: email, emailVerificationSendsRemaining: 3 })
  const fresh = await fixture.codeFor(email, 2)
  if (fresh !== old) {
    const refused = await owner.verify(email, old)
    expect(refused.body.code).toBe('EMAIL_VERIFICATION_INVALID_CODE')
  }
  expect((await owner.verify(email, fresh)).status).toBe(200)
})

test('two wallets may bind the same email without learning of each other', async () => {
  const email = newEmail()
  const first = await verifiedOwner(email)
  const second = await fixture.owner()
  const pending = await second.update({ email })
  expect(pending.body).toMatchObject({ pendingEmail: email, emailVerificationSendsRemaining: 4 })
  const bound = await second.verify(email, await fixture.codeFor(email, 2))
  expect(bound.body.profile).toMatchObject({ email, emailVerified: true })
  expect(await first.me()).toMatchObject({ email, emailVerified: true })
})

test.each([
  ["o'neill+farebox@mail.co.uk"],
  ['a@b.co'],
  ['{strange}!#$%@xn--bcher-kva.example'],
  [`${'x'.repeat(64)}@${'y'.repeat(63)}.${'z'.repeat(63)}.${'w'.repeat(54)}.com`],
])('the address %s is kept as given', async email => {
  const owner = await fixture.owner()
  expect((await owner.update({ email })).body.pendingEmail).toBe(email)
  const bound = await owner.verify(email, await fixture.codeFor(email))
  expect(bound.body.profile.email).toBe(email)
})

test('a malformed email, username or preference is INVALID_PAYLOAD, and nothing applies', async () => {
  const owner = await fixture.owner()
  const proof = await owner.signedChallenge()
  const before = await owner.me()
  const emails = [
    '',
    ' ',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@example',
    'ada@@example.com',
    'ada@example.com ',
    ' ada@example.com',
    'ada@example.com\n',
    'ada@127.0.0.1',
    'a..b@example.com',
    '.a@example.com',
    'a.@example.com',
    'ada@-a.com',
    'ada@a-.com',
    'ada@a..com',
    '"ada"@example.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada@example.com,eve@example.com',
    'Ada <ada@example.com>',
    'ada@example.com>',
    'ada\0@example.com',
    'ädä@example.com',
    'ada@ex\u200dample.com',
    'ada@example.c',
    `${'x'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(125)}com`,
    7,
    true,
    {},
  ]
  const usernames = [
    '',
    ' ',
    '\t',
    'a\nb',
    'a\0b',
    'a\u001b[31m',
    'a\u202eb',
    'a\u2066b',
    '\u200b',
    'a\u200bb',
    '\ufeffa',
    '\u2028',
    '\ud800',
    '\u3164',
    '\u2800',
    'x'.repeat(65),
    `a${'\u0301'.repeat(9)}`,
    null,
    7,
    ['a'],
  ]
  const changes = [
    ...emails.map(email => ({ email, username: 'Mallory' })),
    ...usernames.map(username => ({ username, email: newEmail() })),
    ...['true', 1, null].map(notifications => ({ notifications, username: 'Mallory' })),
  ]
  for (const change of changes) {
    const answer = await owner.put({ ...proof, ...change })
    expect([change, answer.status, answer.body.code]).toEqual([change, 400, 'INVALID_PAYLOAD'])
  }
  for (const body of [{}, { username: 'x' }, { message: proof.message }, { signature: '0x' }, null, []]) {
    expect((await owner.put(body)).body.code).toBe('INVALID_PAYLOAD')
  }
  expect(await owner.me()).toEqual(before)
  expect((await owner.put({ ...proof, username: 'Ada' })).status).toBe(200)
})

test('a name that reads as the address of another wallet rejects the whole update', async () => {
  const owner = await fixture.owner()
  const other = newWallet().address
  const own = owner.account.address
  const proof = await owner.signedChallenge()
  for (const username of [other, `${other.slice(0, 6)}…${other.slice(-4)}`, `(${other.toLowerCase()})`]) {
    const refused = await owner.put({ ...proof, username, email: newEmail(), notifications: false })
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(refused.body.detail.issues).toMatchObject([{ path: 'username' }])
  }
  expect(await owner.me()).toMatchObject({ pendingEmail: null, notifications: true })
  const short = `${own.slice(0, 6)}…${own.slice(-4)}`
  expect((await owner.put({ ...proof, username: short })).body.username).toBe(short)
})

test('a name that poses as staff rejects the whole update, except for the operator and its holder', async () => {
  const owner = await fixture.owner()
  const proof = await owner.signedChallenge()
  for (const username of ['Farebox Support', 'adm1n', 'S\u00fcpport', 'The Team']) {
    const refused = await owner.put({ ...proof, username, notifications: false })
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_PAYLOAD'])
    expect(refused.body).toMatchObject({
      message: expect.stringContaining('Must not look like staff'),
      detail: { issues: [{ path: 'username' }] },
    })
  }
  expect(await owner.me()).toMatchObject({ notifications: true })

  const staff = await fixture.owner(boss)
  expect((await staff.update({ username: 'Farebox Support' })).body.username).toBe('Farebox Support')

  const early = owner.account.address.toLowerCase()
  await fixture.gateway.deps.db.query(sql`update wallets set username = 'Official' where address = ${early}`)
  const kept = await owner.update({ username: 'Official', notifications: false })
  expect(kept.body).toMatchObject({ username: 'Official', notifications: false })
  expect((await owner.update({ username: 'Official Ada' })).status).toBe(400)
})

test('the sixth mail of a day rejects the whole update, and keeps the challenge usable', async () => {
  const owner = await fixture.owner()
  for (const left of [4, 3, 2, 1, 0]) {
    const updated = await owner.update({ email: newEmail() })
    expect(updated.body.emailVerificationSendsRemaining).toBe(left)
  }
  const before = await owner.me()
  const proof = await owner.signedChallenge()
  const refused = await owner.put({ ...proof, username: 'Late', notifications: false, email: newEmail() })
  expect([refused.status, refused.body.code]).toEqual([429, 'EMAIL_VERIFICATION_DAILY_LIMIT_REACHED'])
  const seconds = Number(refused.headers['retry-after'])
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(DAY_MS / 1_000)
  expect(await owner.me()).toEqual(before)
  const resent = await owner.resend(before.pendingEmail ?? '')
  expect([resent.status, resent.body.code]).toEqual([429, 'EMAIL_VERIFICATION_DAILY_LIMIT_REACHED'])

  const renamed = await owner.put({ ...proof, username: 'In time', email: null })
  expect(renamed.body).toMatchObject({ username: 'In time', emailVerificationSendsRemaining: 0 })
})

test('concurrent updates send no more mails than are left', async () => {
  const owner = await fixture.owner()
  const proofs = await Promise.all(Array.from({ length: 8 }, () => owner.signedChallenge()))
  const answers = await Promise.all(proofs.map(proof => owner.put({ ...proof, email: newEmail() })))
  expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
  expect((await owner.me()).emailVerificationSendsRemaining).toBe(0)
})

test('a challenge serves one update, in parallel too', async () => {
  const owner = await fixture.owner()
  const proof = await owner.signedChallenge()
  const answers = await Promise.all(
    [1, 2, 3, 4].map(index => owner.put({ ...proof, username: `Ada ${index}` })),
  )
  expect(answers.map(answer => answer.status).sort()).toEqual([200, 401, 401, 401])
  const won = answers.find(answer => answer.status === 200)
  expect((await owner.me()).username).toBe(won?.body.username)
  const late = await owner.put({ ...proof, username: 'Eve' })
  expect(late.body.code).toBe('CHALLENGE_EXPIRED')
})

test('an update needs a profile challenge of the same wallet, signed by it', async () => {
  const owner = await fixture.owner()
  const thief = await fixture.owner()
  const proof = await owner.signedChallenge()
  const login = await askChallenge(fixture.gateway.url, owner.account.address)
  const theirs = await thief.signedChallenge()
  const signedByThief = await thief.account.signMessage({ message: proof.message })
  const refused = [
    await owner.put({ message: login, signature: await owner.account.signMessage({ message: login }) }),
    await owner.put({ ...theirs }),
    await owner.put({ ...proof, signature: signedByThief }),
    await owner.put({ ...proof, signature: 'no signature' }),
    await thief.put({ ...proof, username: 'Mine' }),
  ]
  for (const { status, body } of refused) expect([status, body.code]).toEqual([401, 'VERIFICATION_FAILED'])
  const altered = await owner.put({ ...proof, message: `${proof.message} ` })
  expect([altered.status, altered.body.code]).toEqual([401, 'CHALLENGE_EXPIRED'])
  expect((await owner.put({ ...proof, username: 'Mine' })).status).toBe(200)
})

// Advances the gateway's clock, so these come last.

test('an expired challenge updates nothing', async () => {
  const owner = await fixture.owner()
  const proof = await owner.signedChallenge()
  fixture.gateway.advance(FIVE_MINUTES_MS)
  const late = await owner.put({ ...proof, username: 'Late' })
  expect([late.status, late.body.code]).toEqual([401, 'CHALLENGE_EXPIRED'])
})

test('the mails are five again on the next UTC day', async () => {
  const email = newEmail()
  const owner = await fixture.owner()
  await owner.update({ email })
  // A code that is voided before its mail is sent is not mailed.
  await fixture.codeFor(email)
  await owner.resend(email)
  await fixture.codeFor(email, 2)
  fixture.gateway.advance(DAY_MS)
  expect((await owner.me()).emailVerificationSendsRemaining).toBe(5)
  expect((await owner.resend(email)).body.emailVerificationSendsRemaining).toBe(4)
  expect((await owner.verify(email, await fixture.codeFor(email, 3))).status).toBe(200)
})
