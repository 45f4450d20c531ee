import { claimDeposit, type Deposit } from '@farebox/client/deposit'
import { formatUsdc, type Usdc, usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import {
  encodeFunctionData,
  erc20Abi,
  formatEther,
  type Hex,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem'
import { EXIT } from '../exit-codes.ts'
import { Failure, toFailure } from '../failure.ts'
import {
  findDeposit,
  forgetDeposit,
  listDepositsOf,
  type PendingDeposit,
  storeDeposit,
} from '../state/pending-deposits.ts'
import { confirm } from '../terminal/confirm.ts'
import { nextCommand } from '../terminal/next-command.ts'
import { note } from '../terminal/output.ts'
import { onChain, type Vault } from './open-vault.ts'
import { send, sign, untilMined } from './send.ts'

/** How a deposit is made. */
export type Depositing = {
  readonly gateway: string
  /** Consent was given on the command line. */
  readonly isConfirmed: boolean
  /** Another deposit may be under way. */
  readonly isAnother: boolean
  readonly waitMs: number
}

/**
 * Moves USDC into the vault and waits until it is credited: an approval of exactly this amount, unless there is one,
 * and the deposit, which is stored before it is sent.
 *
 * @throws Failure that says whether money has moved, and how to go on
 */
export async function deposit(vault: Vault, amount: Usdc, how: Depositing): Promise<Deposit> {
  const [underWay] = listDepositsOf(how.gateway, vault.wallet)
  if (underWay !== undefined && !how.isAnother)
    throw new Failure('DEPOSIT_UNDER_WAY', `A deposit of ${underWay.amountUsdc} USDC is not credited yet.`, {
      exitCode: EXIT.refused,
      hints: [
        continuation(underWay.txHash),
        'To make another deposit anyway: --another. Nothing was signed.',
      ],
    })
  const allowance = await checkFunds(vault, amount, how)
  const call = { abi: fareboxVaultAbi, functionName: 'deposit', args: [amount] } as const
  if (allowance < amount) {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [vault.address, amount] })
    const approval = await sign(vault, { to: vault.usdc, data })
    const hints = ['At most an approval was sent: no USDC was moved. Run the same command again.']
    await send(vault, approval, hints)
    await untilMined(vault, approval.txHash, { waitMs: how.waitMs, hints })
    note(`approved by ${approval.txHash}`)
  }
  const signed = await sign(vault, { to: vault.address, data: encodeFunctionData(call) })
  const { wallet, chain } = vault
  const amountUsdc = formatUsdc(amount)
  const pending: PendingDeposit = { gateway: how.gateway, wallet, chain, amountUsdc, ...signed }
  storeDeposit(pending)
  return finish(vault, pending, how.waitMs)
}

/**
 * Goes on with a deposit by its transaction. Sends it again if it was made here and the chain does not know it.
 *
 * @throws Failure WALLET_MISMATCH if another wallet has made it here
 */
export async function continueDeposit(vault: Vault, txHash: Hex, waitMs: number): Promise<Deposit> {
  const pending = findDeposit(txHash)
  if (pending !== null && pending.wallet !== vault.wallet)
    throw new Failure(
      'WALLET_MISMATCH',
      `The deposit ${txHash} was made by ${pending.wallet}; ${vault.wallet} is signed in. Nothing was sent.`,
      { exitCode: EXIT.mismatch, hints: ['Continue it with the profile of that wallet: --profile NAME'] },
    )
  return finish(vault, pending ?? { txHash }, waitMs)
}

