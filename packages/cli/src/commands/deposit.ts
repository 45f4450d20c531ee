import type { Usdc } from '@farebox/money'
import { Command } from 'commander'
import { badInput } from '../failure.ts'
import { openSession, type Session } from '../session.ts'
import { examples } from '../terminal/examples.ts'
import { print, printJson } from '../terminal/output.ts'
import { readPositiveAmount, readTxHash } from './read-options.ts'
import { KEY_FILE_OPTION, RPC_OPTION, WAIT_OPTION } from './wallet-options.ts'

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
    .option(...WAIT_OPTION)
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
      const intent = await pay(session, amount, options)
      if (session.isJson) return printJson(intent)
      print(`Credited ${intent.amountUsdc} USDC (${intent.id}, transaction ${intent.txHash}).`)
    })
}

async function pay(session: Session, amount: Usdc | undefined, options: Options) {
  const { keyFile, tx, rpc: rpcUrl, wait, another, yes } = options
  const [{ readWallet }, { openVault }, { continueDeposit, deposit }] = await Promise.all([
    import('../wallet/read-key.ts'),
    import('../wallet/open-vault.ts'),
    import('../wallet/deposit.ts'),
  ])
  const waitMs = wait * 1_000
  if (amount !== undefined && tx === undefined) {
    const vault = await openVault(session, { account: readWallet(keyFile), rpcUrl })
    const how = { gateway: session.gateway, waitMs, isConfirmed: yes === true, isAnother: another === true }
    return deposit(vault, amount, how)
  }
  if (amount === undefined && tx !== undefined)
    return continueDeposit(await openVault(session, { account: null, rpcUrl }), tx, waitMs)
  throw badInput('Specify an amount, or --tx HASH.')
}
