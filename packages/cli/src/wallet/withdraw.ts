import type { AnswerOf } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { formatUsdc, parseUsdc, type Usdc, usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import { encodeFunctionData, formatEther, type Hex } from 'viem'
import { isOutcomeOpen } from '../calls/outcome.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure, toFailure } from '../failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { nextCommand, quote } from '../terminal/next-command.ts'
import { note } from '../terminal/output.ts'
import { onChain, type Vault } from './open-vault.ts'
import { send, sign, untilMined } from './send.ts'
import { untilSettled } from './until-settled.ts'

/** A withdrawal as the gateway shows it. */
export type Withdrawal = AnswerOf<'readWithdrawal'>['withdrawal']
type Ticket = NonNullable<Withdrawal['ticket']>

/** How a withdrawal is made. */
export type Withdrawing = {
  /** Consent was given on the command line. */
  readonly isConfirmed: boolean
  readonly idempotencyKey: string
  /** True if an earlier command may have used the key. */
  readonly isRepeated: boolean
  readonly waitMs: number
}

/** Code of a withdrawal that the chain or the gateway has not finished. */
const NOT_COMPLETED = 'WITHDRAWAL_TX_NOT_CONFIRMED'

/**
 * Opens a withdrawal, redeems its ticket at the vault and waits until the gateway has completed it. One that needs a
 * review is returned as it is.
 *
 * @throws Failure that says whether money has moved, and how to go on
 */
export async function withdraw(vault: Vault, amount: Usdc, how: Withdrawing): Promise<Withdrawal> {
  const amountUsdc = formatUsdc(amount)
  await show(vault, amountUsdc, how)
  const opened = await vault.api
    .openWithdrawal({ body: { amountUsdc }, idempotencyKey: how.idempotencyKey })
    .catch(error => {
      // The client has repeated a passing error: an earlier attempt may have arrived.
      const isAttemptOpen = how.isRepeated || (error instanceof GatewayError && error.isPassing)
      const again = nextCommand(`withdraw ${amountUsdc} --idempotency-key ${quote(how.idempotencyKey)}`)
      const hints = [
        `${amountUsdc} USDC may be set aside for a withdrawal. None was paid out.`,
        `Ask for the same withdrawal, which is opened once: ${again}`,
      ]
      throw toFailure(error, isOutcomeOpen(error, isAttemptOpen) ? hints : ['Nothing was withdrawn.'])
    })
  return redeem(vault, opened.withdrawalId, { ...how, isConfirmed: true }, amount)
}

/** Goes on with a withdrawal that was opened: redeems its ticket, unless that was done. */
export async function continueWithdrawal(vault: Vault, id: string, how: Withdrawing): Promise<Withdrawal> {
  return redeem(vault, id, how, null)
}

async function redeem(vault: Vault, id: string, how: Withdrawing, amount: Usdc | null): Promise<Withdrawal> {
  const path = { withdrawalId: id }
  const hints = ['The vault pays a withdrawal once.', `Continue: ${nextCommand(`withdraw --id ${id}`)}`]
  try {
    const { withdrawal } = await vault.api.readWithdrawal({ path })
    const { ticket } = withdrawal
    if (ticket === null) return withdrawal
    checkTicket(vault, ticket, amount ?? parseUsdc(withdrawal.amountUsdc))
    const nonce = ticket.nonce as Hex
    const isPaid = await onChain(
      vault.client.readContract({ ...vault.contract, functionName: 'isNonceUsed', args: [nonce] }),
      hints,
    )
    if (!isPaid) {
      if (!how.isConfirmed) await show(vault, withdrawal.amountUsdc, how)
      const txHash = await payOut(vault, ticket, { waitMs: how.waitMs, hints })
      const complete = () => vault.api.completeWithdrawal({ path, body: { txHash } })
      const onEarly = ({ detail }: GatewayError) =>
        note(`${detail.confirmations} of ${detail.requiredConfirmations} confirmations`)
      await untilSettled(complete, NOT_COMPLETED, { waitMs: how.waitMs, onEarly })
      return (await vault.api.readWithdrawal({ path })).withdrawal
    }
    note('The vault has paid this withdrawal. Waiting for the gateway to complete it.')
    return await untilSettled(() => readCompleted(vault, id), NOT_COMPLETED, {
      waitMs: how.waitMs,
      onEarly() {},
    })
  } catch (error) {
    const isUnknown = error instanceof GatewayError && UNKNOWN.has(error.code)
    throw toFailure(error, isUnknown ? [`List them: ${nextCommand('withdraw --list')}`] : hints)
  }
}

/** Codes for an id that is not one of a withdrawal. */
const UNKNOWN: ReadonlySet<string> = new Set(['WITHDRAWAL_NOT_FOUND', 'INVALID_REQUEST', 'INVALID_PAYLOAD'])

async function payOut(
  vault: Vault,
  ticket: Ticket,
  how: { readonly waitMs: number; readonly hints: readonly string[] },
): Promise<Hex> {
  const { to, amount, deadline, nonce, signature } = ticket
  const paid = { to: to as Hex, amount: BigInt(amount), deadline: BigInt(deadline), nonce: nonce as Hex }
  const args = [paid, signature as Hex] as const
  // A vault that would refuse says why, before anything is signed.
  const call = { ...vault.contract, functionName: 'withdraw', args } as const
  await onChain(vault.client.simulateContract({ ...call, account: vault.client.account }), [
    ...how.hints,
    'Nothing was signed.',
  ])
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'withdraw', args })
  const signed = await sign(vault, { to: vault.address, data })
  note(`withdrawal ${signed.txHash}`)
  await send(vault, signed, how.hints)
  const { transactionHash } = await untilMined(vault, signed.txHash, how)
  return transactionHash
}

