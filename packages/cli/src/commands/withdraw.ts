import { randomUUID } from 'node:crypto'
import type { Usdc } from '@farebox/money'
import { Command } from 'commander'
import { EXIT } from '../exit-codes.ts'
import { badInput } from '../failure.ts'
import { openSession, type Session } from '../session.ts'
import { examples } from '../terminal/examples.ts'
import { nextCommand } from '../terminal/next-command.ts'
import { note, print, printFacts, printJson, printTable } from '../terminal/output.ts'
import type { Withdrawal } from '../wallet/withdraw.ts'
import { readPositiveAmount } from './read-options.ts'
import { KEY_FILE_OPTION, RPC_OPTION, WAIT_OPTION } from './wallet-options.ts'

type Options = {
  readonly keyFile?: string
  readonly id?: string
  readonly idempotencyKey?: string
  readonly rpc?: string
  readonly wait: number
  readonly list?: true
  readonly earnings?: true
  readonly yes?: true
}

const LIST_MAX = 100

/** `farebox withdraw`. */
export function withdrawCommand(): Command {
  return new Command('withdraw')
    .description('Pay earnings out of the vault to the wallet.')
    .argument('[usdc]', 'amount, such as 5 or 0.25', readPositiveAmount)
    .option(...KEY_FILE_OPTION)
    .option('--id <id>', 'continue a withdrawal, such as one that was reviewed')
    .option(
      '--idempotency-key <key>',
      'open one withdrawal for all commands with this key; default: a new one',
    )
    .option(...RPC_OPTION)
    .option(...WAIT_OPTION)
    .option('--list', 'list the withdrawals, newest first')
    .option('--earnings', 'show what can be withdrawn now')
    .option('--yes', 'sign without confirmation')
    .addHelpText(
      'after',
      examples(
        '$ farebox withdraw --earnings',
        '$ farebox withdraw 25 --key-file wallet.key',
        '$ farebox withdraw 25 --key-file wallet.key --yes --idempotency-key payout-2026-11',
        '',
        '# After a review, or a lost connection:',
        '$ farebox withdraw --list',
        '$ farebox withdraw --id wd_01kahd5w3xqv7m2c9z4n8r6t0e --key-file wallet.key',
      ),
    )
    .action(async (amount: Usdc | undefined, options: Options, command: Command) => {
      const session = openSession(command)
      if (options.list) await list(session)
      else if (options.earnings) await showEarnings(session)
      else show(session, await pay(session, amount, options))
    })
}

async function pay(session: Session, amount: Usdc | undefined, options: Options): Promise<Withdrawal> {
  const { keyFile, id, idempotencyKey, rpc: rpcUrl, wait, yes } = options
  const [{ readWallet }, { openVault }, { continueWithdrawal, withdraw }] = await Promise.all([
    import('../wallet/read-key.ts'),
    import('../wallet/open-vault.ts'),
    import('../wallet/withdraw.ts'),
  ])
  const how = {
    isConfirmed: yes === true,
    idempotencyKey: idempotencyKey ?? randomUUID(),
    isRepeated: idempotencyKey !== undefined,
    waitMs: wait * 1_000,
  }
  const open = () => openVault(session, { account: readWallet(keyFile), rpcUrl })
  if (amount !== undefined && id === undefined) return withdraw(await open(), amount, how)
  if (amount === undefined && id !== undefined) return continueWithdrawal(await open(), id, how)
  throw badInput('Specify an amount, or --id ID.')
}

function show({ isJson }: Session, withdrawal: Withdrawal): void {
  const { withdrawalId, amountUsdc, status, txHash, reason } = withdrawal
  if (isJson) printJson(withdrawal)
  else if (status === 'COMPLETED')
    print(`Withdrew ${amountUsdc} USDC (${withdrawalId}, transaction ${txHash}).`)
  else print(`${withdrawalId} ${status}${reason === null ? '' : `: ${reason}`}`)
  if (status !== 'PENDING_REVIEW') {
    process.exitCode = status === 'COMPLETED' ? EXIT.done : EXIT.refused
    return
  }
  note(`${amountUsdc} USDC are set aside until an operator has reviewed it.`)
  note(`Then: ${nextCommand(`withdraw --id ${withdrawalId}`)}`)
  process.exitCode = EXIT.later
}

async function list(session: Session): Promise<void> {
  const page = await session.owner().api.listWithdrawals({ query: { limit: LIST_MAX } })
  if (session.isJson) printJson(page)
  else if (page.withdrawals.length === 0) note('No withdrawals.')
  else {
    printTable(
      ['ID', 'USDC', 'STATUS', 'CREATED'],
      page.withdrawals.map(each => [each.withdrawalId, each.amountUsdc, each.status, each.createdAt]),
    )
  }
}

async function showEarnings(session: Session): Promise<void> {
  const answer = await session.owner().api.readWithdrawalCapability()
  if (session.isJson) {
    printJson(answer)
    return
  }
  printFacts([
    ['Earned', `${answer.receivableUsdc} USDC, of which ${answer.receivablePromotionalUsdc} by vouchers`],
    ['In withdrawal', `${answer.lockedUsdc} USDC`],
    ['Without a review', `${answer.autoApproveLeftTodayUsdc} USDC today`],
  ])
}
