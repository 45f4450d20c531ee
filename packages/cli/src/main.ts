#!/usr/bin/env node
import { CommanderError } from 'commander'
import { EXIT } from './exit-codes.ts'
import { toFailure } from './failure.ts'
import { createProgram } from './program.ts'
import { report } from './terminal/output.ts'

// The program `farebox`.

// A reader that has seen enough, such as `head`, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

const program = createProgram()
try {
  await program.parseAsync(process.argv)
} catch (error) {
  // Commander has reported its own errors. Help and version are no errors.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage
  else {
    const failure = toFailure(error)
    report(failure, program.opts<{ json?: true }>().json === true)
    process.exitCode = failure.exitCode
  }
}
