import type { AnswerOf } from '@farebox/client'
import { fareboxVaultAbi } from '@farebox/vault'
import {
  type Account,
  type Address,
  BaseError,
  createWalletClient,
  defineChain,
  getAddress,
  HttpRequestError,
  http,
  publicActions,
  TimeoutError,
} from 'viem'
import { EXIT } from '../exit-codes.ts'
import { Failure, toFailure } from '../failure.ts'
import type { Session } from '../session.ts'
import type { ChainFacts } from '../state/profiles.ts'
import { nextCommand } from '../terminal/next-command.ts'
import { describeChain, isSameChain } from './chain-facts.ts'

/** Pause between two looks for a transaction, in ms. */
const POLL_MS = 1_000
/** Timeout of a request to the node, and repetitions of one that failed. */
const NODE_TIMEOUT_MS = 20_000
const NODE_RETRIES = 2

/** The vault that was signed in to, reached over a node of its chain. */
export type Vault = Awaited<ReturnType<typeof openVault>>

/**
 * Connects to the chain of a gateway, and checks that it is the one that was signed in to.
 *
 * @param how.account the wallet that will sign; null to read only
 * @param how.rpcUrl  node; default: FAREBOX_RPC_URL, else the one that the gateway names
 * @throws Failure if gateway, node or vault are of another chain, or the wallet is another. Nothing was signed.
 */
export async function openVault(
  session: Session,
  how: { account: Account | null; rpcUrl: string | undefined },
) {
  const { api, profile } = session.owner()
  const { account } = how
  const wallet = getAddress(profile.wallet)
  if (account !== null && account.address !== wallet)
    throw mismatch('WALLET_MISMATCH', `The key is that of ${account.address}; ${wallet} is signed in.`)
  const info = await api.readChain()
  checkChain(session.gateway, profile.chain, info)
  const address = getAddress(info.vault)
  const rpcUrl = how.rpcUrl ?? process.env.FAREBOX_RPC_URL ?? info.rpcUrl
  const client = createWalletClient({
    account: account ?? wallet,
    chain: defineChain({
      id: info.chainId,
      name: `chain ${info.chainId}`,
      rpcUrls: { default: { http: [rpcUrl] } },
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    }),
    transport: http(rpcUrl, { timeout: NODE_TIMEOUT_MS, retryCount: NODE_RETRIES }),
    pollingInterval: POLL_MS,
  }).extend(publicActions)
  const contract = { address, abi: fareboxVaultAbi } as const
  const chainId = await onChain(client.getChainId())
  if (chainId !== info.chainId)
    throw mismatch(
      'CHAIN_MISMATCH',
      `The node ${rpcUrl} is of chain ${chainId}, not of chain ${info.chainId}.`,
    )
  const token = await readToken(client.readContract({ ...contract, functionName: 'token' }), address)
  if (token !== getAddress(info.usdc))
    throw mismatch('CHAIN_MISMATCH', `The vault ${address} holds the token ${token}, not ${info.usdc}.`)
  return { api, wallet, client, contract, address, usdc: token, chain: profile.chain, rpcUrl }
}

/**
 * Waits for an answer of the chain.
 *
 * @param hints what to say of the money if it fails
 * @throws Failure CHAIN_UNREACHABLE, or CHAIN_REFUSED with the reason
 */
export async function onChain<Answer>(
  answer: Promise<Answer>,
  hints: readonly string[] = ['Nothing was signed.'],
): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof BaseError)) throw toFailure(error, hints)
    const away = error.walk(each => each instanceof HttpRequestError || each instanceof TimeoutError)
    const isAway = away !== null
    // With a status, the node has answered.
    const isDead = away instanceof HttpRequestError && away.status === undefined
    const message = isDead ? `The node ${away.url} cannot be reached.` : error.shortMessage
    throw new Failure(isAway ? 'CHAIN_UNREACHABLE' : 'CHAIN_REFUSED', message, {
      exitCode: isAway ? EXIT.later : EXIT.refused,
      hints: isAway ? [...hints, 'To use another node: --rpc URL, or FAREBOX_RPC_URL.'] : hints,
      cause: error,
    })
  }
}

function checkChain(gateway: string, known: ChainFacts, now: AnswerOf<'readChain'>): void {
  if (isSameChain(known, now)) return
  throw mismatch(
    'CHAIN_MISMATCH',
    `${gateway} is on another chain than at the sign-in.`,
    `signed in to: ${describeChain(known)}`,
    `now:          ${describeChain(now)}`,
    `If that is intended, sign in again: ${nextCommand('login')}`,
  )
}

async function readToken(token: Promise<Address>, vault: Address): Promise<Address> {
  try {
    return await token
  } catch (error) {
    const isNoVault = error instanceof BaseError && /returned no data/.test(error.message)
    if (!isNoVault) return onChain(Promise.reject(error))
    throw mismatch('CHAIN_MISMATCH', `There is no vault at ${vault} on this chain.`)
  }
}

function mismatch(code: string, message: string, ...hints: string[]): Failure {
  return new Failure(code, `${message} Nothing was signed.`, { exitCode: EXIT.mismatch, hints })
}
