/** A failure between the page, the wallet and the chain. */
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
  REJECTED: 'You rejected the request in your wallet. Nothing was sent.',
  BUSY: 'Your wallet is still waiting for an earlier request. Open it and respond.',
  WRONG_CHAIN: 'Your wallet is on another network and did not switch. Switch it manually, then try again.',
  OTHER_ACCOUNT:
    'Your wallet uses a different account from the one you signed in with. Switch back, or sign in again.',
  NO_WALLET: 'No wallet is connected. Unlock it, or connect another.',
  NO_GAS: 'This wallet does not have enough ether for the network fee.',
  REVERTED: 'The contract rejected the transaction. No funds were moved.',
  DROPPED: 'The transaction was cancelled or replaced in your wallet. It moved no funds.',
  CHAIN_UNREACHABLE:
    'The chain cannot be reached. Transactions already sent are not affected. Try again in a moment.',
  RELAY_UNREACHABLE:
    'WalletConnect, which connects to your phone, cannot be reached. Nothing was sent. Try again in a moment.',
  CODE_EXPIRED: 'The code expired before a phone scanned it. Create a new one.',
  NO_ANSWER:
    'Your phone did not respond. Open its wallet before you try again, because a request approved there may still be sent.',
  FAILED: 'The wallet could not complete the request.',
}

/** Problems after which certainly nothing was sent. */
export const NOT_SENT: readonly WalletProblem[] = [
  ...(['REJECTED', 'BUSY', 'WRONG_CHAIN', 'OTHER_ACCOUNT', 'NO_WALLET', 'NO_GAS', 'REVERTED'] as const),
  'RELAY_UNREACHABLE',
]

/** An error of a wallet or the chain, with a message for people. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly problem: WalletProblem
  /** The reason from the contract or the wallet, such as `TicketExpired`; null without one. */
  readonly reason: string | null

  constructor(problem: WalletProblem, options: { detail?: string; cause?: unknown } = {}) {
    super(options.detail === undefined ? messages[problem] : `${messages[problem]} (${options.detail})`, {
      cause: options.cause,
    })
    this.problem = problem
    this.reason = options.detail ?? null
  }
}

/** Problems by error name in viem and wagmi, and by code for wallets' own errors (EIP-1193, EIP-1474). */
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
/** A longer text is the log of a node, not a reason. */
const REASON_LENGTH_MAX = 120
/** Messages of wallets for a balance that does not cover the fee. There is no common code for it. */
const NO_FUNDS = /insufficient funds|insufficient balance|exceeds the balance|not enough (?:ether|eth|funds)/i

/** Converts any error of a wallet or the chain to a {@link WalletError}, by the first known cause. */
export function readWalletError(error: unknown): WalletError {
  if (error instanceof WalletError) return error
  // Check this first: wallets may report it in the shape of a contract's revert.
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
