import type { ChallengeAnswer, SessionAnswer } from '@farebox/wire/auth'
import sql from 'sql-template-tag'
import { getAddress, type Hex, numberToHex, parseSignature, serializeSignature, toHex } from 'viem'
import { parseSiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../../../test/kit/chain/test-chain.ts'
import { type PartialGateway, startPartialGateway } from '../../../test/kit/gateway/partial-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { askChallenge, newWallet, signIn } from '../../../test/kit/world/wallets.ts'
import { purgeExpired } from './purge-expired.ts'

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const FIVE_MINUTES_MS = 300_000

let chain: TestChain
let gateway: PartialGateway

beforeAll(async () => {
  chain = await startTestChain()
  gateway = await startPartialGateway({ chain: chain.adapter })
})
afterAll(async () => {
  await gateway?.stop()
  await chain?.stop()
})

const verify = (body: unknown) =>
  send<SessionAnswer & { code?: string }>(gateway.url, '/api/v1/auth/verify', { method: 'POST', body })

async function profileChallenge(token: string): Promise<string> {
  const answer = await send<ChallengeAnswer>(gateway.url, '/api/v1/auth/me/profile/challenge', {
    method: 'POST',
    token,
  })
  expect(answer.status).toBe(200)
  return answer.body.challenge
}

async function signedChallenge(wallet = newWallet()) {
  const message = await askChallenge(gateway.url, wallet.address)
  return { wallet, address: wallet.address, message, signature: await wallet.signMessage({ message }) }
}

test('a challenge states wallet, domain, purpose and expiry', async () => {
  const { address } = newWallet()
  const { status, body } = await send<ChallengeAnswer>(
    gateway.url,
    `/api/v1/auth/challenge?address=${address.toLowerCase()}`,
  )
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    challenge: expect.any(String),
    domain: 'localhost:8402',
    expiresAt: expect.any(String),
  })
  const message = parseSiweMessage(body.challenge)
  expect(message).toMatchObject({
    address,
    domain: 'localhost:8402',
    uri: 'http://localhost:8402',
    statement: 'Sign in to Farebox',
    chainId: chain.adapter.facts.chainId,
    version: '1',
  })
  const { issuedAt, expirationTime } = message
  expect(expirationTime?.toISOString()).toBe(body.expiresAt)
  expect((expirationTime?.getTime() ?? 0) - (issuedAt?.getTime() ?? 0)).toBe(FIVE_MINUTES_MS)
})

test.each([
  ['', 'MISSING_ADDRESS'],
  ['?address=', 'MISSING_ADDRESS'],
  ['?other=1', 'MISSING_ADDRESS'],
  ['?address=0x123', 'INVALID_ADDRESS'],
  [`?address=0x${'g'.repeat(40)}`, 'INVALID_ADDRESS'],
  [`?address=${'1'.repeat(42)}`, 'INVALID_ADDRESS'],
  [`?address=0x${'1'.repeat(40)}%0a`, 'INVALID_ADDRESS'],
  [`?address=0x${'1'.repeat(40)}&address=0x${'2'.repeat(40)}`, 'INVALID_ADDRESS'],
])('a challenge for %s is refused with %s', async (query, code) => {
  const answer = await send(gateway.url, `/api/v1/auth/challenge${query}`)
  expect(answer.status).toBe(400)
  expect(answer.body.code).toBe(code)
})

test('a signed challenge gives a session of 24 hours', async () => {
  const { address, message, signature } = await signedChallenge()
  const { status, body } = await verify({ address, message, signature })
  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    access_token: body.token,
    token_type: 'Bearer',
    expires_in: 86_400,
  })
})

test.each([
  ['address in lower case', (address: string) => ({ address: address.toLowerCase() })],
  ['address in upper case', (address: string) => ({ address: `0x${address.slice(2).toUpperCase()}` })],
  ['wallet_address', (address: string) => ({ wallet_address: address })],
  ['walletAddress', (address: string) => ({ walletAddress: address })],
])('verify takes %s', async (_, named) => {
  const { address, message, signature } = await signedChallenge()
  expect((await verify({ ...named(address), message, signature })).status).toBe(200)
})

test('verify takes a signature without 0x, in upper case, and with v of 0 or 1', async () => {
  const forms: ((signature: Hex) => string)[] = [
    signature => signature.slice(2),
    signature => signature.slice(2).toUpperCase(),
    signature =>
      signature.slice(0, 130) + numberToHex(Number(`0x${signature.slice(130)}`) - 27, { size: 1 }).slice(2),
  ]
  for (const form of forms) {
    const { address, message, signature } = await signedChallenge()
    expect((await verify({ address, message, signature: form(signature) })).status).toBe(200)
  }
})

