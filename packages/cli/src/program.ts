import { Command } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { balanceCommand } from './commands/balance.ts'
import { credentialsCommand } from './commands/credentials.ts'
import { depositCommand } from './commands/deposit.ts'
import { discoverCommand } from './commands/discover.ts'
import { invokeCommand } from './commands/invoke.ts'
import { loginCommand, logoutCommand } from './commands/login.ts'
import { registerCommand } from './commands/register.ts'
import { servicesCommand } from './commands/services.ts'
import { usageCommand } from './commands/usage.ts'
import { withdrawCommand } from './commands/withdraw.ts'
import { addCompletion } from './completion.ts'

const OVERVIEW = `
First steps:
  $ farebox login --gateway https://gateway.example --key-file wallet.key
  $ farebox deposit 5 --key-file wallet.key
  $ farebox credentials mint my-agent --credit-limit 1 --save
  $ farebox discover weather
  $ farebox invoke weather --field city=Lisbon

Results go to standard output, progress and bills to standard error; --json makes both machine-readable.

Environment:
  FAREBOX_URL                                   gateway, as --gateway
  FAREBOX_PROFILE                               profile, as --profile
  FAREBOX_KEY_FILE, FAREBOX_KEY                 private key of the wallet
  FAREBOX_CREDENTIAL_FILE, FAREBOX_CREDENTIAL   token of the agent

Exit codes:
  0    done
  1    refused by the gateway, the provider or the chain
  2    command line, input or file not usable; nothing was sent
  3    not signed in, or credential not valid
  4    not enough money or budget
  5    another wallet, chain or vault than the one signed in to; nothing was signed
  75   not finished: the command that the message names goes on, and pays nothing twice
  130  interrupted`

/**
 * Returns the command line. Its errors are thrown, not exited with.
 *
 * @param isJson true if its caller reports errors of the command line
 */
export function createProgram(isJson: boolean): Command {
  const program = new Command('farebox')
    .description('Deposit USDC, mint credentials for agents, call paid services, sell your own.')
    .version(manifest.version)
    .option('--gateway <url>', 'gateway; default: that of the profile, else http://127.0.0.1:8402')
    .option('--profile <name>', 'profile that keeps gateway, wallet and session; default: default')
    .option('--json', 'print JSON: the answer on standard output; errors and notes on standard error')
    .addHelpText('after', OVERVIEW)
    .configureHelp({ showGlobalOptions: true, sortOptions: false })
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => (isJson ? undefined : write(text)) })
    .exitOverride()
  for (const command of [
    loginCommand(),
    logoutCommand(),
    balanceCommand(),
    depositCommand(),
    credentialsCommand(),
    discoverCommand(),
    invokeCommand(),
    usageCommand(),
    registerCommand(),
    servicesCommand(),
    withdrawCommand(),
  ]) {
    program.addCommand(inherit(command, program))
  }
  addCompletion(program)
  return program
}

/** Gives a command and its own commands the settings of the program. */
function inherit(command: Command, from: Command): Command {
  command.copyInheritedSettings(from)
  for (const child of command.commands) inherit(child, command)
  return command
}
