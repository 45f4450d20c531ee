import {
  type Account,
  type Address,
  createWalletClient,
  defineChain,
  erc20Abi,
  formatUnits,
  getAddress,
  type Hash,
  http,
  parseAbi,
  parseUnits,
  publicActions,
  type Transport,
} from 'viem'
import type { AnswerOf, Client } from './client.ts'
import { GatewayError } from './errors.ts'
import { pages } from './paging.ts'
import { pause } from './pause.ts'

const USDC_DECIMALS = 6
/** Default time for a deposit, in ms: two transactions and the confirmations that the gateway requires. */
const TIMEOUT_MS = 300_000
/** Pause between two looks for a transaction or its confirmations, in ms. */
const POLL_MS = 1_000

const vaultAbi = parseAbi(['function deposit(uint256 amount)'])

/**
 * A step of a deposit. After `deposited` the gateway credits it even if this program ends; it comes again with the hash of
 * a transaction that the wallet sent in its place at another fee.
 */
export type DepositStep =
  | { readonly kind: 'approved' | 'deposited'; readonly txHash: Hash }
  | { readonly kind: 'confirming'; readonly confirmations: number; readonly requiredConfirmations: number }

/** Limits of a deposit, and a listener to its steps. */
export type DepositProgress = {
  /** Time for all steps, in ms. Default 300,000. */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called after each step, and at each look for confirmations. */
  readonly onStep?: ((step: DepositStep) => void) | undefined
}

/** A deposit to make. */
export type DepositInput = DepositProgress & {
  /** Account of viem that is signed in and pays. One without a key, such as an address, needs a `transport`. */
  readonly account: Account | Address
  /** Decimal USDC, at most six decimals. */
  readonly amountUsdc: string
  /** Way to the chain, such as `custom(window.ethereum)`. Default: HTTP to the RPC endpoint that the gateway names. */
  readonly transport?: Transport | undefined
}

/** Pages of deposits that are searched for a transaction. */
const PAGES_MAX = 20

type Api = Pick<Client, 'openDeposit' | 'confirmDeposit' | 'listDeposits'>

/** A deposit as the gateway has it. */
export type Deposit = AnswerOf<'confirmDeposit'>['intent']

/**
 * Moves USDC from a wallet into the vault of the gateway and waits until it is credited. Sends two transactions: an
 * approval of exactly this amount, unless the vault may take it already, and the deposit. The wallet needs some ether
 * for them.
 *
 * @param owner client of the wallet that pays
 * @param input what to deposit
 * @throws RangeError if the amount is not a positive decimal with at most six decimals; nothing was sent
 * @throws GatewayError TIMEOUT if it took too long: the deposit is credited later, or `claimDeposit` waits for it;
 * DEPOSIT_REJECTED
 * @throws Error if a transaction was reverted, or cancelled by another; and viem's errors of the chain, such as that of a
 * wallet with too little USDC
 * @example
 * const { amountUsdc } = await deposit(owner, { account, amountUsdc: '25' })
 */
export async function deposit(
  owner: Api & Pick<Client, 'readChain'>,
  { account, amountUsdc, transport, ...progress }: DepositInput,
): Promise<Deposit> {
  const amount = parseAmount(amountUsdc)
  const end = Date.now() + (progress.timeoutMs ?? TIMEOUT_MS)
  const info = await owner.readChain(signalOf(progress))
  const vault = getAddress(info.vault)
  const usdc = { address: getAddress(info.usdc), abi: erc20Abi } as const
  const wallet = createWalletClient({
    account,
    chain: chainOf(info),
    transport: transport ?? http(info.rpcUrl),
    pollingInterval: POLL_MS,
  }).extend(publicActions)

  /** Waits until a transaction is mined, or the one that a wallet sent in its place; returns the hash of that. */
  const mined = async (hash: Hash): Promise<Hash> => {
    let isSame = true
    const { status, transactionHash } = await wallet.waitForTransactionReceipt({
      hash,
      timeout: Math.max(1, end - Date.now()),
      onReplaced({ reason }) {
        isSame = reason === 'repriced'
      },
    })
    if (!isSame) throw new Error(`The transaction ${hash} was cancelled by ${transactionHash}.`)
    if (status !== 'success') throw new Error(`The transaction ${transactionHash} was reverted.`)
    progress.signal?.throwIfAborted()
    return transactionHash
  }
  const allowed = await wallet.readContract({
    ...usdc,
    functionName: 'allowance',
    args: [wallet.account.address, vault],
  })
  if (allowed < amount) {
    const sent = await wallet.writeContract({ ...usdc, functionName: 'approve', args: [vault, amount] })
    const txHash = await mined(sent)
    progress.onStep?.({ kind: 'approved', txHash })
  }
  const call = { address: vault, abi: vaultAbi, functionName: 'deposit', args: [amount] } as const
  const sent = await wallet.writeContract(call)
  progress.onStep?.({ kind: 'deposited', txHash: sent })
  const txHash = await mined(sent)
  if (txHash !== sent) progress.onStep?.({ kind: 'deposited', txHash })
  return claimDeposit(owner, {
    ...progress,
    timeoutMs: Math.max(0, end - Date.now()),
    txHash,
    amountUsdc: formatUnits(amount, USDC_DECIMALS),
  })
}