test('a challenge can be used once', async () => {
  const { address, message, signature } = await signedChallenge()
  expect((await verify({ address, message, signature })).status).toBe(200)
  const again = await verify({ address, message, signature })
  expect(again.status).toBe(401)
  expect(again.body.code).toBe('CHALLENGE_EXPIRED')
})

test('one of many parallel uses of a challenge signs in', async () => {
  const { address, message, signature } = await signedChallenge()
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify({ address, message, signature })))
  expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
  const refused = answers.filter(answer => answer.status !== 200)
  expect(new Set(refused.map(answer => answer.body.code))).toEqual(new Set(['CHALLENGE_EXPIRED']))
})

test('a failed signature does not use the challenge up', async () => {
  const { address, message, signature } = await signedChallenge()
  const wrong = await newWallet().signMessage({ message })
  expect((await verify({ address, message, signature: wrong })).body.code).toBe('VERIFICATION_FAILED')
  expect((await verify({ address, message, signature })).status).toBe(200)
})

test('a challenge with an altered byte is unknown, even when signed', async () => {
  const { wallet, address, message, signature } = await signedChallenge()
  const altered = [
    message.replace('Farebox', 'farebox'),
    message.replace('Chain ID: ', 'Chain ID: 1'),
    `${message}\n`,
    message.replaceAll('\n', '\r\n'),
    message.slice(0, -1),
    'anything at all',
    '',
  ]
  for (const text of altered) {
    const signed = await verify({
      address,
      message: text,
      signature: await wallet.signMessage({ message: text }),
    })
    expect(signed.status).toBe(401)
    expect(signed.body.code).toBe('CHALLENGE_EXPIRED')
    expect((await verify({ address, message: text, signature })).status).toBe(401)
  }
})

test('a challenge of another wallet proves nothing, whoever signs it', async () => {
  const { address, message, signature } = await signedChallenge()
  const thief = newWallet()
  const theirs = await thief.signMessage({ message })
  for (const body of [
    { address: thief.address, message, signature: theirs },
    { address: thief.address, message, signature },
    { address, message, signature: theirs },
  ]) {
    const answer = await verify(body)
    expect(answer.status).toBe(401)
    expect(answer.body.code).toBe('VERIFICATION_FAILED')
  }
})

test('a profile challenge does not sign in', async () => {
  const wallet = newWallet()
  const message = await profileChallenge(await signIn(gateway.url, wallet))
  expect(parseSiweMessage(message).statement).toBe('Update your Farebox profile')
  const signature = await wallet.signMessage({ message })
  const answer = await verify({ address: wallet.address, message, signature })
  expect(answer.status).toBe(401)
  expect(answer.body.code).toBe('VERIFICATION_FAILED')
})

test('the mirror image of a signature is refused, and leaves the challenge to the real one', async () => {
  const { address, message, signature } = await signedChallenge()
  const { r, s, yParity } = parseSignature(signature)
  const mirrored = serializeSignature({
    r,
    s: toHex(CURVE_ORDER - BigInt(s), { size: 32 }),
    yParity: yParity === 0 ? 1 : 0,
  })
  const answer = await verify({ address, message, signature: mirrored })
  expect(answer.status).toBe(401)
  expect(answer.body.code).toBe('VERIFICATION_FAILED')
  expect((await verify({ address, message, signature })).status).toBe(200)
})

test('a malformed signature is refused like an invalid one', async () => {
  const { address, message, signature } = await signedChallenge()
  const broken = [
    '',
    '0x',
    'not hex',
    '0x1',
    '0x12',
    signature.slice(0, -2),
    `${signature}00`,
    `0x0x${signature.slice(2)}`,
    `0x${'00'.repeat(65)}`,
    `0x${'ff'.repeat(65)}`,
    `${signature.slice(0, 130)}ff`,
    `0x${'00'.repeat(64)}1b`,
    `0x${'ab'.repeat(16_384)}`,
    'ab'.repeat(30_000),
    ` ${signature}`,
    '\u0000',
  ]
  for (const text of broken) {
    const answer = await verify({ address, message, signature: text })
    expect([text.slice(0, 20), answer.status, answer.body.code]).toEqual([
      text.slice(0, 20),
      401,
      'VERIFICATION_FAILED',
    ])
  }
  expect((await verify({ address, message, signature })).status).toBe(200)
})

test('the zero address cannot sign in, though ecrecover returns it for every broken signature', async () => {
  const address = getAddress(`0x${'0'.repeat(40)}`)
  const message = await askChallenge(gateway.url, address)
  for (const signature of [`0x${'00'.repeat(64)}1b`, `0x${'00'.repeat(65)}`, '0x', `0x${'ab'.repeat(65)}`]) {
    expect((await verify({ address, message, signature })).body.code).toBe('VERIFICATION_FAILED')
  }
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['an array', []],
  ['no message', { address: newWallet().address, signature: '0x12' }],
  ['a number for a signature', { address: newWallet().address, message: 'x', signature: 12 }],
  ['an object for an address', { address: {}, message: 'x', signature: '0x12' }],
  ['a short address', { address: '0x12', message: 'x', signature: '0x12' }],
])('a body of %s is INVALID_PAYLOAD', async (_, body) => {
  const answer = await verify(body)
  expect(answer.status).toBe(400)
  expect(answer.body.code).toBe('INVALID_PAYLOAD')
})

