import { Command } from 'commander'
import { checkCommand } from '../operator/check-command.ts'
import { vaultCommand } from '../operator/vault-command.ts'

/** The operators' commands: `sh scripts/farebox --help`. */

const print = (text: string) => process.stdout.write(`${text}\n`)

try {
  await new Command('farebox')
    .description("The operators' commands.")
    .addCommand(checkCommand(print))
    .addCommand(vaultCommand(print, process.env))
    .showHelpAfterError()
    .parseAsync()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
