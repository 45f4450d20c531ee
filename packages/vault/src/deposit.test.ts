import {
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  keccak256,
  parseSignature,
} from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  alice,
  bob,
  type Chain,
  chainId,
  contractAt,
  mallory,
  owner,
  revertOf,
  startChain,
} from '../test/chain.ts'
import {
  deployVault,
  fund,
  openVault,
  sign,
  ticketFor,
  USDC,
  type Usdc,
  type Vault,
  vaultEvents,
} from '../test/fixture.ts'
import { fareboxVaultAbi } from './index.ts'
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
  await usdc.write(owner, 'mint', [alice.address, 100n * USDC])
})

/** Returns the id of the vault's nth deposit. */
function depositId(of: Vault, nth: bigint) {
  const id = [{ type: 'uint256' }, { type: 'address' }, { type: 'uint256' }] as const
  return keccak256(encodeAbiParameters(id, [BigInt(chainId), of.address, nth]))
}

/** Signs a permit by Alice for the vault, as `depositWithPermit` takes it; tests may override the signer. */
async function permit(amount: bigint, different: { by?: typeof alice; deadline?: bigint } = {}) {
  const deadline = different.deadline ?? (await chain.now()) + 60n
  const signature = await (different.by ?? alice).signTypedData({
    domain: { name: 'Test USDC', version: '1', chainId, verifyingContract: usdc.address },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: {
      owner: alice.address,
      spender: vault.address,
      value: amount,
      nonce: await usdc.read('nonces', [alice.address]),
      deadline,
    },
  })
  const { r, s, yParity } = parseSignature(signature)
  return [amount, deadline, yParity + 27, r, s] as const
}

describe('a deposit', () => {
  test('moves exactly its amount into the vault and names the depositor', async () => {
    const receipt = await fund(usdc, vault, bob, 3n * USDC)
    expect(vaultEvents(receipt)).toContainEqual([
      'Deposited',
      { owner: bob.address, amount: 3n * USDC, depositId: depositId(vault, 1n) },
    ])
    expect(await usdc.read('balanceOf', [vault.address])).toBe(3n * USDC)
    expect(await usdc.read('balanceOf', [bob.address])).toBe(0n)
  })

  test('has a unique id, in this vault and others', async () => {
    const other = await deployVault(chain, usdc.address)
    const receipts = [
      await fund(usdc, vault, alice, USDC),
      await fund(usdc, vault, alice, USDC),
      await fund(usdc, other, alice, USDC),
    ]
    const deposited = receipts.flatMap(vaultEvents).map(([, args]) => args)
    expect(deposited).toEqual([
      expect.objectContaining({ depositId: depositId(vault, 1n) }),
      expect.objectContaining({ depositId: depositId(vault, 2n) }),
      expect.objectContaining({ depositId: depositId(other, 1n) }),
    ])
    expect(await vault.read('depositCount', [])).toBe(2n)
  })

  test('of zero is refused', async () => {
    expect(await revertOf(vault.write(alice, 'deposit', [0n]))).toEqual(['ZeroAmount'])
    expect(await revertOf(vault.write(alice, 'depositWithPermit', await permit(0n)))).toEqual(['ZeroAmount'])
  })

  test('of more than was approved is refused by the token', async () => {
    await usdc.write(alice, 'approve', [vault.address, USDC - 1n])
    expect(await revertOf(vault.write(alice, 'deposit', [USDC]))).toEqual([
      'ERC20InsufficientAllowance',
      getAddress(vault.address),
      USDC - 1n,
      USDC,
    ])
  })

  test('of more than the depositor has is refused by the token', async () => {
    await usdc.write(alice, 'approve', [vault.address, 101n * USDC])
    expect(await revertOf(vault.write(alice, 'deposit', [101n * USDC]))).toEqual([
      'ERC20InsufficientBalance',
      alice.address,
      100n * USDC,
      101n * USDC,
    ])
  })

  test('is refused while the vault is paused', async () => {
    await usdc.write(alice, 'approve', [vault.address, USDC])
    await vault.write(owner, 'pause', [])
    expect(await revertOf(vault.write(alice, 'deposit', [USDC]))).toEqual(['EnforcedPause'])
    expect(await revertOf(vault.write(alice, 'depositWithPermit', await permit(USDC)))).toEqual([
      'EnforcedPause',
    ])
    await vault.write(owner, 'unpause', [])
    await vault.write(alice, 'deposit', [USDC])
  })

  test('is distinct from a plain transfer to the vault, which credits nobody', async () => {
    const receipt = await usdc.write(alice, 'transfer', [vault.address, USDC])
    expect(vaultEvents(receipt)).toEqual([])
    expect(await vault.read('depositCount', [])).toBe(0n)
  })
})

