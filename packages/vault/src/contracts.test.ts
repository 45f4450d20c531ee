import { readFile } from 'node:fs/promises'
import { keccak256, toFunctionSignature } from 'viem'
import { describe, expect, test } from 'vitest'
import { compileInput, generate } from '../scripts/compile.ts'
import {
  compilerVersion,
  fareboxVaultAbi,
  fareboxVaultBytecode,
  ticketDomain,
  ticketTypes,
  withdrawalNonce,
} from './index.ts'
import { vaultContractName, vaultStandardJson } from './standard-json.ts'

describe('the generated files', () => {
  test("match the compiler's output for the current contracts", async () => {
    const files = generate()
    expect(files.map(file => file.path)).toEqual(['src/contracts.gen.ts', 'src/test-contracts.gen.ts'])
    for (const { path, text } of files) {
      const committed = await readFile(new URL(`../${path}`, import.meta.url), 'utf8')
      expect(committed === text, `${path} is stale: run "npm run compile -w @farebox/vault"`).toBe(true)
    }
  }, 120_000)
})

describe('the standard-JSON input for explorers', () => {
  test('compiles on its own to the deployed bytecode, with the named compiler', () => {
    const [path = '', name = ''] = vaultContractName.split(':')
    expect(compileInput(vaultStandardJson(), path, name) === fareboxVaultBytecode).toBe(true)
    expect(compilerVersion).toMatch(/^v\d+\.\d+\.\d+\+commit\.[0-9a-f]{8}$/)
  }, 120_000)
})

describe('a ticket', () => {
  test('has the same fields, in the same order, in the ABI and in the signed message', () => {
    const withdraw = fareboxVaultAbi.find(item => item.type === 'function' && item.name === 'withdraw')
    if (withdraw?.type !== 'function') throw new Error('the ABI has no withdraw')
    expect(toFunctionSignature(withdraw)).toBe('withdraw((address,uint256,uint256,bytes32),bytes)')
    expect(ticketTypes.Ticket.map(field => `${field.type} ${field.name}`).join(',')).toBe(
      'address to,uint256 amount,uint256 deadline,bytes32 nonce',
    )
  })

  test('is signed for one vault on one chain', () => {
    const vault = '0x00000000000000000000000000000000000000aa'
    expect(ticketDomain({ chainId: 8453, vault })).toEqual({
      name: 'FareboxVault',
      version: '1',
      chainId: 8453,
      verifyingContract: vault,
    })
  })
})

describe('the nonce of a withdrawal', () => {
  test('is the keccak-256 of its id', () => {
    expect(withdrawalNonce('')).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
    expect(withdrawalNonce('hello')).toBe(
      '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8',
    )
  })

  test('takes the id as UTF-8, and never as hexadecimal bytes', () => {
    expect(withdrawalNonce('é')).toBe(keccak256(Uint8Array.of(0xc3, 0xa9)))
    expect(withdrawalNonce('0x00')).toBe(keccak256(Uint8Array.of(0x30, 0x78, 0x30, 0x30)))
  })

  test('differs for different withdrawals', () => {
    expect(withdrawalNonce('wd_1')).not.toBe(withdrawalNonce('wd_2'))
  })
})
