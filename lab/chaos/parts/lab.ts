import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTcpProxy, type TcpProxy } from '../../../apps/gateway/test/kit/network/tcp-proxy.ts'
import { newTotals, type Totals } from '../check/books.ts'
import type { AskedCall, AskedDeposit } from '../check/history.ts'
import { gatewaySettings, settleWorld, type World } from '../load/world.ts'
import { GATEWAYS, PROVIDERS, type ProviderName } from '../plan.ts'
import { type LabChain, startLabChain } from './chain.ts'
import { type LabDatabase, startLabDatabase } from './database.ts'
import { gatewayAt, type LabGateway, prepareGateway } from './gateways.ts'
import { type Providers, startProviders } from './providers.ts'

/** All parts of the laboratory, and the lines between them. */
export type Lab = {
  /** Folder of logs and evidence. */
  readonly directory: string
  readonly database: LabDatabase
  readonly chain: LabChain
  readonly providers: Providers
  /** From the gateways to each provider. */
  readonly lines: Readonly<Record<ProviderName, TcpProxy>>
  readonly gateways: readonly LabGateway[]
  gateway(index: number): LabGateway
  allLines(): TcpProxy[]
  readonly world: World
  /** Sums of all rounds. */
  readonly totals: Totals
  /** Calls of earlier rounds that are asked for again now and then. */
  readonly remembered: AskedCall[]
  /** Deposits that were made before the first round. */
  readonly firstDeposits: AskedDeposit[]
  /** @param keep whether what it wrote shall stay, its database with it */
  stop(keep?: boolean): Promise<void>
}

/**
 * Starts the laboratory: PostgreSQL with fsync, a chain, providers, gateways on one database, and a line of ours
 * between any two of them. Its files lie in a temporary folder of its own.
 */
export async function startLab(): Promise<Lab> {
  await using started = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'farebox-chaos-'))
  await chmod(directory, 0o711) // as root, PostgreSQL runs as another user, who must be able to enter
  let isKept = false
  started.defer(() => (isKept ? Promise.resolve() : rm(directory, { recursive: true, force: true })))
  const keep = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
    started.defer(() => part.stop())
    return part
  }
  const [database, chain, providers] = await Promise.all([
    startLabDatabase(directory).then(keep),
    startLabChain(directory).then(keep),
    startProviders().then(keep),
  ])
  const lineTo = async (name: ProviderName) => {
    const port = providers.ports[name === 'spare' ? 'fixed' : name]
    return [name, keep(await startTcpProxy(() => port))] as const
  }
  const lines = Object.fromEntries(await Promise.all(PROVIDERS.map(lineTo))) as Record<ProviderName, TcpProxy>
  const environment = gatewaySettings({ chain, databaseUrl: database.url })
  const ports = { databasePort: database.port, chainPort: chain.port }
  const gateways: LabGateway[] = []
  for (let index = 0; index < GATEWAYS; index += 1) {
    const logFile = join(directory, `gateway-${index}.log`)
    gateways.push(keep(await prepareGateway({ index, ...ports, environment, logFile })))
  }
  await Promise.all(gateways.map(gateway => gateway.start()))
  const gateway = (index: number) => gatewayAt(gateways, index)
  const world = await settleWorld({ gateway: gateway(0), chain, lines })
  const undo = started.move()
  return {
    directory,
    database,
    chain,
    providers,
    lines,
    gateways,
    gateway,
    world,
    stop(keepFiles = false) {
      isKept = keepFiles
      return undo.disposeAsync()
    },
    allLines: () => [...Object.values(lines), ...gateways.flatMap(({ lines: own }) => Object.values(own))],
    totals: newTotals(),
    remembered: [],
    firstDeposits: [...world.deposits],
  }
}