async function finish(
  vault: Vault,
  pending: { readonly txHash: Hex } & Partial<PendingDeposit>,
  waitMs: number,
): Promise<Deposit> {
  const { txHash, signed } = pending
  const hints = ['It is credited once, even if this program exits first.', continuation(txHash)]
  const until = performance.now() + waitMs
  try {
    const known = await vault.client.getTransactionReceipt({ hash: txHash }).catch(() => null)
    if (known === null && signed !== undefined) {
      note(`deposit ${txHash}`)
      const onFailure = [`The deposit ${txHash} was signed, and may have been sent.`, ...hints]
      await send(vault, { txHash, signed }, onFailure, [
        'If the other one deposits, it is credited by itself. Else deposit again.',
      ])
    }
    if (known === null && signed === undefined) note(`waiting for ${txHash}, which is not mined yet`)
    const receipt = known ?? (await untilMined(vault, txHash, { waitMs, hints }))
    const amount = depositedIn(receipt, vault)
    const intent = await claimDeposit(vault.api, {
      txHash: receipt.transactionHash,
      amountUsdc: formatUsdc(amount),
      timeoutMs: Math.max(0, until - performance.now()),
      onStep: step => {
        if (step.kind === 'confirming')
          note(`${step.confirmations} of ${step.requiredConfirmations} confirmations`)
      },
    })
    forgetDeposit(txHash)
    return intent
  } catch (error) {
    const failure = toFailure(error, hints)
    if (ENDS.has(failure.code)) forgetDeposit(txHash)
    throw failure
  }
}

/** Returns what a mined transaction deposited for the wallet. */
function depositedIn({ logs, status, transactionHash }: TransactionReceipt, vault: Vault): Usdc {
  const events = parseEventLogs({ abi: fareboxVaultAbi, eventName: 'Deposited', logs })
  const own = events.filter(
    event => event.address.toLowerCase() === vault.address.toLowerCase() && event.args.owner === vault.wallet,
  )
  const sum = own.reduce((total, event) => total + event.args.amount, 0n)
  if (status === 'success' && sum > 0n) return usdc(sum)
  const message = `The transaction ${transactionHash} deposits nothing for ${vault.wallet} in the vault.`
  throw new Failure('DEPOSIT_REJECTED', message, { exitCode: EXIT.refused })
}

/** Shows what will be signed, and asks for consent. Returns what the vault may take already. */
async function checkFunds(vault: Vault, amount: Usdc, { isConfirmed }: Depositing): Promise<bigint> {
  const { client, wallet, address, usdc: token, chain, rpcUrl } = vault
  const erc20 = { address: token, abi: erc20Abi } as const
  const [held, allowance, gas] = await onChain(
    Promise.all([
      client.readContract({ ...erc20, functionName: 'balanceOf', args: [wallet] }),
      client.readContract({ ...erc20, functionName: 'allowance', args: [wallet, address] }),
      client.getBalance({ address: wallet }),
    ]),
  )
  if (held < amount) {
    const message = `The wallet ${wallet} holds ${formatUsdc(usdc(held))} USDC of ${formatUsdc(amount)}. Nothing was signed.`
    throw new Failure('WALLET_TOO_POOR', message, { exitCode: EXIT.money })
  }
  if (gas === 0n)
    throw new Failure(
      'NO_GAS',
      `The wallet ${wallet} has no ether to pay for transactions. Nothing was signed.`,
      {
        exitCode: EXIT.money,
      },
    )
  const lines = [
    `Deposit ${formatUsdc(amount)} USDC`,
    `  from   ${wallet}, which holds ${formatUsdc(usdc(held))} USDC and ${formatEther(gas)} ether`,
    `  into   the vault ${address}`,
    `  on     chain ${chain.chainId} (${rpcUrl}), token ${token}`,
    `  signs  ${allowance < amount ? `an approval of ${formatUsdc(amount)} USDC, and ` : ''}the deposit`,
  ]
  await confirm(lines, isConfirmed)
  return allowance
}

/** Codes of a deposit that never happens. */
const ENDS: ReadonlySet<string> = new Set(['REVERTED', 'REPLACED', 'DEPOSIT_REJECTED'])

const continuation = (txHash: string) => `Continue it: ${nextCommand(`deposit --tx ${txHash}`)}`