describe('a deposit with a permit', () => {
  test('needs no approval beforehand', async () => {
    const receipt = await vault.write(alice, 'depositWithPermit', await permit(2n * USDC))
    expect(vaultEvents(receipt)).toContainEqual([
      'Deposited',
      { owner: alice.address, amount: 2n * USDC, depositId: depositId(vault, 1n) },
    ])
    expect(await usdc.read('balanceOf', [vault.address])).toBe(2n * USDC)
  })

  test('succeeds even if somebody submitted the permit to the token first', async () => {
    const signed = await permit(2n * USDC)
    await usdc.write(mallory, 'permit', [alice.address, vault.address, ...signed])
    await vault.write(alice, 'depositWithPermit', signed)
    expect(await usdc.read('balanceOf', [vault.address])).toBe(2n * USDC)
  })

  test('signed by another key moves nothing', async () => {
    const forged = await permit(USDC, { by: mallory })
    const refusal = ['ERC20InsufficientAllowance', getAddress(vault.address), 0n, USDC]
    expect(await revertOf(vault.write(alice, 'depositWithPermit', forged))).toEqual(refusal)
  })

  test('that has expired moves nothing', async () => {
    const expired = await permit(USDC, { deadline: (await chain.now()) - 1n })
    const refusal = ['ERC20InsufficientAllowance', getAddress(vault.address), 0n, USDC]
    expect(await revertOf(vault.write(alice, 'depositWithPermit', expired))).toEqual(refusal)
  })

  test("cannot be used by anyone else to deposit the signer's money as their own", async () => {
    const signed = await permit(USDC)
    const refusal = ['ERC20InsufficientAllowance', getAddress(vault.address), 0n, USDC]
    expect(await revertOf(vault.write(mallory, 'depositWithPermit', signed))).toEqual(refusal)
  })
})

describe('a malicious token', () => {
  test('is refused when it takes a fee out of the deposit', async () => {
    const data = encodeDeployData({ abi: feeOnTransferTokenAbi, bytecode: feeOnTransferTokenBytecode })
    const token = contractAt(chain, feeOnTransferTokenAbi, await chain.deploy(data))
    const feeVault = await deployVault(chain, token.address)
    await token.write(alice, 'mint', [alice.address, 10_000n])
    await token.write(alice, 'approve', [feeVault.address, 10_000n])

    await token.write(owner, 'setFees', [100n, 0n])
    expect(await revertOf(feeVault.write(alice, 'deposit', [1_000n]))).toEqual([
      'UnexpectedTransferAmount',
      1_000n,
      990n,
    ])
    await token.write(owner, 'setFees', [0n, 0n])
    await feeVault.write(alice, 'deposit', [1_000n])
    expect(await token.read('balanceOf', [feeVault.address])).toBe(1_000n)

    const twiceTheAmount = 20_000n
    await token.write(owner, 'setFees', [twiceTheAmount, 0n])
    expect(await revertOf(feeVault.write(alice, 'deposit', [500n]))).toEqual([
      'UnexpectedTransferAmount',
      500n,
      0n,
    ])
  })

  test('cannot re-enter the vault from within a deposit, by any function', async () => {
    const data = encodeDeployData({ abi: reentrantTokenAbi, bytecode: reentrantTokenBytecode })
    const token = contractAt(chain, reentrantTokenAbi, await chain.deploy(data))
    const target = await deployVault(chain, token.address)
    await token.write(alice, 'mint', [alice.address, 10_000n])
    await token.write(alice, 'approve', [target.address, 10_000n])

    const ticket = await ticketFor(chain, mallory, { amount: 1n })
    const entries = [
      encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [1n] }),
      encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'depositWithPermit', args: await permit(1n) }),
      encodeFunctionData({
        abi: fareboxVaultAbi,
        functionName: 'withdraw',
        args: [ticket, await sign(target, ticket)],
      }),
    ]
    for (const entry of entries) {
      await token.write(mallory, 'setCallback', [target.address, entry])
      expect(await revertOf(target.write(alice, 'deposit', [1_000n]))).toEqual([
        'ReentrancyGuardReentrantCall',
      ])
    }
  })
})
