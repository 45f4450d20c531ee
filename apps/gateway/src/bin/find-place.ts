import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { prepareSchema } from '../adapters/prepare-schema.ts'
import { CONFIRMATIONS, type Config, ConfigError, readConfig, readSome } from '../config.ts'

/** The books and the vault, and a function that stops what was started. */
export type Place = {
  readonly config: Pick<
    Config,
    'DATABASE_URL' | 'CHAIN_RPC_URL' | 'RPC_URLS' | 'VAULT_ADDRESS' | 'REQUIRED_CONFIRMATIONS'
  >
  stop(): Promise<void>
}

type Needed = 'DATABASE_URL' | 'CHAIN_RPC_URL' | 'VAULT_ADDRESS'

/**
 * Finds the books for a program beside the gateway: in production by those settings that it needs; in development mode
 * those of the gateway that runs on the data directory, or else its database and chain, started for the program.
 *
 * @param print reports what is being started
 * @throws ConfigError naming each missing or malformed setting, or a data directory without data
 */
export async function findPlace(
  env: NodeJS.ProcessEnv,
  needs: readonly Needed[],
  print: (text: string) => void,
): Promise<Place> {
  const { FAREBOX_MODE } = readSome(env, ['FAREBOX_MODE'])
  if (FAREBOX_MODE === 'production') return { config: readPlace(env, needs), stop: async () => undefined }
  const config = readConfig(env)
  const { findRunning } = await import('../dev/claim-directory.ts')
  const directory = resolve(config.FAREBOX_DATA_DIR)
  const running = await findRunning(directory)
  if (running !== null) return { config: { ...config, ...running }, stop: async () => undefined }
  if (config.DATABASE_URL === undefined && !existsSync(join(directory, 'postgres')))
    throw new ConfigError(
      `Configuration: ${directory} has no data of a gateway. Set FAREBOX_DATA_DIR to the data directory of one.`,
    )
  const { startDevelopment, PARTS_STEPS } = await import('../dev/start-development.ts')
  const { reportProgress } = await import('../dev/start-progress.ts')
  const progress = reportProgress(PARTS_STEPS + 1, print)
  const started = await startDevelopment({ ...config, PORT: 0 }, progress)
  // An older gateway may have run here.
  const { DATABASE_URL = '' } = started.config
  const log = { warn: (_fields: object, message: string) => progress.notice(message) }
  await progress.step('migrations', prepareSchema({ ...started.config, DATABASE_URL }, log))
  return started
}

function readPlace(env: NodeJS.ProcessEnv, needs: readonly Needed[]): Place['config'] {
  const read = readSome(env, [
    'DATABASE_URL',
    'CHAIN_RPC_URL',
    'RPC_URLS',
    'VAULT_ADDRESS',
    'REQUIRED_CONFIRMATIONS',
  ])
  const missing = needs.filter(name => read[name] === undefined)
  if (missing.length > 0) throw new ConfigError(`Configuration: missing: ${missing.join(', ')}`)
  const { REQUIRED_CONFIRMATIONS = CONFIRMATIONS.production } = read
  return { ...read, REQUIRED_CONFIRMATIONS }
}
