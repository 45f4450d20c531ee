import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  serializeErc6492Signature,
  zeroHash,
} from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  alice,
  bob,
  type Chain,
  contractAt,
  courier,
  mallory,
  owner,
  revertOf,
  signer,
  startChain,
} from '../test/chain.ts'
import { openVault, pay, ticketFor, USDC, vaultEvents } from '../test/fixture.ts'
import { fareboxVaultAbi, testUsdcAbi } from './index.ts'
import {
  smartWalletAbi,
  smartWalletBytecode,
  smartWalletFactoryAbi,
  smartWalletFactoryBytecode,
} from './test-contracts.gen.ts'

const MESSAGE = 'Farebox: log in'

let chain: Chain

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

async function deployWallet(walletOwner: Address) {
  const data = encodeDeployData({ abi: smartWalletAbi, bytecode: smartWalletBytecode, args: [walletOwner] })
  return contractAt(chain, smartWalletAbi, await chain.deploy(data))
}

describe('a vault whose signer is a contract', () => {
  test('pays only the tickets that the contract accepts (ERC-1271)', async () => {
    const wallet = await deployWallet(signer.address)
    const { usdc, vault } = await openVault(chain, { signer: wallet.address })
    await usdc.write(owner, 'mint', [vault.address, 10n * USDC])
    const ticket = await ticketFor(chain, bob)
    expect(await revertOf(pay(vault, ticket, mallory))).toEqual(['InvalidSignature'])
    expect(vaultEvents(await pay(vault, ticket, signer))).toEqual([
      ['Withdrawn', { to: bob.address, amount: USDC, nonce: ticket.nonce }],
    ])
  })

  test('refuses every ticket when the contract does not implement signatures', async () => {
    const { usdc } = await openVault(chain)
    const { vault } = await openVault(chain, { signer: usdc.address })
    expect(await revertOf(pay(vault, await ticketFor(chain, bob)))).toEqual(['InvalidSignature'])
  })
})

describe('a smart wallet', () => {
  test('deposits like anyone else, in its own name', async () => {
    const wallet = await deployWallet(alice.address)
    const { usdc, vault } = await openVault(chain)
    await usdc.write(owner, 'mint', [wallet.address, USDC])
    const approve = encodeFunctionData({
      abi: testUsdcAbi,
      functionName: 'approve',
      args: [vault.address, USDC],
    })
    const deposit = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [USDC] })
    await wallet.write(alice, 'execute', [usdc.address, approve])
    const receipt = await wallet.write(alice, 'execute', [vault.address, deposit])
    expect(vaultEvents(receipt)).toContainEqual([
      'Deposited',
      expect.objectContaining({ owner: getAddress(wallet.address), amount: USDC }),
    ])
  })

  test('obeys only its owner', async () => {
    const wallet = await deployWallet(alice.address)
    expect(await revertOf(wallet.write(mallory, 'execute', [wallet.address, '0x']))).toEqual(['NotOwner'])
  })

  test("accepts only its owner's signature, and returns rather than reverts for a malformed one", async () => {
    const wallet = await deployWallet(alice.address)
    const byOwner = await alice.sign({ hash: zeroHash })
    const byOther = await mallory.sign({ hash: zeroHash })
    expect(await wallet.read('isValidSignature', [zeroHash, byOwner])).toBe('0x1626ba7e')
    for (const wrong of [byOther, '0x', '0x00'] satisfies Hex[]) {
      expect(await wallet.read('isValidSignature', [zeroHash, wrong])).toBe('0xffffffff')
    }
  })
})

describe('a counterfactual smart wallet', () => {
  const createdBy = () =>
    chain
      .deploy(encodeDeployData({ abi: smartWalletFactoryAbi, bytecode: smartWalletFactoryBytecode }))
      .then(address => contractAt(chain, smartWalletFactoryAbi, address))
  let factory: Awaited<ReturnType<typeof createdBy>>
  let address: Address
  let signature: Hex

  beforeEach(async () => {
    factory = await createdBy()
    address = await factory.read('walletAddress', [alice.address, zeroHash])
    signature = await wrapped(alice)
  })

  /** Signs the message and wraps the signature as ERC-6492 with the code that deploys Alice's wallet. */
  async function wrapped(by: typeof alice): Promise<Hex> {
    return serializeErc6492Signature({
      address: factory.address,
      data: encodeFunctionData({
        abi: smartWalletFactoryAbi,
        functionName: 'createWallet',
        args: [alice.address, zeroHash],
      }),
      signature: await by.signMessage({ message: MESSAGE }),
    })
  }

  test('can sign (ERC-6492), and signing deploys nothing', async () => {
    expect(await chain.client.verifyMessage({ address, message: MESSAGE, signature })).toBe(true)
    expect(await chain.client.verifyMessage({ address, message: `${MESSAGE}!`, signature })).toBe(false)
    expect(await chain.client.getCode({ address })).toBeUndefined()
  })

  test("does not accept another key's signature", async () => {
    const forged = await wrapped(mallory)
    expect(await chain.client.verifyMessage({ address, message: MESSAGE, signature: forged })).toBe(false)
  })

  test('can be deployed at the predicted address by anyone, with its owner', async () => {
    await factory.write(courier, 'createWallet', [alice.address, zeroHash])
    const wallet = contractAt(chain, smartWalletAbi, address)
    expect(await wallet.read('owner', [])).toBe(alice.address)
  })

  test('still verifies by the same signature once it is deployed, and by the plain one', async () => {
    await factory.write(courier, 'createWallet', [alice.address, zeroHash])
    await factory.write(courier, 'createWallet', [alice.address, zeroHash])
    const plain = await alice.signMessage({ message: MESSAGE })
    expect(await chain.client.verifyMessage({ address, message: MESSAGE, signature })).toBe(true)
    expect(await chain.client.verifyMessage({ address, message: MESSAGE, signature: plain })).toBe(true)
  })

  test('has another address for another owner or another salt', async () => {
    const addresses = [
      address,
      await factory.read('walletAddress', [bob.address, zeroHash]),
      await factory.read('walletAddress', [alice.address, `0x${'00'.repeat(31)}01`]),
    ]
    expect(new Set(addresses).size).toBe(3)
  })
})
