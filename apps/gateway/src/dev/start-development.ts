import { join, resolve } from 'node:path'
import { type Hex, keccak256, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { freePort } from '../adapters/free-port.ts'
import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import type { Gateway } from '../gateway.ts'
import { requirePort } from '../preflight/guard-port.ts'
import { anvilClient } from './anvil.ts'
import { claimDirectory } from './claim-directory.ts'
import type { TestMoney } from './deposit-test-money.ts'
import { ensureDevelopmentCredential } from './development-credential.ts'
import { ensureContracts } from './ensure-contracts.ts'
import { createFaucet, faucetRoute } from './faucet.ts'
import { createPromotionFund, type FundPromotions } from './fund-promotions.ts'
import { startLocalChain } from './local-chain.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'
import { mailboxRoute } from './mailbox.ts'
import { startEmbeddedPostgres } from './postgres/embedded-postgres.ts'
import { readSpeed } from './sample-llm/read-speed.ts'
import { startSampleLlm } from './sample-llm/start-sample-llm.ts'
import { registerSampleServices } from './samples/register-sample.ts'
import { startSampleProvider } from './samples/sample-provider.ts'
import { FREE_SAMPLE, sampleManifests } from './samples/sample-services.ts'
import { readOrMakeSecrets, type Secrets } from './secrets.ts'
import type { StartProgress } from './start-progress.ts'

const DATABASE = 'farebox'
/** Preferred address of a development gateway. */
export const PORT_PREFERRED = 8402

/** Steps that {@link startDevelopment} reports. */
export const PARTS_STEPS = 3
/** Steps that {@link Development.afterListen} reports. */
export const SAMPLES_STEPS = 2

const NOTHING = Promise.resolve(null)

/** Ether of the key that pays the gas of x402 payments, at each start. */
const SETTLER_ETHER = parseEther('1000')

type Stoppable = { stop(): Promise<void> }

/** Result of starting development mode. */
export type Development = {
  /** Configuration, completed with what was started. */
  readonly config: Config
  /** Registers `/dev/*`. */
  readonly routes: (app: App) => void
  /** Funds vouchers that an admin's balance does not cover; null if the token is not test money. */
  readonly fundPromotions: FundPromotions | null
  /**
   * Call it when the gateway listens: registers the sample services, and returns the token of the development credential;
   * null if the token is not test money.
   */
  afterListen(gateway: Pick<Gateway, 'url' | 'deps'>): Promise<string | null>
  /** Stops gracefully what was started; call it after the gateway has stopped. */
  stop(): Promise<void>
}

/**
 * Starts everything that a gateway needs, unless configured: PostgreSQL, a local chain with the contracts, a mail
 * server, secrets, and sample providers. All of it is stored in the data directory and reused at the next start.
 *
 * @throws Error if something does not start; everything else is stopped again
 */
export async function startDevelopment(config: Config, progress: StartProgress): Promise<Development> {
  const { notice, step } = progress
  const speed = readSpeed(process.env)
  const directory = resolve(config.FAREBOX_DATA_DIR)
  const claim = await claimDirectory(directory, notice)
  if (config.PORT !== 0) await requirePort(config)
  const secrets = await readOrMakeSecrets(directory)
  notice(`Starting Farebox in development mode; its data is in ${directory}`)
  const starting = [
    step('database', startDatabase(config, directory, notice)),
    startChain(config, { directory, secrets, progress }),
    startSampleProvider(join(directory, 'sample-provider.port')),
    startSampleLlm(join(directory, 'sample-llm.port'), speed),
    startMails(config),
  ] as const
  await untilStarted(starting)
  const [database, chain, api, llm, mails] = await Promise.all(starting)
  const parts = {
    DATABASE_URL: database.url,
    ...(database.ownerUrl !== undefined && { MIGRATION_DATABASE_URL: database.ownerUrl }),
    CHAIN_RPC_URL: chain.rpcUrl,
    VAULT_ADDRESS: chain.vault,
  }
  await claim.announce(parts)
  const completed: Config = Object.freeze({
    ...config,
    ...parts,
    SMTP_URL: mails.url,
    PORT: config.PORT === 0 ? await freePort(config.HOST, PORT_PREFERRED) : config.PORT,
    FOLLOWER_START_BLOCK: Math.max(config.FOLLOWER_START_BLOCK, chain.oldestBlock),
    TICKET_SIGNER_KEY: config.TICKET_SIGNER_KEY ?? secrets.ticketSignerKey,
    X402_SETTLER_KEY: config.X402_SETTLER_KEY ?? chain.settlerKey ?? undefined,
    LIVE_SERVICE: config.LIVE_SERVICE ?? FREE_SAMPLE,
    JWT_SECRET: config.JWT_SECRET ?? secrets.jwtSecret,
    ENCRYPTION_KEY: config.ENCRYPTION_KEY ?? secrets.encryptionKey,
  })
  return {
    config: completed,
    routes(app) {
      if (chain.testMoney !== null) faucetRoute(app, chain.testMoney.faucet)
      if (mails.sink !== null) mailboxRoute(app, mails.sink)
    },
    fundPromotions: chain.testMoney && createPromotionFund(chain.testMoney),
    async afterListen({ url, deps }) {
      // A gateway without them is still useful; the name of a sample may belong to another wallet by now.
      const orNull = (error: Error) => {
        notice(error.message)
        return null
      }
      const manifests = sampleManifests({ api: api.url, llm: llm.url })
      const registered = registerSampleServices({ baseUrl: url, key: secrets.sampleProviderKey, manifests })
      const file = join(directory, 'development-credential.json')
      const credential = ensureDevelopmentCredential({ url, deps }, chain.testMoney, file)
      await step('sample services', registered.catch(orNull))
      return step('development credential', credential.catch(orNull))
    },
    async stop() {
      await Promise.all([database.stop(), chain.stop(), api.stop(), llm.stop(), mails.stop()])
      await claim.release()
    },
  }
}

type Database = Stoppable & { readonly url: string; readonly ownerUrl?: string }

async function startDatabase(
  config: Config,
  directory: string,
  notice: StartProgress['notice'],
): Promise<Database> {
  if (config.DATABASE_URL !== undefined) return { url: config.DATABASE_URL, stop: async () => undefined }
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), notice })
  await postgres.ensureDatabase(DATABASE)
  return {
    url: postgres.localUrl(DATABASE, 'gateway'),
    ownerUrl: postgres.localUrl(DATABASE),
    stop: () => postgres.stop(),
  }
}

