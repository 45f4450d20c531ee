import {
  smartWalletAbi,
  smartWalletBytecode,
  smartWalletFactoryAbi,
  smartWalletFactoryBytecode,
} from '@farebox/vault/test-contracts'
import type { SessionAnswer } from '@farebox/wire/auth'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  parseSignature,
  serializeErc6492Signature,
  serializeSignature,
  stringToHex,
  toHex,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RpcProxy, startRpcProxy } from '../../../test/kit/chain/rpc-proxy.ts'
import { startTestChain, type TestChain } from '../../../test/kit/chain/test-chain.ts'
import { type PartialGateway, startPartialGateway } from '../../../test/kit/gateway/partial-gateway.ts'
import { send } from '../../../test/kit/network/http.ts'
import { silent } from '../../../test/kit/silent-log.ts'
import { askChallenge, newWallet, signIn } from '../../../test/kit/world/wallets.ts'
import { connectChain } from '../../adapters/chain/chain.ts'

/** The gateway's timeout for its node, in ms. */
const NODE_TIMEOUT_MS = 3_000
/** Ten verifiers that use up their gas, on a busy machine. */
const ANSWER_MS_MAX = 10_000
/** A signature that no contract accepts. */
const ANYTHING: Hex = `0x${'12'.repeat(65)}`
const RUNS_FOR_EVER: Hex = '0x5b5f56'
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** Returns code that answers every call with a word. */
function codeThatAnswers(word: string): Hex {
  return `0x7f${word}5f5260205ff3` // mstore(0, word), return(0, 32)
}

/** Code of verifiers that never accept: they revert, use up the gas, trap, or return nothing. */
const HOSTILE_VERIFIERS: Readonly<Record<string, Hex>> = {
  reverts: '0x5f5ffd',
  'runs for ever': RUNS_FOR_EVER,
  traps: '0xfe',
  'answers nothing': '0x00',
  'answers zero': '0x60205ff3',
  'answers all ones': codeThatAnswers('ff'.repeat(32)),
  'answers the magic value and rubbish after it': codeThatAnswers(`1626ba7e${'ff'.repeat(28)}`),
  'answers a megabyte': '0x622000005ff3',
}

const key = newWallet()
let chain: TestChain
let node: RpcProxy
let gateway: PartialGateway
let factory: Address

beforeAll(async () => {
  chain = await startTestChain()
  node = await startRpcProxy(chain.rpcUrl)
  const adapter = await connectChain({
    rpcUrl: node.url,
    vault: chain.contracts.vault,
    requiredConfirmations: 1,
    ticketSignerKey: chain.ticketSignerKey,
    requestTimeoutMs: NODE_TIMEOUT_MS,
    log: silent,
  })
  gateway = await startPartialGateway({ chain: adapter })
  factory = await deployed(
    encodeDeployData({ abi: smartWalletFactoryAbi, bytecode: smartWalletFactoryBytecode }),
  )
})
afterAll(async () => {
  await gateway?.stop()
  await node?.stop()
  await chain?.stop()
})

async function deployed(data: Hex): Promise<Address> {
  const hash = await chain.send(key.address, null, data)
  const { contractAddress } = await chain.client.getTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('The deployment made no contract.')
  return contractAddress
}

const smartWallet = (owner: Address) =>
  deployed(encodeDeployData({ abi: smartWalletAbi, bytecode: smartWalletBytecode, args: [owner] }))

/** Returns the address of an undeployed wallet, and the calldata that deploys it. */
async function futureWallet(owner: Address, name: string) {
  const salt = keccak256(stringToHex(name))
  const address = await chain.client.readContract({
    address: factory,
    abi: smartWalletFactoryAbi,
    functionName: 'walletAddress',
    args: [owner, salt],
  })
  const data = encodeFunctionData({
    abi: smartWalletFactoryAbi,
    functionName: 'createWallet',
    args: [owner, salt],
  })
  return { address, data }
}

const wrapped = (data: Hex, signature: Hex) =>
  serializeErc6492Signature({ address: factory, data, signature })

async function verify(address: Address, sign: (message: string) => Promise<Hex> | Hex) {
  const message = await askChallenge(gateway.url, address)
  const signature = await sign(message)
  return send<SessionAnswer & { code?: string }>(gateway.url, '/api/v1/auth/verify', {
    method: 'POST',
    body: { address, message, signature },
  })
}

async function expectRefused(address: Address, sign: (message: string) => Promise<Hex> | Hex) {
  const answer = await verify(address, sign)
  expect([answer.status, answer.body.code]).toEqual([401, 'VERIFICATION_FAILED'])
}

test('a smart wallet signs in with a key that it accepts (ERC-1271)', async () => {
  const address = await smartWallet(key.address)
  const token = await signIn(gateway.url, { address, signMessage: input => key.signMessage(input) })
  const me = await send(gateway.url, '/api/v1/auth/me', { token })
  expect(me.body.wallet_address).toBe(getAddress(address))
})

test('a smart wallet does not sign in with another key, nor with a malleated signature', async () => {
  const address = await smartWallet(key.address)
  await expectRefused(address, message => newWallet().signMessage({ message }))
  await expectRefused(address, async message => {
    const { r, s, yParity } = parseSignature(await key.signMessage({ message }))
    const mirrored = toHex(CURVE_ORDER - BigInt(s), { size: 32 })
    return serializeSignature({ r, s: mirrored, yParity: yParity === 0 ? 1 : 0 })
  })
})

