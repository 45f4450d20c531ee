import { createInterface } from 'node:readline/promises'
import { EXIT } from '../exit-codes.ts'
import { badInput, Failure } from '../failure.ts'
import { note } from './output.ts'

/**
 * Shows what is about to be signed, and asks for consent.
 *
 * @param lines what will be signed, with its amounts
 * @param isGiven true if `--yes` was passed: shows the lines only
 * @throws Failure when declined, or when nobody can be asked
 */
export async function confirm(lines: readonly string[], isGiven: boolean): Promise<void> {
  for (const line of lines) note(line)
  if (isGiven) return
  if (!process.stdin.isTTY)
    throw badInput(
      'Cannot ask for confirmation: standard input is not a terminal. Nothing was signed.',
      'Pass --yes.',
    )
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question('Sign this? [y/N] ').finally(() => prompt.close())
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new Failure('DECLINED', 'Declined. Nothing was signed.', { exitCode: EXIT.refused })
}