/**
 * Claims a deposit whose transaction is sent, and waits until it is credited: the end of {@link deposit}, for a program
 * that was interrupted in between. A transaction that the same wallet has claimed before is no error.
 *
 * @param owner client of the wallet that paid
 * @param input its transaction, and the amount that it claims
 * @throws GatewayError TIMEOUT if it took too long; DEPOSIT_REJECTED; DUPLICATE_TX_HASH if another wallet claimed it
 */
export async function claimDeposit(
  owner: Api,
  {
    txHash,
    amountUsdc,
    ...progress
  }: DepositProgress & { readonly txHash: Hash; readonly amountUsdc: string },
): Promise<Deposit> {
  const end = Date.now() + (progress.timeoutMs ?? TIMEOUT_MS)
  const about = signalOf(progress)
  const id = await openIntent(owner, { txHash, amountUsdc, about })
  for (;;) {
    try {
      return (await owner.confirmDeposit({ ...about, path: { id } })).intent
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'DEPOSIT_NOT_CONFIRMED') throw error
      const { confirmations, requiredConfirmations } = error.detail
      progress.onStep?.({
        kind: 'confirming',
        confirmations: Number(confirmations),
        requiredConfirmations: Number(requiredConfirmations),
      })
      if (Date.now() >= end) {
        const message = 'The deposit is not confirmed yet. The gateway credits it once it is.'
        throw new GatewayError('TIMEOUT', message, { detail: error.detail, cause: error })
      }
    }
    await pause(POLL_MS, progress.signal)
  }
}

/** Returns the id of a transaction's claim. */
async function openIntent(
  owner: Api,
  { txHash, amountUsdc, about }: { txHash: Hash; amountUsdc: string; about: { signal?: AbortSignal } },
): Promise<string> {
  try {
    // The same transaction is always claimed under the same key: a repeated claim is answered as the first.
    const body = { tx_hash: txHash, amount: amountUsdc }
    return (await owner.openDeposit({ ...about, body, idempotencyKey: `deposit-${txHash}` })).intent.id
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'DUPLICATE_TX_HASH') throw error
    // Another program of this wallet may have claimed it.
    let read = 0
    for await (const { deposits } of pages(cursor =>
      owner.listDeposits({ ...about, query: { ...cursor, limit: 100 } }),
    )) {
      const own = deposits.find(each => each.txHash === txHash.toLowerCase())
      if (own !== undefined) return own.id
      read += 1
      if (read === PAGES_MAX) break
    }
    throw error
  }
}

function parseAmount(amountUsdc: string): bigint {
  const isAmount = /^\d{1,15}(\.\d{1,6})?$/.test(amountUsdc)
  const amount = isAmount ? parseUnits(amountUsdc, USDC_DECIMALS) : 0n
  if (amount === 0n) {
    throw new RangeError(`amountUsdc: "${amountUsdc}" is not a positive amount of USDC, such as "2.5".`)
  }
  return amount
}

function chainOf({ chainId, rpcUrl }: AnswerOf<'readChain'>) {
  return defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    rpcUrls: { default: { http: [rpcUrl] } },
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  })
}

function signalOf({ signal }: DepositProgress) {
  return signal === undefined ? {} : { signal }
}
