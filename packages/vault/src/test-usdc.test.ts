import { type Address, encodeDeployData, getAddress, type Hex, parseEventLogs, parseSignature } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  alice,
  bob,
  type Chain,
  chainId,
  courier,
  mallory,
  owner,
  revertOf,
  signer,
  startChain,
} from '../test/chain.ts'
import { deployUsdc, USDC, type Usdc } from '../test/fixture.ts'
import { testUsdcAbi, withdrawalNonce } from './index.ts'
import { smartWalletAbi, smartWalletBytecode } from './test-contracts.gen.ts'

let chain: Chain
let usdc: Usdc

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  usdc = await deployUsdc(chain)
  await usdc.write(owner, 'mint', [alice.address, 10n * USDC])
})

const TRANSFER_FIELDS = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

/** The types as EIP-3009 defines them. */
const TYPES = {
  TransferWithAuthorization: TRANSFER_FIELDS,
  ReceiveWithAuthorization: TRANSFER_FIELDS,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

interface Authorization {
  from: Address
  to: Address
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
}

function domain() {
  return { name: 'Test USDC', version: '1', chainId, verifyingContract: usdc.address } as const
}

function vrs(signature: Hex) {
  const { r, s, yParity } = parseSignature(signature)
  return [yParity + 27, r, s] as const
}

/** Returns an authorization of one USDC from Alice to Bob that is valid now. */
async function authorization(different: Partial<Authorization> = {}): Promise<Authorization> {
  const now = await chain.now()
  return {
    from: alice.address,
    to: bob.address,
    value: USDC,
    validAfter: now - 1n,
    validBefore: now + 60n,
    nonce: withdrawalNonce('authorization'),
    ...different,
  }
}

/** Returns the signed arguments of `transferWithAuthorization` or `receiveWithAuthorization`. */
async function authorized(
  primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization',
  message: Authorization,
  by = alice,
) {
  const signature = await by.signTypedData({ domain: domain(), types: TYPES, primaryType, message })
  const { from, to, value, validAfter, validBefore, nonce } = message
  return [from, to, value, validAfter, validBefore, nonce, ...vrs(signature)] as const
}

/** Returns the arguments of the overload that takes the signature as bytes. */
async function signedAsBytes(
  primaryType: 'TransferWithAuthorization' | 'ReceiveWithAuthorization',
  message: Authorization,
  by = alice,
) {
  const signature = await by.signTypedData({ domain: domain(), types: TYPES, primaryType, message })
  const { from, to, value, validAfter, validBefore, nonce } = message
  return [from, to, value, validAfter, validBefore, nonce, signature] as const
}

async function cancellation(nonce: Hex, by = alice) {
  const message = { authorizer: alice.address, nonce }
  const signature = await by.signTypedData({
    domain: domain(),
    types: TYPES,
    primaryType: 'CancelAuthorization',
    message,
  })
  return [alice.address, nonce, ...vrs(signature)] as const
}

function events(receipt: Awaited<ReturnType<Usdc['write']>>) {
  return parseEventLogs({ abi: testUsdcAbi, logs: receipt.logs }).map(log => [log.eventName, log.args])
}

describe('test USDC', () => {
  test('has six decimals and the symbol USDC', async () => {
    expect(await usdc.read('decimals', [])).toBe(6)
    expect(await usdc.read('symbol', [])).toBe('USDC')
    expect(await usdc.read('name', [])).toBe('Test USDC')
  })

  test('is minted only by its owner', async () => {
    expect(await usdc.read('totalSupply', [])).toBe(10n * USDC)
    expect(await revertOf(usdc.write(mallory, 'mint', [mallory.address, 1n]))).toEqual([
      'OwnableUnauthorizedAccount',
      mallory.address,
    ])
  })

  test('reports the EIP-712 domain of its signatures', async () => {
    const [, name, version, chain_, contract] = await usdc.read('eip712Domain', [])
    expect({ name, version, chainId: Number(chain_), verifyingContract: contract }).toEqual({
      ...domain(),
      verifyingContract: getAddress(usdc.address),
    })
  })
})

describe('transferWithAuthorization', () => {
  test('moves the money as authorized, whoever submits it', async () => {
    const message = await authorization()
    const args = await authorized('TransferWithAuthorization', message)
    expect(await usdc.read('authorizationState', [alice.address, message.nonce])).toBe(false)
    expect(events(await usdc.write(courier, 'transferWithAuthorization', args))).toEqual([
      ['AuthorizationUsed', { authorizer: alice.address, nonce: message.nonce }],
      ['Transfer', { from: alice.address, to: bob.address, value: USDC }],
    ])
    expect(await usdc.read('authorizationState', [alice.address, message.nonce])).toBe(true)
    expect(await usdc.read('balanceOf', [bob.address])).toBe(USDC)
  })

  test('moves it only once', async () => {
    const args = await authorized('TransferWithAuthorization', await authorization())
    await usdc.write(courier, 'transferWithAuthorization', args)
    expect(await revertOf(usdc.write(courier, 'transferWithAuthorization', args))).toEqual([
      'ERC3009UsedAuthorization',
      alice.address,
      args[5],
    ])
  })

  test("refuses another key's signature", async () => {
    const args = await authorized('TransferWithAuthorization', await authorization(), mallory)
    expect(await revertOf(usdc.write(courier, 'transferWithAuthorization', args))).toEqual([
      'ERC3009InvalidSignature',
    ])
  })

  test('refuses a signature that was made for receiveWithAuthorization', async () => {
    const args = await authorized('ReceiveWithAuthorization', await authorization())
    expect(await revertOf(usdc.write(courier, 'transferWithAuthorization', args))).toEqual([
      'ERC3009InvalidSignature',
    ])
  })

  test('is valid strictly after validAfter and strictly before validBefore', async () => {
    const now = await chain.now()
    const inside = { validAfter: now + 9n, validBefore: now + 11n }
    const args = await authorized('TransferWithAuthorization', await authorization(inside))
    const refusal = ['ERC3009InvalidAuthorizationTime', inside.validAfter, inside.validBefore]
    await chain.warpTo(now + 9n)
    expect(await revertOf(usdc.write(courier, 'transferWithAuthorization', args))).toEqual(refusal)
    await chain.warpTo(now + 10n)
    await usdc.write(courier, 'transferWithAuthorization', args)

    const other = await authorization({ ...inside, nonce: withdrawalNonce('other') })
    await chain.warpTo(now + 11n)
    const late = await authorized('TransferWithAuthorization', other)
    expect(await revertOf(usdc.write(courier, 'transferWithAuthorization', late))).toEqual(refusal)
  })

  test('treats large values as times, never as block numbers', async () => {
    const blockNumberFlag = 1n << 47n
    const message = await authorization({
      validAfter: blockNumberFlag,
      validBefore: blockNumberFlag + 1_000_000n,
    })
    const args = await authorized('TransferWithAuthorization', message)
    expect(await revertOf(usdc.write(courier, 'transferWithAuthorization', args))).toEqual([
      'ERC3009InvalidAuthorizationTime',
      message.validAfter,
      message.validBefore,
    ])
  })

  test('cannot move more than the balance', async () => {
    const args = await authorized('TransferWithAuthorization', await authorization({ value: 11n * USDC }))
    expect(await revertOf(usdc.write(courier, 'transferWithAuthorization', args))).toEqual([
      'ERC20InsufficientBalance',
      alice.address,
      10n * USDC,
      11n * USDC,
    ])
  })
})

describe('receiveWithAuthorization', () => {
  test('moves the money when the payee submits it', async () => {
    const args = await authorized('ReceiveWithAuthorization', await authorization())
    await usdc.write(bob, 'receiveWithAuthorization', args)
    expect(await usdc.read('balanceOf', [bob.address])).toBe(USDC)
  })

  test('refuses anyone but the payee', async () => {
    const args = await authorized('ReceiveWithAuthorization', await authorization())
    expect(await revertOf(usdc.write(courier, 'receiveWithAuthorization', args))).toEqual([
      'ERC20InvalidReceiver',
      bob.address,
    ])
  })

  test('refuses a signature that was made for transferWithAuthorization', async () => {
    const args = await authorized('TransferWithAuthorization', await authorization())
    expect(await revertOf(usdc.write(bob, 'receiveWithAuthorization', args))).toEqual([
      'ERC3009InvalidSignature',
    ])
  })
})

describe('a signature as bytes', () => {
  test.each([
    ['transferWithAuthorization', 'TransferWithAuthorization'],
    ['receiveWithAuthorization', 'ReceiveWithAuthorization'],
  ] as const)('%s moves the money once', async (functionName, primaryType) => {
    const args = await signedAsBytes(primaryType, await authorization())
    await usdc.write(bob, functionName, args)
    expect(await usdc.read('balanceOf', [bob.address])).toBe(USDC)
    expect(await revertOf(usdc.write(bob, functionName, args))).toEqual([
      'ERC3009UsedAuthorization',
      alice.address,
      args[5],
    ])
  })

  test('of another key, or for the other function, is refused', async () => {
    const forged = await signedAsBytes('TransferWithAuthorization', await authorization(), mallory)
    const other = await signedAsBytes('ReceiveWithAuthorization', await authorization())
    for (const args of [forged, other])
      expect(await revertOf(usdc.write(bob, 'transferWithAuthorization', args))).toEqual([
        'ERC3009InvalidSignature',
      ])
  })

  test('lets only the payee receive', async () => {
    const args = await signedAsBytes('ReceiveWithAuthorization', await authorization())
    expect(await revertOf(usdc.write(courier, 'receiveWithAuthorization', args))).toEqual([
      'ERC20InvalidReceiver',
      bob.address,
    ])
  })

  test('of a contract moves the money of the contract', async () => {
    const wallet = { abi: smartWalletAbi, bytecode: smartWalletBytecode, args: [alice.address] } as const
    const address = await chain.deploy(encodeDeployData(wallet))
    await usdc.write(owner, 'mint', [address, USDC])
    const args = await signedAsBytes('TransferWithAuthorization', await authorization({ from: address }))
    await usdc.write(courier, 'transferWithAuthorization', args)
    expect(await usdc.read('balanceOf', [bob.address])).toBe(USDC)
  })
})

describe('cancelAuthorization', () => {
  test('invalidates an open authorization', async () => {
    const args = await authorized('TransferWithAuthorization', await authorization())
    const nonce = args[5]
    expect(events(await usdc.write(courier, 'cancelAuthorization', await cancellation(nonce)))).toEqual([
      ['AuthorizationCanceled', { authorizer: alice.address, nonce }],
    ])
    expect(await usdc.read('authorizationState', [alice.address, nonce])).toBe(true)
    const used = ['ERC3009UsedAuthorization', alice.address, nonce]
    expect(await revertOf(usdc.write(courier, 'transferWithAuthorization', args))).toEqual(used)
    expect(await revertOf(usdc.write(courier, 'cancelAuthorization', await cancellation(nonce)))).toEqual(
      used,
    )
  })

  test("refuses another key's signature", async () => {
    const args = await cancellation(withdrawalNonce('authorization'), signer)
    expect(await revertOf(usdc.write(courier, 'cancelAuthorization', args))).toEqual([
      'ERC3009InvalidSignature',
    ])
  })
})
