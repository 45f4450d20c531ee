import { testUsdcAbi } from '@farebox/vault'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  type PublicClient,
  parseErc6492Signature,
  parseSignature,
  TransactionNotFoundError,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Authorization, Settler } from '../../payment-ports.ts'
import type { ChainFacts, Log } from '../../ports.ts'
import { lowerCase } from './chain-events.ts'
import { createQuorum, type Quorum } from './chain-quorum.ts'
import { ask, askContract, isFailedExecution, unavailable } from './chain-rpc.ts'
import { openKey } from './chain-signer.ts'

/** Maximum gas of a payment: a transfer needs a third of it, the rest is for the signatures of contracts. */
const GAS_MAX = 250_000n
/** Gas of a transaction that must not be sent. */
const GAS_NEVER = GAS_MAX + 1n
const KEY_SIGNATURE_HEX_LENGTH = 2 + 2 * 65
/** Fees of a transaction that takes the place of another, in percent of that one's; nodes ask for 110 or more. */
const RISE_PERCENT = 125n
/** The same, at most, as a multiple of the current fees. */
const FEES_TIMES_MAX = 10n
/** Maximum rises at once, and maximum transactions of a payment that are looked for. */
const RISES_MAX = 8

/** Endpoints and key of {@link createSettler}. */
export type SettlerOptions = {
  readonly urls: readonly string[]
  /** 32 bytes in hex, with or without 0x. */
  readonly key: string
  readonly facts: ChainFacts
  readonly log: Log
}

/**
 * Creates a settler, and reads the domain of the token.
 *
 * @throws GatewayError UNAVAILABLE if the chain is unreachable
 * @throws Error if the token has no name and version to sign for
 */
export async function createSettler({ urls, key, facts, log }: SettlerOptions): Promise<Settler> {
  const quorum = createQuorum({ urls, timeoutMs: undefined, log, metrics: undefined })
  const account = openKey(key)
  const token = await readDomain(quorum, facts)
  const atToken = { address: facts.usdc, abi: testUsdcAbi } as const
  return {
    address: lowerCase(account.address),
    token,
    verify: authorization =>
      quorum.agree('payment', ({ single }) => verify(single, { facts, token, authorization })),
    isUsed: ({ payer, nonce }) =>
      quorum.agree('authorization', ({ single }) =>
        ask(() =>
          single.readContract({ ...atToken, functionName: 'authorizationState', args: [payer, nonce] }),
        ),
      ),
    gas: () => quorum.middle('gas', ({ single }) => ask(() => gasOf(single, account))),
    async submit(authorization, sent, onSigned) {
      const call = { to: getAddress(facts.usdc), data: callOf(authorization) }
      const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = await quorum.middle(
        'transaction',
        ({ single }) => ask(() => offerOf(single, { account, call, sent })),
      )
      if (gas > GAS_MAX) return null
      const fees = { maxFeePerGas, maxPriorityFeePerGas }
      const transaction = { ...call, ...fees, nonce: Number(nonce), gas: GAS_MAX }
      const signed = await account.signTransaction({
        ...transaction,
        chainId: facts.chainId,
        type: 'eip1559',
      })
      const txHash = keccak256(signed)
      await onSigned(txHash)
      await quorum.any(({ single }) => broadcast(single, signed, txHash))
      return txHash
    },
  }
}

/** Returns the EIP-712 domain of a token: by ERC-5267, or by its name and version, as USDC has them. */
async function readDomain(quorum: Quorum, facts: ChainFacts): Promise<Settler['token']> {
  const atToken = { address: facts.usdc, abi: testUsdcAbi } as const
  const found = await quorum.agree('token', async ({ single }) => {
    const read = (functionName: 'name' | 'version') =>
      askContract(() => single.readContract({ ...atToken, functionName }))
    const domain = await askContract(() => single.readContract({ ...atToken, functionName: 'eip712Domain' }))
    return domain === null
      ? { name: await read('name'), version: await read('version') }
      : { name: domain[1], version: domain[2] }
  })
  const { name, version } = found
  if (name === null || version === null)
    throw new Error(
      `The token ${facts.usdc} has no name and version: X402_SETTLER_KEY cannot be used with it.`,
    )
  return { name, version }
}

/** Verifies as a facilitator does, with a simulation of the transfer. */
async function verify(
  client: PublicClient,
  input: { facts: ChainFacts; token: Settler['token']; authorization: Authorization },
): Promise<string | null> {
  const { facts, token, authorization } = input
  const { payer, to, amount, validAfter, validBefore, nonce, signature } = authorization
  let unreachable: unknown = null
  const reach = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      // The library takes every failure for an invalid signature.
      if (!isFailedExecution(error)) unreachable = error
      throw error
    }
  }
  const refuse = () => Promise.reject(new Error('Verification sends nothing.'))
  const scheme = new ExactEvmScheme({
    getAddresses: () => [],
    readContract: call => reach(() => client.readContract(call)),
    getCode: call => reach(() => client.getCode(call)),
    verifyTypedData: refuse,
    writeContract: refuse,
    sendTransaction: refuse,
    waitForTransactionReceipt: refuse,
  })
  const requirements = {
    scheme: 'exact',
    network: `eip155:${facts.chainId}`,
    asset: getAddress(facts.usdc),
    amount: amount.toString(),
    payTo: getAddress(facts.vault),
    maxTimeoutSeconds: 0,
    extra: { ...token },
  } as const
  const { isValid, invalidReason = 'invalid_payload' } = await scheme.verify(
    {
      x402Version: 2,
      accepted: requirements,
      payload: {
        signature,
        authorization: {
          from: getAddress(payer),
          to: getAddress(to),
          value: amount.toString(),
          validAfter: validAfter.toString(),
          validBefore: validBefore.toString(),
          nonce,
        },
      },
    },
    requirements,
  )
  if (isValid) return null
  if (unreachable !== null) throw unavailable(unreachable)
  return invalidReason
}

