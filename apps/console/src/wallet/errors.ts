/** What went wrong between the page, the wallet and the chain. */
export type WalletProblem =
  | 'REJECTED'
  | 'BUSY'
  | 'WRONG_CHAIN'
  | 'OTHER_ACCOUNT'
  | 'NO_WALLET'
  | 'NO_GAS'
  | 'REVERTED'
  | 'DROPPED'
  | 'CHAIN_UNREACHABLE'
  | 'RELAY_UNREACHABLE'
  | 'CODE_EXPIRED'
  | 'NO_ANSWER'
  | 'FAILED'

const messages: Record<WalletProblem, string> = {
  REJECTED: 'You declined this in your wallet. Nothing was sent.',
  BUSY: 'Your wallet still waits for your answer to an earlier question. Open it and answer.',
  WRONG_CHAIN: 'Your wallet is on another network, and did not switch. Switch it by hand, then try again.',
  OTHER_ACCOUNT: 'Your wallet is at another account than the one signed in. Switch back, or sign in anew.',
  NO_WALLET: 'No wallet is connected. Unlock it, or connect another.',
  NO_GAS: 'This wallet has not enough ether for the network fee.',
  REVERTED: 'The transaction was refused by the contract. Nothing was moved.',
  DROPPED:
    'The transaction was cancelled or replaced in your wallet by another. Nothing was moved by this one.',
  CHAIN_UNREACHABLE: 'The chain cannot be reached. What you have sent stays sent; try again in a moment.',
  RELAY_UNREACHABLE:
    'WalletConnect, which carries messages to your phone, cannot be reached. Nothing was sent; try again in a moment.',
  CODE_EXPIRED: 'No phone has read the code in time. Take a new one.',
  NO_ANSWER:
    'Your phone did not answer. Open the wallet there before you try again: what you approve there may still be sent.',
  FAILED: 'The wallet could not do this.',
}

/** Nothing was sent by a wallet that gives one of these answers. */
export const NOT_SENT: readonly WalletProblem[] = [
  ...(['REJECTED', 'BUSY', 'WRONG_CHAIN', 'OTHER_ACCOUNT', 'NO_WALLET', 'NO_GAS', 'REVERTED'] as const),
  'RELAY_UNREACHABLE',
]

/** Something that a wallet or the chain did not do, in words for people. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly problem: WalletProblem
  /** What the contract or the wallet said itself, such as `TicketExpired`; null when it said nothing. */
  readonly reason: string | null

  constructor(problem: WalletProblem, options: { detail?: string; cause?: unknown } = {}) {
    super(options.detail === undefined ? messages[problem] : `${messages[problem]} (${options.detail})`, {
      cause: options.cause,
    })
    this.problem = problem
    this.reason = options.detail ?? null
  }
}

/** Errors by their name in viem and wagmi; by number where wallets speak for themselves (EIP-1193, EIP-1474). */
const problemsByName: Readonly<Record<string, WalletProblem>> = {
  UserRejectedRequestError: 'REJECTED',
  ResourceUnavailableRpcError: 'BUSY',
  SwitchChainError: 'WRONG_CHAIN',
  SwitchChainNotSupportedError: 'WRONG_CHAIN',
  ConnectorChainMismatchError: 'WRONG_CHAIN',
  ChainMismatchError: 'WRONG_CHAIN',
  ConnectorAccountNotFoundError: 'OTHER_ACCOUNT',
  ConnectorNotConnectedError: 'NO_WALLET',
  ProviderNotFoundError: 'NO_WALLET',
  InsufficientFundsError: 'NO_GAS',
  ContractFunctionRevertedError: 'REVERTED',
  ExecutionRevertedError: 'REVERTED',
  HttpRequestError: 'CHAIN_UNREACHABLE',
  TimeoutError: 'CHAIN_UNREACHABLE',
}
const problemsByNumber: Readonly<Record<number, WalletProblem>> = { 4001: 'REJECTED', [-32_002]: 'BUSY' }
const DEPTH_MAX = 10
/** What is longer is no reason, but the log of some node. */
const REASON_LENGTH_MAX = 120
/** How wallets, which all have words of their own, say that the fee cannot be paid. */
const NO_FUNDS = /insufficient funds|insufficient balance|exceeds the balance|not enough (?:ether|eth|funds)/i

/** Any error of a wallet or the chain as a {@link WalletError}; the cause behind it decides. */
export function readWalletError(error: unknown): WalletError {
  if (error instanceof WalletError) return error
  // First: what a wallet says of it may be taken for the word of the contract.
  if (error instanceof Error && NO_FUNDS.test(error.message))
    return new WalletError('NO_GAS', { cause: error })
  let each: unknown = error
  for (let depth = 0; depth < DEPTH_MAX && each instanceof Error; depth++) {
    if (each instanceof WalletError) return each
    const { code } = each as { code?: unknown }
    const problem =
      problemsByName[each.name] ?? (typeof code === 'number' ? problemsByNumber[code] : undefined)
    if (problem !== undefined) return new WalletError(problem, { cause: error, ...reasonOf(problem, each) })
    each = each.cause
  }
  const detail = (error as { shortMessage?: string } | null)?.shortMessage ?? (error as Error | null)?.message
  return new WalletError('FAILED', { cause: error, ...(detail !== undefined && { detail }) })
}

function reasonOf(problem: WalletProblem, error: Error): { detail?: string } {
  const { reason, data } = error as { reason?: string; data?: { errorName?: string } }
  const detail = problem === 'REVERTED' ? (data?.errorName ?? reason) : undefined
  return detail === undefined || detail.length > REASON_LENGTH_MAX ? {} : { detail }
}
