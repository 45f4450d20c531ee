import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytecodeOf } from '../scripts/compile.ts'
import { describeOutcome, type Forge, newSeed, openForge } from '../test/forge.ts'
import { fareboxVaultBytecode } from './contracts.gen.ts'
import { readSource } from './standard-json.ts'

const CAMPAIGN = { runs: 256, depth: 100 }
/** Processor time is 15 s; allows for a busy machine. */
const DEADLINE_MS = 300_000

let forge: Forge

beforeAll(async () => {
  forge = await openForge()
})

afterAll(() => forge.close())

describe('the vault, under random actions of everybody, with malicious tokens', () => {
  test(
    "keeps every promise: each nonce paid once, the cap of any 24 hours, no ticket but the signer's, nothing while paused",
    async () => {
      const campaign = { ...CAMPAIGN, seed: newSeed() }
      const outcome = await forge.fuzz(fareboxVaultBytecode, campaign, DEADLINE_MS)
      process.stdout.write(`${describeOutcome(outcome, campaign)}\n`)
      expect(outcome).toEqual({ runs: 256, calls: 25_600, broken: null })
    },
    DEADLINE_MS,
  )

  /** Mutations of the contract, each with a pattern for the first violation that the fuzzer reports. */
  const mistakes: [mistake: string, code: string, becomes: string, found: RegExp][] = [
    [
      'that forgets which nonces were paid',
      'if (_usedNonces[ticket.nonce]) revert NonceUsed(ticket.nonce);',
      '',
      /a nonce is paid twice|a ticket is refused with another error/,
    ],
    [
      'whose cap forgets a payment up to an hour early',
      '_WINDOW_BUCKETS = 25',
      '_WINDOW_BUCKETS = 24',
      /the cap counts wrongly|more than the cap leaves in 24 hours|goes through that must be refused/,
    ],
    [
      'that accepts any signature',
      'if (!SignatureChecker.isValidSignatureNowCalldata(_signer, hashTicket(ticket), signature)) {',
      'if (signature.length > 1000) {',
      /a ticket is paid that the signer did not sign|a ticket is refused with another error/,
    ],
  ]

  test.each(mistakes)(
    'detects a vault %s',
    async (_mistake, code, becomes, found) => {
      const source = readSource('contracts/FareboxVault.sol')
      expect(source.split(code)).toHaveLength(2)
      const bytecode = bytecodeOf('FareboxVault', source.replace(code, becomes))
      const { broken } = await forge.fuzz(bytecode, { ...CAMPAIGN, seed: newSeed() }, DEADLINE_MS)
      expect(broken?.promise).toMatch(found)
      expect(broken?.sequence).not.toEqual([])
    },
    DEADLINE_MS,
  )
})
