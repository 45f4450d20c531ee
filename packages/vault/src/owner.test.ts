import { encodeDeployData, encodeFunctionData, getAddress, zeroAddress } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  alice,
  bob,
  type Chain,
  courier,
  mallory,
  owner,
  revertOf,
  signer,
  startChain,
} from '../test/chain.ts'
import {
  DEFAULT_CAP,
  deployVault,
  fund,
  openVault,
  pay,
  sign,
  ticketFor,
  USDC,
  type Usdc,
  type Vault,
  vaultEvents,
} from '../test/fixture.ts'
import { fareboxVaultAbi, fareboxVaultBytecode } from './index.ts'

let chain: Chain
let usdc: Usdc
let vault: Vault

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  ;({ usdc, vault } = await openVault(chain))
  await fund(usdc, vault, alice, 100n * USDC)
})

describe('a new vault', () => {
  test('has the parameters that it was deployed with', async () => {
    expect(await vault.read('token', [])).toBe(getAddress(usdc.address))
    expect(await vault.read('signer', [])).toBe(signer.address)
    expect(await vault.read('owner', [])).toBe(owner.address)
    expect(await vault.read('dailyWithdrawalCap', [])).toBe(DEFAULT_CAP)
    expect(await vault.read('paused', [])).toBe(false)
  })

  test('announces its signer and its cap', async () => {
    const args = [usdc.address, signer.address, owner.address, 5n] as const
    const data = encodeDeployData({ abi: fareboxVaultAbi, bytecode: fareboxVaultBytecode, args })
    expect(vaultEvents(await chain.send(mallory.address, undefined, data))).toEqual([
      ['OwnershipTransferred', { previousOwner: zeroAddress, newOwner: owner.address }],
      ['SignerChanged', { previous: zeroAddress, current: signer.address }],
      ['DailyWithdrawalCapChanged', { previous: 0n, current: 5n }],
    ])
  })

  test('needs a token, a signer and an owner', async () => {
    expect(await revertOf(deployVault(chain, zeroAddress))).toEqual(['ZeroAddress'])
    expect(await revertOf(deployVault(chain, usdc.address, { signer: zeroAddress }))).toEqual(['ZeroAddress'])
    expect(await revertOf(deployVault(chain, usdc.address, { owner: zeroAddress }))).toEqual([
      'OwnableInvalidOwner',
      zeroAddress,
    ])
  })

  test('has only these state-changing functions, and accepts no ether', () => {
    const functions = fareboxVaultAbi.filter(item => item.type === 'function')
    const changing = functions.filter(item => item.stateMutability === 'nonpayable').map(item => item.name)
    expect(changing.sort()).toEqual([
      'acceptOwnership',
      'deposit',
      'depositWithPermit',
      'pause',
      'setDailyWithdrawalCap',
      'setSigner',
      'transferOwnership',
      'unpause',
      'withdraw',
    ])
    const mutability = new Set<string>(functions.map(item => item.stateMutability))
    expect([...mutability].sort()).toEqual(['nonpayable', 'pure', 'view'])
    const types = new Set<string>(fareboxVaultAbi.map(item => item.type))
    expect([...types].sort()).toEqual(['constructor', 'error', 'event', 'function'])
  })
})

describe('a change of the signer', () => {
  test('is announced', async () => {
    expect(vaultEvents(await vault.write(owner, 'setSigner', [bob.address]))).toEqual([
      ['SignerChanged', { previous: signer.address, current: bob.address }],
    ])
    expect(await vault.read('signer', [])).toBe(bob.address)
  })

  test('invalidates the open tickets of the old signer; the new one issues them again', async () => {
    const ticket = await ticketFor(chain, bob)
    const open = await sign(vault, ticket)
    await vault.write(owner, 'setSigner', [mallory.address])
    expect(await revertOf(vault.write(courier, 'withdraw', [ticket, open]))).toEqual(['InvalidSignature'])
    await pay(vault, ticket, mallory)
  })

  test('does not make a paid ticket payable again', async () => {
    const ticket = await ticketFor(chain, bob)
    await pay(vault, ticket)
    await vault.write(owner, 'setSigner', [mallory.address])
    expect(await revertOf(pay(vault, ticket, mallory))).toEqual(['NonceUsed', ticket.nonce])
  })

  test('to the zero address is refused', async () => {
    expect(await revertOf(vault.write(owner, 'setSigner', [zeroAddress]))).toEqual(['ZeroAddress'])
  })
})

