/** A `solc` program for forge: the compiler from npm, behind the two options that forge uses. */
import { text } from 'node:stream/consumers'
import solc from 'solc'

if (process.argv.includes('--version')) {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`)
} else if (process.argv.includes('--standard-json')) {
  process.stdout.write(solc.compile(await text(process.stdin)))
} else {
  throw new Error('Only --version and --standard-json are known here.')
}
