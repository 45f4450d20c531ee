import { createSiweMessage } from 'viem/siwe'
import { expect, test } from 'vitest'
import { challengeDigest, challengeDomain, challengeText } from './challenge-text.ts'

const facts = {
  kind: 'login',
  address: '0xa0cf798816d4b9b9866b5330eea46a18382f251e',
  publicUrl: 'https://gateway.example.com',
  chainId: 8453,
  nonce: 'f00dcafe',
  issuedAt: 1_700_000_000_000,
  expiresAt: 1_700_000_300_000,
} as const

test.each([
  ['login', 'Sign in to Farebox'],
  ['profile', 'Update your Farebox profile'],
] as const)('a %s challenge is an EIP-4361 message, to the byte', (kind, statement) => {
  expect(challengeText({ ...facts, kind })).toBe(
    createSiweMessage({
      domain: 'gateway.example.com',
      address: '0xA0Cf798816D4b9b9866b5330EEa46a18382f251e',
      statement,
      uri: 'https://gateway.example.com',
      version: '1',
      chainId: 8453,
      nonce: 'f00dcafe',
      issuedAt: new Date(facts.issuedAt),
      expirationTime: new Date(facts.expiresAt),
    }),
  )
})

test.each([
  ['http://gateway:8402', 'gateway:8402'],
  ['http://[::1]:8402', '[::1]:8402'],
  ['http://127.0.0.1:8402', '127.0.0.1:8402'],
  ['https://example.com:443/farebox', 'example.com'],
])('the gateway at %s is named %s', (publicUrl, domain) => {
  const lines = challengeText({ ...facts, publicUrl }).split('\n')
  expect(lines[0]).toBe(`${domain} wants you to sign in with your Ethereum account:`)
  expect(lines).toContain(`URI: ${publicUrl}`)
  expect(challengeDomain(publicUrl)).toBe(domain)
})

test('a challenge is stored by the SHA-256 of its text', () => {
  const ofAbc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-2, B.1
  expect(challengeDigest('abc').toString('hex')).toBe(ofAbc)
})
