import type { Usdc } from '@farebox/money'
import { Command } from 'commander'
import { badInput } from '../failure.ts'
import { openSession } from '../session.ts'
import { examples } from '../terminal/examples.ts'
import { print, printJson } from '../terminal/output.ts'
import { readCount, readPositiveAmount, readTxHash } from './read-options.ts'
import { KEY_FILE_OPTION, RPC_OPTION, WAIT_SECONDS_DEFAULT, WAIT_SECONDS_MAX } from './wallet-options.ts'

type Options = {
  readonly keyFile?: string
  readonly tx?: `0x${string}`
  readonly rpc?: string
  readonly wait: number
  readonly another?: true
  readonly yes?: true
}

/** `farebox deposit`. */
export function depositCommand(): Command {
  return new Command('deposit')
    .description(
      'Move USDC from the wallet into the vault, and wait until it can be spent. A deposit pays for calls. It cannot be paid back to your wallet.',
    )
    .argument('[usdc]', 'amount, such as 5 or 0.25', readPositiveAmount)
    .option(...KEY_FILE_OPTION)
    .option('--tx <hash>', 'continue a deposit that was sent; needs no key', readTxHash)
    .option(...RPC_OPTION)
    .option(
      '--wait <seconds>',
      'how long to wait for the chain',
      readCount(0, WAIT_SECONDS_MAX),
      WAIT_SECONDS_DEFAULT,
    )
    .option('--another', 'deposit although another deposit is not credited yet')
    .option('--yes', 'sign without confirmation')
    .addHelpText(
      'after',
      examples(
        '$ farebox deposit 5 --key-file wallet.key',
        '$ FAREBOX_KEY_FILE=wallet.key farebox deposit 0.25 --yes --json',
        '',
        '# After a lost connection:',
        '$ farebox deposit --tx 0x5c50...',
      ),
    )
    .action(async (amount: Usdc | undefined, options: Options, command: Command) => {
      const session = openSession(command)
      const { keyFile, tx, rpc: rpcUrl, wait, another, yes } = options
      if ((amount === undefined) === (tx === undefined)) throw badInput('Specify an amount, or --tx HASH.')
      const [{ readWallet }, { openVault }, { continueDeposit, deposit }] = await Promise.all([
        import('../wallet/read-key.ts'),
        import('../wallet/open-vault.ts'),
        import('../wallet/deposit.ts'),
      ])
      const waitMs = wait * 1_000
      const account = tx === undefined ? readWallet(keyFile) : null
      const vault = await openVault(session, { account, rpcUrl })
      const { gateway } = session
      const how = { gateway, waitMs, isConfirmed: yes === true, isAnother: another === true }
      const intent =
        amount === undefined || tx !== undefined
          ? await continueDeposit(vault, tx ?? '0x', waitMs)
          : await deposit(vault, amount, how)
      if (session.isJson) return printJson(intent)
      print(`Credited ${intent.amountUsdc} USDC (${intent.id}, transaction ${intent.txHash}).`)
    })
}
