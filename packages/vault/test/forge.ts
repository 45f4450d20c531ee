/** Fuzzing of the vault by forge, offline: what forge and solc write goes to a folder that {@link openForge} removes. */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
const CONFIG = fileURLToPath(new URL('../foundry.toml', import.meta.url))
const FORGE = fileURLToPath(import.meta.resolve('@foundry-rs/forge/bin.mjs'))
const SOLC = fileURLToPath(new URL('../scripts/solc.ts', import.meta.url))
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

/** How much is tried: `runs` sequences of `depth` actions each, drawn from `seed`, 32 bytes in hexadecimal. */
export type Campaign = { readonly runs: number; readonly depth: number; readonly seed: string }

/** How a campaign ended. */
export type Outcome = {
  readonly runs: number
  readonly calls: number
  /** The promise that was broken and the shortest sequence of actions that breaks it; null if none was. */
  readonly broken: { readonly promise: string; readonly sequence: readonly string[] } | null
}

/** The part of forge's report that is read here. */
type Report = Record<string, { test_results: Record<string, Result> }>
type Result = {
  status: 'Success' | 'Failure'
  reason: string | null
  counterexample: { Sequence: [number, { func_name: string; args: string }[]] } | null
  kind: { Invariant: { runs: number; calls: number } }
}

/** A forge that compiles the campaign once. */
export type Forge = {
  /**
   * Fuzzes a vault.
   *
   * @param bytecode  creation code of the vault
   * @param deadlineMs  forge is killed after it, which is an error
   */
  fuzz(bytecode: string, campaign: Campaign, deadlineMs: number): Promise<Outcome>
  close(): Promise<void>
}

/** Returns a forge that works in a temporary folder. */
export async function openForge(): Promise<Forge> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-fuzz-'))
  const solc = join(folder, 'solc')
  await writeFile(solc, `#!/bin/sh\nexec '${process.execPath}' '${SOLC}' "$@"\n`)
  await chmod(solc, 0o755)
  const paths = ['--root', REPOSITORY, '--use', solc, '--out', join(folder, 'out'), '--cache-path', folder]
  return {
    async fuzz(bytecode, { runs, depth, seed }, deadlineMs) {
      const env = {
        ...process.env,
        HOME: folder,
        FOUNDRY_CONFIG: CONFIG,
        FOUNDRY_INVARIANT_RUNS: String(runs),
        FOUNDRY_INVARIANT_DEPTH: String(depth),
        // Forge would begin with the sequence that broke another vault.
        FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR: await mkdtemp(join(folder, 'failures-')),
        VAULT_BYTECODE: bytecode,
      }
      return outcome(await run(['test', '--json', '--fuzz-seed', seed, ...paths], env, deadlineMs))
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Returns the standard output of forge, which exits with 1 when a promise is broken. */
function run(args: readonly string[], env: NodeJS.ProcessEnv, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, timeout, maxBuffer: OUTPUT_BYTES_MAX }
    execFile(process.execPath, [FORGE, ...args], options, (error, stdout, stderr) => {
      if (stdout.startsWith('{')) resolve(stdout)
      else reject(new Error(`forge reported nothing: ${stderr || stdout}`, { cause: error }))
    })
  })
}

function outcome(output: string): Outcome {
  const suites = Object.values(JSON.parse(output) as Report)
  const results = suites.flatMap(suite => Object.values(suite.test_results))
  const [result] = results
  if (result === undefined || results.length > 1) throw new Error(`There is one campaign: ${output}`)
  const { runs, calls } = result.kind.Invariant
  if (result.status === 'Success') return { runs, calls, broken: null }
  const actions = result.counterexample?.Sequence[1] ?? []
  const sequence = actions.map(action => `${action.func_name}(${action.args})`)
  return { runs, calls, broken: { promise: result.reason ?? output, sequence } }
}

/** Returns one line, or one and the sequence that broke the promise. */
export function describeOutcome({ runs, calls, broken }: Outcome, { seed }: Campaign): string {
  const tried = `${runs} sequences, ${calls} actions, seed ${seed}`
  if (broken === null) return `the vault held: ${tried}`
  return [`the vault broke: ${broken.promise} (${tried})`, ...broken.sequence].join('\n  ')
}

/** Returns a seed that was never used. */
export function newSeed(): string {
  return `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
}
