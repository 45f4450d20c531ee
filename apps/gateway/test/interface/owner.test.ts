import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MailSink, startMailSink } from '../../src/dev/mail-sink.ts'
import { startTestGateway, type TestGateway } from '../kit/gateway/test-gateway.ts'
import { type Sent, send } from '../kit/network/http.ts'
import { until } from '../kit/until.ts'
import { newWallet } from '../kit/world/wallets.ts'

// An owner whose client knows the names that the interface has for things, and no others.

const DAY_SECONDS = 86_400
const EMAIL = 'ada@example.com'

let gateway: TestGateway
let mail: MailSink
beforeAll(async () => {
  mail = await startMailSink()
  gateway = await startTestGateway({ env: { SMTP_URL: mail.url, MAIL_FROM: 'no-reply@farebox.example' } })
})
afterAll(async () => {
  await gateway.stop()
  await mail.stop()
})

const owner = newWallet()
let token = ''
const ask = <Body = Record<string, unknown>>(path: string, sent: Sent = {}) =>
  send<Body>(gateway.url, `/api/v1${path}`, sent)
const asOwner = <Body = Record<string, unknown>>(path: string, sent: Sent = {}) =>
  ask<Body>(path, { token, ...sent })

async function loginChallenge(): Promise<string> {
  const { body } = await ask<{ challenge: string }>(`/auth/challenge?address=${owner.address}`)
  return body.challenge
}

async function profileChallenge(): Promise<string> {
  const answer = await asOwner<{ challenge: string }>('/auth/me/profile/challenge', { method: 'POST' })
  expect([answer.status, answer.body]).toEqual([200, { ...answer.body, challenge: expect.any(String) }])
  return answer.body.challenge
}

const signed = async (message: string) => ({ message, signature: await owner.signMessage({ message }) })

describe('an owner', () => {
  test('signs a text with a nonce and a timestamp, and receives a JWT for 24 hours', async () => {
    const challenge = await loginChallenge()
    expect(challenge).toMatch(/^Nonce: \w{8,}$/m)
    expect(challenge).toMatch(/^Issued At: \d{4}-\d\d-\d\dT[\d:.]+Z$/m)
    expect(await loginChallenge()).not.toBe(challenge)

    const body = { address: owner.address, ...(await signed(challenge)) }
    const verified = await ask<{ token: string }>('/auth/verify', { method: 'POST', body })
    expect([verified.status, verified.body]).toMatchObject([200, { token: expect.any(String) }])
    token = verified.body.token
    const [, payload = ''] = token.split('.')
    const { iat, exp, sub } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    expect([exp - iat, sub]).toEqual([DAY_SECONDS, owner.address])
  })

  test('reads its wallet_address, username and email by its JWT, and nothing without it', async () => {
    const me = await asOwner('/auth/me')
    expect([me.status, me.body]).toMatchObject([
      200,
      { wallet_address: owner.address, username: expect.any(String), email: null },
    ])
    for (const without of [await ask('/auth/me'), await ask('/auth/me', { token: `${token}x` })]) {
      expect([without.status, without.body]).toMatchObject([
        401,
        { code: 'UNAUTHORIZED', message: expect.any(String) },
      ])
    }
  })

  test('needs one kind of challenge to sign in and another to change its profile', async () => {
    const update = (proof: object) =>
      asOwner('/auth/me/profile', { method: 'PUT', body: { ...proof, username: 'Ada' } })
    const login = await signed(await loginChallenge())
    const refused = await update(login)
    expect([refused.status, refused.body.code]).toEqual([401, 'VERIFICATION_FAILED'])
    const profile = await signed(await profileChallenge())
    const body = { address: owner.address, ...profile }
    const verified = await ask('/auth/verify', { method: 'POST', body })
    expect([verified.status, verified.body.code]).toEqual([401, 'VERIFICATION_FAILED'])
    // Each is still good for what it was made for, and once.
    const updated = await update(profile)
    expect([updated.status, updated.body.username]).toEqual([200, 'Ada'])
    const again = await update(profile)
    expect([again.status, again.body.code]).toEqual([401, 'CHALLENGE_EXPIRED'])
  })

  test('binds an email: staged by a signed update, mailed six digits, confirmed by them', async () => {
    const proof = await signed(await profileChallenge())
    const staged = await asOwner('/auth/me/profile', {
      method: 'PUT',
      body: { ...proof, username: 'Ada', email: EMAIL, notifications: false },
    })
    expect([staged.status, staged.body]).toMatchObject([
      200,
      {
        wallet_address: owner.address,
        username: 'Ada',
        email: null,
        pendingEmail: EMAIL,
        emailVerificationStatus: 'pending',
        emailVerificationSendsRemaining: 4,
        notifications: false,
      },
    ])
    await until('the mail is there', () => mail.mails(EMAIL).length > 0)
    const code = /\b\d{6}\b/.exec(mail.mails(EMAIL)[0]?.text ?? '')?.[0]
    const bound = await asOwner('/auth/email/verify-code', { method: 'POST', body: { email: EMAIL, code } })
    expect([bound.status, bound.body]).toMatchObject([
      200,
      { profile: { walletAddress: owner.address, email: EMAIL, emailVerified: true, pendingEmail: null } },
    ])
    expect((await asOwner('/auth/me')).body).toMatchObject({ username: 'Ada', email: EMAIL })
  })
})