describe('the owner', () => {
  const powers: [name: string, use: (as: typeof owner) => Promise<unknown>][] = [
    ['setSigner', as => vault.write(as, 'setSigner', [mallory.address])],
    ['setDailyWithdrawalCap', as => vault.write(as, 'setDailyWithdrawalCap', [1n])],
    ['pause', as => vault.write(as, 'pause', [])],
    ['unpause', as => vault.write(as, 'unpause', [])],
    ['transferOwnership', as => vault.write(as, 'transferOwnership', [mallory.address])],
  ]

  test.each(powers)('alone may use %s: neither a stranger nor the signer can', async (_name, use) => {
    const before = await Promise.all([vault.read('signer', []), vault.read('dailyWithdrawalCap', [])])
    for (const someone of [mallory, signer]) {
      expect(await revertOf(use(someone))).toEqual(['OwnableUnauthorizedAccount', someone.address])
    }
    expect(await Promise.all([vault.read('signer', []), vault.read('dailyWithdrawalCap', [])])).toEqual(
      before,
    )
  })

  test('changes the cap, and the change is announced', async () => {
    expect(vaultEvents(await vault.write(owner, 'setDailyWithdrawalCap', [7n]))).toEqual([
      ['DailyWithdrawalCapChanged', { previous: DEFAULT_CAP, current: 7n }],
    ])
    expect(await vault.read('dailyWithdrawalCap', [])).toBe(7n)
  })

  test('pauses and unpauses in turn, not twice', async () => {
    expect(await revertOf(vault.write(owner, 'unpause', []))).toEqual(['ExpectedPause'])
    await vault.write(owner, 'pause', [])
    expect(await vault.read('paused', [])).toBe(true)
    expect(await revertOf(vault.write(owner, 'pause', []))).toEqual(['EnforcedPause'])
  })
})

describe('ownership', () => {
  test('passes only when the new owner has accepted it', async () => {
    await vault.write(owner, 'transferOwnership', [bob.address])
    expect(await vault.read('owner', [])).toBe(owner.address)
    expect(await vault.read('pendingOwner', [])).toBe(bob.address)
    await vault.write(owner, 'setDailyWithdrawalCap', [3n])

    await vault.write(bob, 'acceptOwnership', [])
    expect(await vault.read('owner', [])).toBe(bob.address)
    await vault.write(bob, 'setDailyWithdrawalCap', [4n])
    expect(await revertOf(vault.write(owner, 'setDailyWithdrawalCap', [5n]))).toEqual([
      'OwnableUnauthorizedAccount',
      owner.address,
    ])
  })

  test('cannot be accepted by anyone but the one it was offered to', async () => {
    await vault.write(owner, 'transferOwnership', [bob.address])
    expect(await revertOf(vault.write(mallory, 'acceptOwnership', []))).toEqual([
      'OwnableUnauthorizedAccount',
      mallory.address,
    ])
  })

  test('can be offered to another before it is accepted', async () => {
    await vault.write(owner, 'transferOwnership', [mallory.address])
    await vault.write(owner, 'transferOwnership', [bob.address])
    expect(await revertOf(vault.write(mallory, 'acceptOwnership', []))).toEqual([
      'OwnableUnauthorizedAccount',
      mallory.address,
    ])
    await vault.write(bob, 'acceptOwnership', [])
  })

  test('cannot be renounced, not even by the owner', async () => {
    const renounce = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'renounceOwnership' })
    for (const someone of [owner, mallory]) {
      const reason = await revertOf(chain.send(someone.address, vault.address, renounce))
      expect(reason).toEqual(['OwnershipCannotBeRenounced'])
    }
    expect(await vault.read('owner', [])).toBe(owner.address)
  })
})