async function readCompleted({ api }: Vault, id: string): Promise<Withdrawal> {
  const { withdrawal } = await api.readWithdrawal({ path: { withdrawalId: id } })
  if (withdrawal.status === 'COMPLETED') return withdrawal
  throw new GatewayError(NOT_COMPLETED, 'The gateway has not completed the withdrawal yet.')
}

/** @throws Failure unless the ticket pays this amount to the wallet, from the vault that was signed in to */
function checkTicket(vault: Vault, ticket: Ticket, amount: Usdc): void {
  const found = [ticket.to.toLowerCase(), ticket.vault.toLowerCase(), ticket.chainId, BigInt(ticket.amount)]
  const expected = [vault.wallet.toLowerCase(), vault.address.toLowerCase(), vault.chain.chainId, amount]
  if (found.every((value, index) => value === expected[index])) return
  const message = `The ticket pays ${formatUsdc(usdc(BigInt(ticket.amount)))} USDC to ${ticket.to} from the vault ${ticket.vault} on chain ${ticket.chainId}, which was not asked for. Nothing was signed.`
  throw new Failure('TICKET_MISMATCH', message, { exitCode: EXIT.mismatch })
}

/** Shows what will be signed, and asks for consent. */
async function show(vault: Vault, amountUsdc: string, { isConfirmed }: Withdrawing): Promise<void> {
  const { client, wallet, address, chain, rpcUrl, usdc: token } = vault
  const gas = await onChain(client.getBalance({ address: wallet }))
  if (gas === 0n)
    throw new Failure(
      'NO_GAS',
      `The wallet ${wallet} has no ether to pay for the transaction. Nothing was signed.`,
      {
        exitCode: EXIT.money,
      },
    )
  const lines = [
    `Withdraw ${amountUsdc} USDC`,
    `  to     ${wallet}, which holds ${formatEther(gas)} ether for gas`,
    `  from   the vault ${address}`,
    `  on     chain ${chain.chainId} (${rpcUrl}), token ${token}`,
    '  signs  the transaction that redeems the ticket of the gateway',
  ]
  await confirm(lines, isConfirmed)
}
