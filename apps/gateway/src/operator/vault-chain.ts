import { setTimeout as delay } from 'node:timers/promises'
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { askFor, describeNodeError, openRpc } from '../adapters/chain/chain-rpc.ts'
import { openKey } from '../adapters/chain/chain-signer.ts'
import { readSecretOf, readSome } from '../config.ts'
import { accountKey } from '../setting-schemas.ts'

/** Maximum wait until a transaction is mined, and between looks, in ms. */
const MINED_MS_MAX = 600_000
const MINED_POLL_MS = 1_000
/** Timeout of one request: estimates and simulations take longer than reads. */
const REQUEST_TIMEOUT_MS = 20_000

/** The chain of `CHAIN_RPC_URL`, for an operator's command. */
export type VaultChain = {
  readonly chainId: number
  readonly client: PublicClient
  /** Account of OPERATOR_KEY; null without that setting. */
  readonly account: PrivateKeyAccount | null
  /**
   * Sends a transaction of `account`, prints its hash, and waits until it is mined.
   *
   * @throws Error if it reverts, or is not mined in ten minutes
   */
  send(call: { to?: Address; data: Hex }): Promise<TransactionReceipt>
}

/**
 * Opens the chain of `CHAIN_RPC_URL`, with the key of `OPERATOR_KEY` if it is set.
 *
 * @throws Error naming the setting that is missing or wrong
 */
export async function openVaultChain(
  env: NodeJS.ProcessEnv,
  print: (text: string) => void,
): Promise<VaultChain> {
  const { CHAIN_RPC_URL: url, CHAIN_ID } = readSome(env, ['CHAIN_RPC_URL', 'CHAIN_ID'])
  if (url === undefined) throw new Error('CHAIN_RPC_URL is not set.')
  const secret = readSecretOf(env, 'OPERATOR_KEY')
  if (secret !== undefined && !accountKey.safeParse(secret).success)
    throw new Error('OPERATOR_KEY must be the private key of an account, 32 bytes in hex.')
  const account = secret === undefined ? null : openKey(secret)
  const client = openRpc(url, REQUEST_TIMEOUT_MS).single
  const chainId = await explained(() => client.getChainId())
  if (CHAIN_ID !== undefined && CHAIN_ID !== chainId)
    throw new Error(`CHAIN_RPC_URL is an endpoint of chain ${chainId}, but CHAIN_ID is ${CHAIN_ID}.`)
  return {
    chainId,
    client,
    account,
    async send(call) {
      if (account === null) throw new Error('OPERATOR_KEY is not set (or OPERATOR_KEY_FILE).')
      const wallet = createWalletClient({
        account,
        transport: http(url, { timeout: REQUEST_TIMEOUT_MS, retryCount: 0 }),
      })
      const hash = await explained(() => wallet.sendTransaction({ chain: null, ...call }))
      print(`transaction  ${hash}`)
      const receipt = await awaitMined(client, hash)
      if (receipt.status !== 'success') throw new Error(`The transaction ${hash} reverted.`)
      return receipt
    },
  }
}

/** Polls: viem's own wait looks once for each new block, and a chain may make none. */
async function awaitMined(client: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  const until = performance.now() + MINED_MS_MAX
  for (;;) {
    const receipt = await askFor(
      () => client.getTransactionReceipt({ hash }),
      TransactionReceiptNotFoundError,
    )
    if (receipt !== null) return receipt
    if (performance.now() > until)
      throw new Error(`The transaction ${hash} is not mined yet. Look for it before you send another.`)
    await delay(MINED_POLL_MS)
  }
}

/** Runs requests; an error names the revert or the node's reason, and no URL. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    const revert = error.walk(cause => cause instanceof ContractFunctionRevertedError)
    if (revert instanceof ContractFunctionRevertedError)
      throw new Error(`The vault refuses it: ${revert.data?.errorName ?? revert.reason ?? 'it reverts'}.`)
    throw new Error(describeNodeError(error))
  }
}