test('a key does not sign in as itself with what it signed as the key of a smart wallet', async () => {
  const address = await smartWallet(key.address)
  const message = await askChallenge(gateway.url, address)
  const answer = await send(gateway.url, '/api/v1/auth/verify', {
    method: 'POST',
    body: { address: key.address, message, signature: await key.signMessage({ message }) },
  })
  expect([answer.status, answer.body.code]).toEqual([401, 'VERIFICATION_FAILED'])
})

test('a smart wallet signs in before it is deployed (ERC-6492), and stays undeployed', async () => {
  const { address, data } = await futureWallet(key.address, 'to come')
  const answer = await verify(address, async message => wrapped(data, await key.signMessage({ message })))
  expect(answer.status).toBe(200)
  expect(await chain.client.getCode({ address })).toBe(undefined)
})

test('a deployed wallet signs in with a wrapped signature too', async () => {
  const { address, data } = await futureWallet(key.address, 'already there')
  await chain.send(key.address, factory, data)
  const answer = await verify(address, async message => wrapped(data, await key.signMessage({ message })))
  expect(answer.status).toBe(200)
})

test('a wrapped signature proves nothing by another key, another wallet, or a deployment that fails', async () => {
  const { address, data } = await futureWallet(key.address, 'refused')
  const stranger = newWallet()
  const theirs = await futureWallet(stranger.address, 'refused')
  await expectRefused(address, async message => wrapped(data, await stranger.signMessage({ message })))
  await expectRefused(address, async message => wrapped(theirs.data, await stranger.signMessage({ message })))
  await expectRefused(address, async message => wrapped('0x', await key.signMessage({ message })))
  await expectRefused(address, async message => wrapped('0xdeadbeef', await key.signMessage({ message })))
  // An address of a key has no code to verify with, even after a deployment.
  await expectRefused(stranger.address, async message => wrapped(data, await key.signMessage({ message })))
  await expectRefused(address, () => `0x${'6492'.repeat(16)}`)
  await expectRefused(address, () => `0x${'12'.repeat(64)}${'6492'.repeat(16)}`)
})

test.each(Object.entries(HOSTILE_VERIFIERS))('a verifier that %s signs nobody in', async (_, bytecode) => {
  const { address } = newWallet()
  await chain.client.setCode({ address, bytecode })
  await expectRefused(address, message => key.signMessage({ message }))
  await expectRefused(address, () => ANYTHING)
})

test('a verifier that says yes lets in whom it likes, to its own wallet', async () => {
  const { address } = newWallet()
  await chain.client.setCode({ address, bytecode: codeThatAnswers(`1626ba7e${'00'.repeat(28)}`) })
  expect((await verify(address, () => ANYTHING)).status).toBe(200)
})

test('precompiled contracts cannot sign in', async () => {
  for (let number = 1; number <= 10; number += 1) {
    const address: Address = `0x${number.toString(16).padStart(40, '0')}`
    await expectRefused(address, message => key.signMessage({ message }))
    await expectRefused(address, () => ANYTHING)
  }
})

test('verifiers that run for ever are refused, and others sign in, within seconds', async () => {
  const { address } = newWallet()
  const other = await smartWallet(key.address)
  await chain.client.setCode({ address, bytecode: RUNS_FOR_EVER })
  const from = performance.now()
  const hostile = Array.from({ length: 10 }, () => expectRefused(address, () => ANYTHING))
  await signIn(gateway.url, newWallet())
  await signIn(gateway.url, { address: other, signMessage: input => key.signMessage(input) })
  await Promise.all(hostile)
  expect(performance.now() - from).toBeLessThan(ANSWER_MS_MAX)
})

test('a verifier whose node never answers times out, and does not delay wallets with a key', async () => {
  const address = await smartWallet(key.address)
  const message = await askChallenge(gateway.url, address)
  const signature = await key.signMessage({ message })
  node.misbehave({ hangs: true })
  const from = performance.now()
  let isOver = false
  const hanging = send(gateway.url, '/api/v1/auth/verify', {
    method: 'POST',
    body: { address, message, signature },
  }).finally(() => {
    isOver = true
  })
  for (let count = 0; count < 3; count += 1) await signIn(gateway.url, newWallet())
  expect(isOver).toBe(false)
  const answer = await hanging
  expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE'])
  expect(performance.now() - from).toBeLessThan(ANSWER_MS_MAX)
  node.misbehave()
  // The challenge is still unused.
  const again = await send(gateway.url, '/api/v1/auth/verify', {
    method: 'POST',
    body: { address, message, signature },
  })
  expect(again.status).toBe(200)
})

// Stops the chain, so this comes last.

test('without the chain, keys sign in as usual and smart wallets are asked to retry', async () => {
  const address = await smartWallet(key.address)
  await chain.stop()
  await signIn(gateway.url, newWallet())

  const message = await askChallenge(gateway.url, address)
  const answer = await send(gateway.url, '/api/v1/auth/verify', {
    method: 'POST',
    body: { address, message, signature: await key.signMessage({ message }) },
  })
  expect([answer.status, answer.body.code]).toEqual([503, 'UNAVAILABLE'])
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
})