type ChainPart = Stoppable & {
  readonly rpcUrl: string
  readonly vault: string
  readonly oldestBlock: number
  /** A key that pays the gas of x402 payments, with ether; null on a chain with another token than test USDC. */
  readonly settlerKey: Hex | null
  /** Null on a chain with another token than test USDC. */
  readonly testMoney: TestMoney | null
}

async function startChain(
  config: Config,
  input: { directory: string; secrets: Secrets; progress: StartProgress },
): Promise<ChainPart> {
  const { directory, secrets, progress } = input
  const { notice, step } = progress
  const { CHAIN_RPC_URL: given, VAULT_ADDRESS: vault } = config
  const local = await step(
    'chain',
    given === undefined ? startLocalChain({ directory: join(directory, 'chain'), notice }) : NOTHING,
  )
  const rpcUrl = local?.rpcUrl ?? given ?? ''
  const common = { rpcUrl, oldestBlock: local?.oldestBlock ?? 0, stop: async () => local?.stop() }
  const client = anvilClient(rpcUrl)
  const signer = privateKeyToAccount(keyOf(config.TICKET_SIGNER_KEY ?? secrets.ticketSignerKey)).address
  const file = join(directory, 'contracts.json')
  try {
    const contracts = await step(
      'contracts',
      vault === undefined ? ensureContracts(client, { file, signer }) : NOTHING,
    )
    if (contracts === null) return { ...common, vault: vault ?? '', settlerKey: null, testMoney: null }
    const testMoney = { client, contracts, faucet: createFaucet(client, contracts) }
    const settlerKey = keccak256(secrets.ticketSignerKey)
    await client.setBalance({ address: privateKeyToAccount(settlerKey).address, value: SETTLER_ETHER })
    return { ...common, vault: contracts.vault, settlerKey, testMoney }
  } catch (error) {
    await local?.stop()
    throw error
  }
}

/** `sink` is null if mails go to an external server. */
type Mails = Stoppable & { readonly url: string; readonly sink: MailSink | null }

async function startMails({ SMTP_URL: given }: Config): Promise<Mails> {
  if (given !== undefined) return { url: given, sink: null, stop: async () => undefined }
  const sink = await startMailSink()
  return { url: sink.url, sink, stop: () => sink.stop() }
}

const keyOf = (text: string): `0x${string}` => `0x${text.replace(/^0x/, '')}`

/** Waits for parts that start concurrently; if one fails, the started ones are stopped and its error is thrown. */
async function untilStarted(starting: readonly Promise<Stoppable>[]): Promise<void> {
  const results = await Promise.allSettled(starting)
  const failure = results.find(result => result.status === 'rejected')
  if (failure === undefined) return
  await Promise.all(results.map(result => (result.status === 'fulfilled' ? result.value.stop() : null)))
  throw failure.reason
}
