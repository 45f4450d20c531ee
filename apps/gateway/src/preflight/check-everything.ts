import { tlsServersOf } from '../adapters/certificates.ts'
import { connectChain } from '../adapters/chain/chain.ts'
import { systemClock } from '../adapters/clock.ts'
import {
  type Config,
  demandSettings,
  findFaults,
  type Needed,
  readConfig,
  remoteSignerOf,
} from '../config.ts'
import type { Chain, Log } from '../ports.ts'
import { type Check, type Finding, failed, ok, runChecks } from './check.ts'
import { checkCertificates } from './check-certificates.ts'
import { checkDatabase } from './check-database.ts'
import { checkEndpoints } from './check-endpoints.ts'
import { checkMachine, clockCheck } from './check-machine.ts'
import { checkVault } from './check-vault.ts'
import { guardDatabase } from './guard-database.ts'
import { findUnreachable, openForChecks } from './guard-money.ts'
import { guardVault, judgeUnreadVault } from './guard-vault.ts'

const SETTINGS = 'docs/operations.md, "Settings"'

/**
 * Checks the settings of a gateway in production against database, chain, vault, mail server and machine. Writes
 * nothing. Without readable settings nothing else is checked.
 */
export async function checkEverything(env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const faults = findFaults(env)
  const settings = { check: 'settings', guardsMoney: true }
  if (faults.length > 0)
    return faults.map(fault => ({ ...settings, ...failed(`${fault}.`, `Correct it (${SETTINGS}).`) }))
  const config = readConfig(env)
  if (config.FAREBOX_MODE === 'dev')
    return [
      {
        ...settings,
        ...failed('FAREBOX_MODE is dev, which brings its own database and chain.', 'Set it to production.'),
      },
    ]
  const found = await checkWorld(demandSettings(config))
  return [{ ...settings, ...ok('complete and readable') }, ...found]
}

async function checkWorld(config: Config & Needed): Promise<Finding[]> {
  // Findings say what a gateway would log.
  const silent = () => undefined
  const log: Log = { debug: silent, info: silent, warn: silent, error: silent }
  const databases = openForChecks(config, log)
  try {
    const [away, chain] = await Promise.all([findUnreachable(databases), openChain(config, log)])
    const facts = 'facts' in chain ? chain.facts : null
    return await runChecks([
      ...(away === null
        ? [...guardDatabase(databases, facts, config), ...checkDatabase(databases.db, config)]
        : [{ name: 'database', guardsMoney: true, judge: async () => away } as const]),
      ...checkEndpoints([config.CHAIN_RPC_URL, ...config.RPC_URLS], systemClock),
      ...('facts' in chain ? [...guardVault(chain, config), ...checkVault(chain, config)] : [chain]),
      ...(away === null ? [clockCheck(databases.db, systemClock)] : []),
      ...checkCertificates(tlsServersOf(config), systemClock),
      ...checkMachine(config),
    ])
  } finally {
    await databases.close()
  }
}

/** Connects to the vault; returns a check that has failed if it cannot. */
async function openChain(config: Config & Needed, log: Log): Promise<Chain | Check> {
  try {
    return await connectChain({
      rpcUrl: config.CHAIN_RPC_URL,
      moreRpcUrls: config.RPC_URLS,
      vault: config.VAULT_ADDRESS,
      requiredConfirmations: config.REQUIRED_CONFIRMATIONS,
      ticketSignerKey: config.TICKET_SIGNER_KEY,
      remoteSigner: remoteSignerOf(config),
      log,
    })
  } catch (error) {
    const fault = judgeUnreadVault(error)
    return { name: 'vault', guardsMoney: true, judge: async () => fault }
  }
}
