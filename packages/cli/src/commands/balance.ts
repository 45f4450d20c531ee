import { Command } from 'commander'
import { openSession } from '../session.ts'
import { examples } from '../terminal/examples.ts'
import { printFacts, printJson } from '../terminal/output.ts'

/** `farebox balance`. */
export function balanceCommand(): Command {
  return new Command('balance')
    .description('Show the balance and earnings of the wallet.')
    .addHelpText(
      'after',
      examples('$ farebox balance', '$ farebox balance --json | jq -r .consumer_available_balance'),
    )
    .action(async (_: object, command: Command) => {
      const session = openSession(command)
      const { api, profile } = session.owner()
      const balance = await api.readBalance()
      if (session.isJson) return printJson(balance)
      printFacts([
        ['Wallet', `${profile.wallet} at ${profile.gateway}`],
        ['Available', `${balance.consumer_available_balance} USDC`],
        ['Held for calls', `${balance.consumer_held_balance} USDC`],
        ['Earned', `${balance.provider_receivable_balance} USDC`],
        ['In withdrawal', `${balance.provider_locked_balance} USDC`],
      ])
    })
}
