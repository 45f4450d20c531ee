#!/usr/bin/env node
import { CommanderError } from 'commander'
import { EXIT } from './exit-codes.ts'
import { badInput, toFailure } from './failure.ts'
import { createProgram } from './program.ts'
import { report, useJson } from './terminal/output.ts'

// The program `farebox`.

// A reader that has seen enough, such as `head`, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    report(toFailure(error, ['The answer could not be written to standard output.']))
    process.exit(EXIT.refused)
  }
  process.exit()
})

// Options may be wrong in any way when an error is to be reported.
const isJson = process.argv.includes('--json')
if (isJson) useJson()
try {
  await createProgram(isJson).parseAsync(process.argv)
} catch (error) {
  const isUsage = error instanceof CommanderError
  // Help and the version are no errors.
  if (isUsage && error.exitCode === 0) process.exitCode = EXIT.done
  else {
    const failure = isUsage ? badInput(error.message.replace(/^error: /, '')) : toFailure(error)
    // Commander has reported its own errors to people, with a suggestion.
    if (!isUsage || isJson) report(failure)
    process.exitCode = failure.exitCode
  }
}
