import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunAs } from '../../../src/dev/postgres/postgres-place.ts'

const ROOT = join(import.meta.dirname, '../../../../..')
/** Timeout of a command, in ms. */
const COMMAND_MS_MAX = 60_000

/** Environment of an operator's shell. */
export type Shell = {
  /**
   * Runs a command in the root of the repository, and returns what it printed.
   *
   * @param on.as   the user of the command, by default that of the tests
   * @param on.fails true: it must exit with 1
   * @throws Error with what it printed if it ends otherwise
   */
  run(
    command: string,
    on?: { as?: RunAs; env?: Readonly<Record<string, string>>; fails?: boolean },
  ): Promise<string>
}

/** Opens a shell whose output goes to files: a server that a command leaves behind does not keep it waiting. */
export function openShell(directory: string): Shell {
  let runs = 0
  return {
    async run(command, { as = {}, env = {}, fails = false } = {}) {
      runs += 1
      const file = join(directory, `command-${runs}.log`)
      const log = openSync(file, 'w', 0o600)
      const { PATH = '', HOME = '' } = process.env
      const child = spawn('sh', ['-euc', command], {
        ...as,
        cwd: as.uid === undefined ? ROOT : '/',
        env: { PATH, HOME, ...env },
        stdio: ['ignore', log, log],
      })
      const late = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS_MAX)
      const [code] = (await once(child, 'exit')) as [number | null]
      clearTimeout(late)
      closeSync(log)
      const output = readFileSync(file, 'utf8')
      if (code !== (fails ? 1 : 0)) throw new Error(`This ended with ${code}: ${command}\n${output}`)
      return output
    },
  }
}

/** Returns whether a program is installed. */
export const isInstalled = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0

/** Prints a step that cannot be rehearsed here. */
export const skip = (step: string, instead: string): void =>
  void process.stdout.write(`SKIPPED here: ${step}. Instead: ${instead}.\n`)