test('a wallet is stored at its first sign-in, not before', async () => {
  const wallet = newWallet()
  const known = () =>
    gateway.deps.db.query<{ username: string }>(
      sql`select username from wallets where address = ${wallet.address.toLowerCase()}`,
    )
  await askChallenge(gateway.url, wallet.address)
  expect(await known()).toEqual([])
  await signIn(gateway.url, wallet)
  await signIn(gateway.url, wallet)
  expect(await known()).toEqual([{ username: `${wallet.address.slice(0, 6)}…${wallet.address.slice(-4)}` }])
})

test('a client gets thirty challenges a minute unless the settings say otherwise', async () => {
  const own = await startPartialGateway({ chain: chain.adapter, env: { CHALLENGES_PER_MINUTE: '' } })
  try {
    const statuses: number[] = []
    const path = `/api/v1/auth/challenge?address=${newWallet().address}`
    for (let count = 0; count <= 30; count += 1) statuses.push((await send(own.url, path)).status)
    expect(statuses).toEqual([...Array(30).fill(200), 429])
  } finally {
    await own.stop()
  }
})

test('challenges are limited per client, and every answer states the remaining ones', async () => {
  const own = await startPartialGateway({ chain: chain.adapter, env: { CHALLENGES_PER_MINUTE: '3' } })
  try {
    const ask = () => send(own.url, `/api/v1/auth/challenge?address=${newWallet().address}`)
    const answers = [await ask(), await ask(), await ask(), await ask()]
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 429])
    expect(answers[0]?.headers['ratelimit-policy']).toBe('"challenges";q=3;w=60')
    const limits = answers.map(answer =>
      /^"challenges";r=(\d+);t=(\d+)$/.exec(answer.headers.ratelimit ?? ''),
    )
    expect(limits.map(limit => limit?.[1])).toEqual(['2', '1', '0', '0'])
    for (const limit of limits) expect(Number(limit?.[2])).toBeLessThanOrEqual(60)
    expect(answers[3]?.body.code).toBe('RATE_LIMITED')
    expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(0)
    // A forged header does not make it another client.
    const forged = await send(own.url, `/api/v1/auth/challenge?address=${newWallet().address}`, {
      headers: { 'x-forwarded-for': '203.0.113.7' },
    })
    expect(forged.status).toBe(429)
    own.advance(20_000)
    expect((await ask()).status).toBe(200)
  } finally {
    await own.stop()
  }
})

test('verifications are limited per client too, at ten times the challenges', async () => {
  const own = await startPartialGateway({ chain: chain.adapter, env: { CHALLENGES_PER_MINUTE: '1' } })
  try {
    const body = { address: newWallet().address, message: 'nothing that was issued', signature: '0x00' }
    const attempts = await Promise.all(
      Array.from({ length: 11 }, () => send(own.url, '/api/v1/auth/verify', { method: 'POST', body })),
    )
    expect(attempts.map(answer => answer.body.code).sort()).toEqual([
      ...Array(10).fill('CHALLENGE_EXPIRED'),
      'RATE_LIMITED',
    ])
    const limited = attempts.find(answer => answer.status === 429)
    expect(limited?.headers['ratelimit-policy']).toBe('"verifications";q=10;w=60')
    expect(Number(limited?.headers['retry-after'])).toBeGreaterThan(0)
  } finally {
    await own.stop()
  }
})

// Advances the gateway's clock, so these come last.

test('an expired challenge is refused, and what has expired is purged by the job and by each new challenge', async () => {
  const { address, message, signature } = await signedChallenge()
  gateway.advance(FIVE_MINUTES_MS)
  const answer = await verify({ address, message, signature })
  expect(answer.status).toBe(401)
  expect(answer.body.code).toBe('CHALLENGE_EXPIRED')

  const stored = async () => {
    const [row] = await gateway.deps.db.query<{ count: bigint }>(sql`select count(*) from challenges`)
    return Number(row?.count)
  }
  const before = await stored()
  await askChallenge(gateway.url, address)
  expect(await stored()).toBeLessThan(before)

  expect((await purgeExpired(gateway.deps)).challenges).toBeGreaterThan(0)
  expect(await stored()).toBe(1)
  expect(await purgeExpired(gateway.deps)).toEqual({ challenges: 0, revocations: 0 })
})