type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

async function feesOf(client: PublicClient): Promise<Fees> {
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
  return { maxFeePerGas, maxPriorityFeePerGas }
}

async function gasOf(client: PublicClient, { address }: PrivateKeyAccount) {
  const [left, { maxFeePerGas }] = await Promise.all([client.getBalance({ address }), feesOf(client)])
  return { left, perPayment: GAS_MAX * maxFeePerGas }
}

/** Call of a contract. */
type Call = { readonly to: Address; readonly data: Hex }

/**
 * Returns nonce, gas and fees of a payment's next transaction as one node sees them. The gas is over the maximum if the
 * transaction would fail, or if an earlier one will be mined.
 */
async function offerOf(
  client: PublicClient,
  { account, call, sent }: { account: PrivateKeyAccount; call: Call; sent: readonly Hex[] },
): Promise<Fees & { readonly nonce: bigint; readonly gas: bigint }> {
  const [place, fees, gas] = await Promise.all([
    findPlace(client, account, sent),
    feesOf(client),
    client.estimateGas({ account: account.address, ...call, blockTag: 'pending' }).catch((error: unknown) => {
      if (isFailedExecution(error)) return GAS_NEVER
      throw error
    }),
  ])
  const { nonce, maxFeePerGas, maxPriorityFeePerGas } = place ?? { nonce: 0, ...fees }
  return {
    nonce: BigInt(nonce),
    gas: place === null ? GAS_NEVER : gas,
    maxFeePerGas: atLeast(maxFeePerGas, fees.maxFeePerGas),
    maxPriorityFeePerGas: atLeast(maxPriorityFeePerGas, fees.maxPriorityFeePerGas),
  }
}

/** Returns the fee that a place needs, within the current one and a multiple of it. */
function atLeast(least: bigint, current: bigint): bigint {
  if (least <= current) return current
  return least < FEES_TIMES_MAX * current ? least : FEES_TIMES_MAX * current
}

/** Nonce of a transaction, and the least fees with which nodes take it. */
type Place = Fees & { readonly nonce: number }

/**
 * Returns the place of the next transaction: after all that wait in the pool. If the payment has one there that the
 * base fee has overtaken, or that waits for such a one, it is the first place: no later one is mined before it.
 *
 * @param sent the payment's transactions, oldest first
 * @returns null if one of them will be mined at its price
 */
async function findPlace(
  client: PublicClient,
  { address }: PrivateKeyAccount,
  sent: readonly Hex[],
): Promise<Place | null> {
  const newestFirst = sent.slice(-RISES_MAX).reverse()
  const [next, first, { baseFeePerGas }, ...found] = await Promise.all([
    client.getTransactionCount({ address, blockTag: 'pending' }),
    client.getTransactionCount({ address, blockTag: 'latest' }),
    client.getBlock({ blockTag: 'latest' }),
    ...newestFirst.map(txHash => readWaiting(client, txHash)),
  ])
  const at = found.findIndex(transaction => transaction !== null)
  const waiting = found[at] ?? null
  if (waiting === null) return { nonce: next, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = waiting
  if (waiting.nonce === first && maxFeePerGas >= (baseFeePerGas ?? 0n)) return null
  // Later ones that are not in the pool were refused: the fees of the first place are higher.
  const rises = BigInt(at + 1)
  const raised = (fee: bigint) => (fee * RISE_PERCENT ** rises) / 100n ** rises + 1n
  return {
    nonce: first,
    maxFeePerGas: raised(maxFeePerGas),
    maxPriorityFeePerGas: raised(maxPriorityFeePerGas),
  }
}

/** Returns a transaction that waits in the pool of a node, or null. */
async function readWaiting(client: PublicClient, hash: Hex) {
  const found = await client.getTransaction({ hash }).catch((error: unknown) => {
    if (error instanceof TransactionNotFoundError) return null
    throw error
  })
  return found?.blockNumber === null ? found : null
}

/** Returns the call of the token: by the parts of a key's signature, or by the bytes of a contract's. */
function callOf({ payer, to, amount, validAfter, validBefore, nonce, signature }: Authorization): Hex {
  const moved = [getAddress(payer), getAddress(to), amount, validAfter, validBefore, nonce] as const
  const { signature: bytes } = parseErc6492Signature(signature)
  const call = { abi: testUsdcAbi, functionName: 'transferWithAuthorization' } as const
  if (bytes.length !== KEY_SIGNATURE_HEX_LENGTH)
    return encodeFunctionData({ ...call, args: [...moved, bytes] })
  const { r, s, yParity } = parseSignature(bytes)
  return encodeFunctionData({ ...call, args: [...moved, yParity + 27, r, s] })
}

/** Broadcasts a transaction. A node that has it already is no failure. */
async function broadcast(client: PublicClient, signed: Hex, txHash: Hex): Promise<void> {
  try {
    await ask(() => client.sendRawTransaction({ serializedTransaction: signed }))
  } catch (error) {
    const known = await client.getTransaction({ hash: txHash }).catch(() => null)
    if (known === null) throw error
  }
}
