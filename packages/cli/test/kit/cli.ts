import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'rolldown'
import { inject } from 'vitest'
import config from '../../rolldown.config.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Exit code and output of a run. */
export type Run = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** How a run differs: its environment, and its standard input. */
export type RunOptions = { readonly env?: Readonly<Record<string, string>>; readonly input?: string }

/** The built program, with a home folder of its own. */
export type Cli = {
  /** Home folder of the program: its state is below. */
  readonly home: string
  /** The program's file, for Node. */
  readonly program: string
  /** Starts the program. */
  start(
    args: readonly string[],
    options?: RunOptions,
  ): { readonly child: ChildProcess; readonly ended: Promise<Run> }
  /** Runs the program to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>
  /** Runs the program with `--json`; returns what it printed. Throws if it failed. */
  json<Answer = Record<string, unknown>>(args: readonly string[], options?: RunOptions): Promise<Answer>
  /** Writes a file into the home folder; returns its path. Mode 600 unless another is given. */
  write(name: string, content: string, mode?: number): Promise<string>
  /** Removes the home folder. */
  remove(): Promise<void>
}

let built: Promise<string> | undefined

/** Builds the program once in this process; returns the path of its entry. */
function builtProgram(): Promise<string> {
  built ??= (async () => {
    const outDir = join(inject('cliBuildFolder'), String(process.pid))
    await build({ ...config, cwd: ROOT, output: { ...config.output, dir: outDir } })
    return join(outDir, 'main.mjs')
  })()
  return built
}

/**
 * Builds the program, unless it is built.
 *
 * @param env environment of every run
 */
export async function openCli(env: Readonly<Record<string, string>> = {}): Promise<Cli> {
  const [program, home] = await Promise.all([builtProgram(), mkdtemp(join(tmpdir(), 'farebox-cli-'))])
  const start: Cli['start'] = (args, options = {}) => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: home, ...env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.end(options.input ?? '')
    const exit = once(child, 'exit') as Promise<[number | null]>
    const ended = Promise.all([text(child.stdout), text(child.stderr), exit])
    return { child, ended: ended.then(([stdout, stderr, [code]]) => ({ code, stdout, stderr })) }
  }
  const run: Cli['run'] = (args, options) => start(args, options).ended
  return {
    home,
    program,
    start,
    run,
    async json(args, options) {
      const { code, stdout, stderr } = await run([...args, '--json'], options)
      if (code !== 0) throw new Error(`farebox ${args.join(' ')} exited with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    async write(name, content, mode = 0o600) {
      const path = join(home, name)
      await writeFile(path, content, { mode })
      return path
    },
    remove: () => rm(home, { recursive: true }),
  }
}
