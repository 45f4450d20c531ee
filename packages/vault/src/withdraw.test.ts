import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashTypedData,
  numberToHex,
  parseSignature,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  alice,
  bob,
  type Chain,
  chainId,
  contractAt,
  courier,
  mallory,
  owner,
  revertOf,
  startChain,
} from '../test/chain.ts'
import {
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
import { fareboxVaultAbi, type Ticket, ticketDomain, ticketTypes } from './index.ts'
import {
  feeOnTransferTokenAbi,
  feeOnTransferTokenBytecode,
  reentrantTokenAbi,
  reentrantTokenBytecode,
} from './test-contracts.gen.ts'

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

/** Submits a ticket with any signature, sent by the courier. */
function submit(ticket: Ticket, signature: Hex) {
  return vault.write(courier, 'withdraw', [ticket, signature])
}

describe('a signed ticket', () => {
  test('pays the address it names, whoever submits it', async () => {
    const ticket = await ticketFor(chain, bob, { amount: 7n * USDC })
    const receipt = await pay(vault, ticket)
    expect(vaultEvents(receipt)).toEqual([
      ['Withdrawn', { to: bob.address, amount: 7n * USDC, nonce: ticket.nonce }],
    ])
    expect(await usdc.read('balanceOf', [bob.address])).toBe(7n * USDC)
    expect(await usdc.read('balanceOf', [courier.address])).toBe(0n)
    expect(await usdc.read('balanceOf', [vault.address])).toBe(93n * USDC)
  })

  test('is hashed by the contract according to EIP-712, under the domain that the contract reports', async () => {
    const ticket = await ticketFor(chain, bob)
    const domain = ticketDomain({ chainId, vault: vault.address })
    const digest = hashTypedData({ domain, types: ticketTypes, primaryType: 'Ticket', message: ticket })
    expect(await vault.read('hashTicket', [ticket])).toBe(digest)

    const [, name, version, chain_, contract] = await vault.read('eip712Domain', [])
    expect({ name, version, chainId: Number(chain_), verifyingContract: contract }).toEqual({
      ...domain,
      verifyingContract: getAddress(vault.address),
    })
  })

  test('is paid once, even when submitted again', async () => {
    const ticket = await ticketFor(chain, bob)
    expect(await vault.read('isNonceUsed', [ticket.nonce])).toBe(false)
    await pay(vault, ticket)
    expect(await vault.read('isNonceUsed', [ticket.nonce])).toBe(true)
    expect(await revertOf(pay(vault, ticket))).toEqual(['NonceUsed', ticket.nonce])
  })

  test('is paid once, even when the gateway signs a later one for the same withdrawal', async () => {
    const first = await ticketFor(chain, bob)
    const again = { ...first, deadline: first.deadline + 3_600n }
    await pay(vault, again)
    expect(await revertOf(pay(vault, first))).toEqual(['NonceUsed', first.nonce])
  })

  test('is valid in the last second of its deadline, and not a second later', async () => {
    const deadline = (await chain.now()) + 60n
    const inTime = await ticketFor(chain, bob, { deadline })
    const late = await ticketFor(chain, bob, { deadline })
    await chain.warpTo(deadline)
    await pay(vault, inTime)
    await chain.warpTo(deadline + 1n)
    expect(await revertOf(pay(vault, late))).toEqual(['TicketExpired', deadline])
  })

  test('for the zero address is refused', async () => {
    const ticket = await ticketFor(chain, { address: zeroAddress })
    expect(await revertOf(pay(vault, ticket))).toEqual(['ZeroAddress'])
  })

  test('for zero is refused', async () => {
    const ticket = await ticketFor(chain, bob, { amount: 0n })
    expect(await revertOf(pay(vault, ticket))).toEqual(['ZeroAmount'])
  })

  test('for the vault itself is refused', async () => {
    const ticket = await ticketFor(chain, vault)
    expect(await revertOf(pay(vault, ticket))).toEqual(['UnexpectedTransferAmount', USDC, 0n])
  })

  test('is not paid while the vault is paused, but is afterwards', async () => {
    const ticket = await ticketFor(chain, bob)
    await vault.write(owner, 'pause', [])
    expect(await revertOf(pay(vault, ticket))).toEqual(['EnforcedPause'])
    await vault.write(owner, 'unpause', [])
    await pay(vault, ticket)
  })

  test('for more than the vault holds stays open until the vault holds enough', async () => {
    const ticket = await ticketFor(chain, bob, { amount: 101n * USDC })
    expect(await revertOf(pay(vault, ticket))).toEqual([
      'ERC20InsufficientBalance',
      getAddress(vault.address),
      100n * USDC,
      101n * USDC,
    ])
    expect(await vault.read('isNonceUsed', [ticket.nonce])).toBe(false)
    await fund(usdc, vault, alice, USDC)
    await pay(vault, ticket)
    expect(await usdc.read('balanceOf', [bob.address])).toBe(101n * USDC)
  })
})

describe('a signature', () => {
  const alterations: [field: string, alter: (ticket: Ticket) => Ticket][] = [
    ['recipient', ticket => ({ ...ticket, to: numberToHex(BigInt(ticket.to) + 1n, { size: 20 }) })],
    ['amount', ticket => ({ ...ticket, amount: ticket.amount + 1n })],
    ['deadline', ticket => ({ ...ticket, deadline: ticket.deadline + 1n })],
    ['nonce', ticket => ({ ...ticket, nonce: numberToHex(BigInt(ticket.nonce) ^ 1n, { size: 32 }) })],
  ]

  test.each(alterations)('is invalid for a ticket whose %s differs by one', async (_field, alter) => {
    const ticket = await ticketFor(chain, bob)
    const signature = await sign(vault, ticket)
    expect(await revertOf(submit(alter(ticket), signature))).toEqual(['InvalidSignature'])
    await submit(ticket, signature)
  })

  test('made for another chain is invalid', async () => {
    const ticket = await ticketFor(chain, bob)
    const signature = await sign(vault, ticket, { chainId: chainId + 1 })
    expect(await revertOf(submit(ticket, signature))).toEqual(['InvalidSignature'])
  })

  test('made for another vault of the same signer is invalid', async () => {
    const other = await deployVault(chain, usdc.address)
    const ticket = await ticketFor(chain, bob)
    expect(await revertOf(submit(ticket, await sign(other, ticket)))).toEqual(['InvalidSignature'])
  })

  test.each([
    ['a stranger', mallory],
    ['the owner', owner],
    ['the recipient', bob],
  ])('by %s is invalid', async (_who, by) => {
    const ticket = await ticketFor(chain, bob)
    expect(await revertOf(pay(vault, ticket, by))).toEqual(['InvalidSignature'])
  })

  test('that is empty, truncated, extended, flipped or random is invalid', async () => {
    const ticket = await ticketFor(chain, bob)
    const good = await sign(vault, ticket)
    const { r, s, yParity } = parseSignature(good)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const highS = numberToHex(order - BigInt(s), { size: 32 })
    const flipped: Hex = `${r}${highS.slice(2)}${yParity === 0 ? '1c' : '1b'}`
    const wrong: Hex[] = ['0x', good.slice(0, -2) as Hex, `${good}00`, flipped, `0x${'00'.repeat(65)}`]
    for (const signature of wrong) {
      expect(await revertOf(submit(ticket, signature))).toEqual(['InvalidSignature'])
    }
    await submit(ticket, good)
  })
})

describe('a malicious token', () => {
  const fees: [story: string, recipientFee: bigint, senderFee: bigint, moved: bigint][] = [
    ['the recipient would get less than the ticket says', 100n, 0n, 990n],
    ['the vault would lose more than the ticket says', 0n, 100n, 1_010n],
  ]

  test.each(fees)('extracts no money when %s', async (_story, recipientFee, senderFee, moved) => {
    const data = encodeDeployData({ abi: feeOnTransferTokenAbi, bytecode: feeOnTransferTokenBytecode })
    const token = contractAt(chain, feeOnTransferTokenAbi, await chain.deploy(data))
    const feeVault = await deployVault(chain, token.address)
    await token.write(alice, 'mint', [feeVault.address, 10_000n])
    const ticket = await ticketFor(chain, bob, { amount: 1_000n })

    await token.write(owner, 'setFees', [recipientFee, senderFee])
    expect(await revertOf(pay(feeVault, ticket))).toEqual(['UnexpectedTransferAmount', 1_000n, moved])
    expect(await feeVault.read('isNonceUsed', [ticket.nonce])).toBe(false)
    expect(await feeVault.read('withdrawnInWindow', [])).toBe(0n)

    await token.write(owner, 'setFees', [0n, 0n])
    await pay(feeVault, ticket)
  })

  test('cannot re-enter the vault from within a withdrawal, by any function', async () => {
    const data = encodeDeployData({ abi: reentrantTokenAbi, bytecode: reentrantTokenBytecode })
    const token = contractAt(chain, reentrantTokenAbi, await chain.deploy(data))
    const target = await deployVault(chain, token.address)
    await token.write(alice, 'mint', [target.address, 10_000n])
    const outer = await ticketFor(chain, bob, { amount: 1_000n })
    const inner = await ticketFor(chain, mallory, { amount: 1_000n })
    const withdraw = async (ticket: Ticket) =>
      encodeFunctionData({
        abi: fareboxVaultAbi,
        functionName: 'withdraw',
        args: [ticket, await sign(target, ticket)],
      })
    const entries = [
      await withdraw(inner),
      await withdraw(outer),
      encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [1n] }),
    ]
    for (const entry of entries) {
      await token.write(mallory, 'setCallback', [target.address, entry])
      expect(await revertOf(pay(target, outer))).toEqual(['ReentrancyGuardReentrantCall'])
    }
    await token.write(mallory, 'setCallback', [zeroAddress as Address, '0x'])
    await pay(target, outer)
    expect(await token.read('balanceOf', [bob.address])).toBe(1_000n)
  })
})
