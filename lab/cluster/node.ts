import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { treeOf } from '../kit/proc.ts'
import { type Started, signalAll, start, until } from '../kit/processes.ts'
import type { Place } from './network.ts'
import { runningIn } from './processes.ts'

const DATABASE_PORT = 5432
const STATUS_PORT = 8008
const ETCD_CLIENT_PORT = 2379
const ETCD_PEER_PORT = 2380
const STOP_MS = 30_000
const ASK_MS = 2_000
/** User that runs PostgreSQL on Debian. */
const RUN_AS = 'postgres'

/** Timing of Patroni, whose minimum `ttl` is 20 s. */
export const TIMES = { ttl: 20, loop_wait: 2, retry_timeout: 5 } as const

/** Settings that the machines share. */
export type Plan = {
  readonly directory: string
  readonly places: readonly Place[]
  readonly binaries: string
  readonly owner: { readonly uid: number; readonly gid: number }
  readonly passwords: { readonly superuser: string; readonly replication: string }
  /** True if the primary stops writing without a synchronous replica. */
  readonly isStrict: boolean
}

/** A member of the cluster, by Patroni's API. */
export type Member = {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
  readonly lag?: number | string
}

/** A machine: etcd, Patroni and PostgreSQL. */
export type Node = {
  readonly name: string
  readonly place: Place
  /** Data directory of its PostgreSQL. */
  readonly dataDirectory: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Processes of its PostgreSQL, of Patroni, of etcd. */
  pids(): Promise<{ readonly postgres: number[]; readonly patroni: number[]; readonly etcd: number[] }>
  /** Reads the members of the cluster from Patroni. @throws Error when it does not answer */
  members(): Promise<readonly Member[]>
}

/** Prepares a machine. */
export async function createNode(plan: Plan, index: number): Promise<Node> {
  const place = plan.places[index]
  if (place === undefined) throw new RangeError('There is no such place.')
  const name = `node${index + 1}`
  const directory = join(plan.directory, name)
  const dataDirectory = join(directory, 'data')
  const socketDirectory = join(directory, 'socket')
  const logFile = join(directory, 'patroni.log')
  const etcdDirectory = join(directory, 'etcd')
  for (const folder of [directory, socketDirectory, etcdDirectory]) {
    await mkdir(folder, { mode: 0o755 })
    await chown(folder, plan.owner.uid, plan.owner.gid)
  }
  const configuration = join(directory, 'patroni.json')
  await writeFile(
    configuration,
    JSON.stringify(patroniOf(plan, { name, place, dataDirectory, socketDirectory }), null, 2),
    { mode: 0o640 },
  )
  await chown(configuration, plan.owner.uid, plan.owner.gid)

  let etcd: Started | null = null
  let patroni: Started | null = null
  return {
    name,
    place,
    dataDirectory,
    async start() {
      etcd = start([...place.enter(RUN_AS), ...etcdOf(plan, { name, place, etcdDirectory })], {
        name: `etcd of ${name}`,
        logFile: join(directory, 'etcd.log'),
      })
      patroni = start([...place.enter(RUN_AS), 'patroni', configuration], {
        name: `Patroni of ${name}`,
        logFile,
      })
    },
    async stop() {
      // A frozen process receives no signals but SIGKILL.
      if (patroni !== null) signalAll([patroni.pid], 'SIGCONT')
      await patroni?.stop(STOP_MS)
      const isGone = async () => (await runningIn(dataDirectory)).length === 0
      if (!(await isGone())) {
        signalAll(await runningIn(dataDirectory), 'SIGCONT')
        signalAll(await runningIn(dataDirectory), 'SIGQUIT')
        await until(`PostgreSQL of ${name} is gone`, STOP_MS, isGone)
      }
      await etcd?.stop(STOP_MS)
    },
    async pids() {
      const all = (started: Started | null) => (started === null ? [] : treeOf(started.pid))
      return {
        postgres: await runningIn(dataDirectory),
        patroni: all(patroni),
        etcd: all(etcd),
      }
    },
    async members() {
      const url = `http://${place.address}:${STATUS_PORT}/cluster`
      const response = await fetch(url, { signal: AbortSignal.timeout(ASK_MS) })
      return ((await response.json()) as { members: Member[] }).members
    },
  }
}

/** Returns the address of the database at a place, and the port of its Patroni. */
export const addressesOf = ({ address }: Place) => ({
  database: `${address}:${DATABASE_PORT}`,
  statusPort: STATUS_PORT,
})

function etcdOf(
  { places }: Plan,
  { name, place, etcdDirectory }: { name: string; place: Place; etcdDirectory: string },
): string[] {
  const urlOf = (at: Place, port: number) => `http://${at.address}:${port}`
  const peers = places.map((at, index) => `node${index + 1}=${urlOf(at, ETCD_PEER_PORT)}`)
  return [
    ...['etcd', '--name', name, '--data-dir', etcdDirectory],
    ...['--listen-peer-urls', urlOf(place, ETCD_PEER_PORT)],
    ...['--initial-advertise-peer-urls', urlOf(place, ETCD_PEER_PORT)],
    ...['--listen-client-urls', urlOf(place, ETCD_CLIENT_PORT)],
    ...['--advertise-client-urls', urlOf(place, ETCD_CLIENT_PORT)],
    ...['--initial-cluster', peers.join(','), '--initial-cluster-state', 'new'],
    ...['--enable-v2', '--log-level', 'warn'],
  ]
}

/** Patroni reads YAML, and JSON is YAML. */
function patroniOf(
  { places, binaries, passwords, isStrict }: Plan,
  on: { name: string; place: Place; dataDirectory: string; socketDirectory: string },
) {
  const { name, place, dataDirectory, socketDirectory } = on
  const users = {
    superuser: { username: 'postgres', password: passwords.superuser },
    replication: { username: 'replicator', password: passwords.replication },
  }
  return {
    scope: 'farebox',
    name,
    restapi: {
      listen: `${place.address}:${STATUS_PORT}`,
      connect_address: `${place.address}:${STATUS_PORT}`,
    },
    // Not `etcd3`: with it Patroni 3.0.2, which is Debian 12's, lets a primary that wakes up from a freeze write over the
    // lock of the one that took over (patroni/patroni#2689, mended in 3.0.3), and what that one acknowledged is lost.
    etcd: { hosts: places.map(({ address }) => `${address}:${ETCD_CLIENT_PORT}`) },
    bootstrap: {
      dcs: {
        ...TIMES,
        // A primary that fell gives way at once: nothing that was acknowledged is on it alone.
        primary_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: isStrict,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 150,
            shared_buffers: '64MB',
            wal_log_hints: 'on',
            wal_keep_size: '256MB',
            synchronous_commit: 'on',
            fsync: 'on',
            full_page_writes: 'on',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${place.address}:${DATABASE_PORT}`,
      connect_address: `${place.address}:${DATABASE_PORT}`,
      data_dir: dataDirectory,
      bin_dir: binaries,
      pgpass: join(dataDirectory, '..', 'pgpass'),
      authentication: users,
      parameters: { unix_socket_directories: socketDirectory, password_encryption: 'scram-sha-256' },
      pg_hba: [
        'local all all scram-sha-256',
        'host replication replicator 0.0.0.0/0 scram-sha-256',
        'host all all 0.0.0.0/0 scram-sha-256',
      ],
    },
  }
}
