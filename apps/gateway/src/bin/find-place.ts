import { resolve } from 'node:path'
import { prepareSchema } from '../adapters/prepare-schema.ts'
import type { Config } from '../config.ts'

/** The books and the vault, and a function that stops what was started. */
export type Place = {
  readonly config: Pick<
    Config,
    'DATABASE_URL' | 'CHAIN_RPC_URL' | 'RPC_URLS' | 'VAULT_ADDRESS' | 'REQUIRED_CONFIRMATIONS'
  >
  stop(): Promise<void>
}

/**
 * Finds the books for a program beside the gateway: in production by the settings; in development mode those of the
 * gateway that runs on the data directory, or else its database and chain, started for the program.
 *
 * @param print reports what is being started
 */
export async function findPlace(config: Config, print: (text: string) => void): Promise<Place> {
  if (config.FAREBOX_MODE === 'production') return { config, stop: async () => undefined }
  const { findRunning } = await import('../dev/claim-directory.ts')
  const running = await findRunning(resolve(config.FAREBOX_DATA_DIR))
  if (running !== null) return { config: { ...config, ...running }, stop: async () => undefined }
  const { startDevelopment } = await import('../dev/start-development.ts')
  const started = await startDevelopment(config, print)
  // A gateway may never have run here.
  const { DATABASE_URL = '' } = started.config
  await prepareSchema({ ...started.config, DATABASE_URL }, { warn: (_fields, message) => print(message) })
  return started
}
