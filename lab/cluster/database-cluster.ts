import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../apps/gateway/src/adapters/free-port.ts'
import { inDatabase } from '../kit/in-database.ts'
import { start, until } from '../kit/processes.ts'
import { openNetwork } from './network.ts'
import { addressesOf, createNode, type Member, type Node, type Plan } from './node.ts'

const MACHINES = 3
const WHOLE_MS = 120_000
const PROXY_STOP_MS = 5_000
const DATABASE = 'farebox'

/** Three machines with PostgreSQL, one of them the primary, behind a balancer. */
export type DatabaseCluster = {
  /** Folder of logs and data. */
  readonly directory: string
  readonly nodes: readonly Node[]
  /** By the balancer: always the primary. */
  readonly url: string
  /** Returns the primary that any machine names, except those that are left out. */
  primary(except?: readonly Node[]): Promise<Node>
  /** Waits until all machines are there: a primary, a synchronous replica, all on one timeline. */
  whole(): Promise<readonly Member[]>
  /** Stops everything and removes it. */
  close(): Promise<void>
}

/** Starts three machines and the balancer, and makes an empty database for the gateways. */
export async function startDatabaseCluster(options: {
  isStrict: boolean
  isKept: boolean
}): Promise<DatabaseCluster> {
  await using undo = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'farebox-cluster-'))
  await chmod(directory, 0o755)
  undo.defer(() => (options.isKept ? Promise.resolve() : rm(directory, { recursive: true, force: true })))
  const network = await openNetwork(MACHINES)
  undo.defer(() => network.close())
  const plan: Plan = {
    directory,
    places: network.places,
    passwords: { superuser: secret(), replication: secret() },
    isStrict: options.isStrict,
    binaries: await findBinaries(),
    owner: await findOwner(),
  }
  const nodes: Node[] = []
  for (const [index] of network.places.entries()) {
    const node = await createNode(plan, index)
    undo.defer(() => node.stop())
    await node.start()
    nodes.push(node)
  }
  const port = await startBalancer(plan, undo)
  const cluster = { directory, nodes, ...looks(nodes) }
  await cluster.whole()
  const url = await createDatabase(port, plan.passwords.superuser)
  const started = undo.move()
  return { ...cluster, url, close: () => started.disposeAsync() }
}

const secret = () => randomBytes(16).toString('hex')

function looks(nodes: readonly Node[]): Pick<DatabaseCluster, 'primary' | 'whole'> {
  return {
    primary: (except = []) =>
      until('there is a primary', WHOLE_MS, async () => {
        const members = await anyMembers(nodes.filter(node => !except.includes(node)))
        const leader = members.find(({ role, state }) => role === 'leader' && state === 'running')
        const node = nodes.find(({ name }) => name === leader?.name)
        return node !== undefined && !except.includes(node) && node
      }),
    whole: () =>
      until('all machines are there', WHOLE_MS, async () => {
        const members = await anyMembers(nodes)
        return isWhole(members) && members
      }),
  }
}

/** Creates the gateways' database and its owner; returns its URL by the balancer. */
async function createDatabase(port: number, superuser: string): Promise<string> {
  const password = secret()
  await inDatabase(`postgres://postgres:${superuser}@127.0.0.1:${port}/postgres`, async client => {
    await client.query(`create role ${DATABASE} login password '${password}'`)
    await client.query(`create database ${DATABASE} owner ${DATABASE}`)
  })
  return `postgres://${DATABASE}:${password}@127.0.0.1:${port}/${DATABASE}`
}

const execute = promisify(execFile)

/** Returns the folder of Debian's newest PostgreSQL. */
async function findBinaries(): Promise<string> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const newest = versions.map(Number).sort((a, b) => b - a)[0]
  if (newest === undefined) throw new Error('There is no PostgreSQL: run lab/cluster/install-packages.')
  return `/usr/lib/postgresql/${newest}/bin`
}

/** Returns the user that it runs as. */
async function findOwner(): Promise<{ uid: number; gid: number }> {
  const id = async (flag: string) => Number((await execute('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

/** The balancer, as docs/scaling.md and deploy/ have it: who answers 200 to `/primary` gets the connections. */
async function startBalancer({ directory, places }: Plan, undo: AsyncDisposableStack): Promise<number> {
  const port = await freePort()
  const servers = places.map((place, index) => {
    const { database, statusPort } = addressesOf(place)
    return `  server node${index + 1} ${database} maxconn 140 check port ${statusPort}`
  })
  const file = join(directory, 'haproxy.cfg')
  await writeFile(
    file,
    `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  )
  const balancer = start(['haproxy', '-db', '-f', file], {
    name: 'haproxy',
    logFile: join(directory, 'haproxy.log'),
  })
  undo.defer(() => balancer.stop(PROXY_STOP_MS))
  return port
}

async function anyMembers(nodes: readonly Node[]): Promise<readonly Member[]> {
  return Promise.any(nodes.map(node => node.members()))
}

function isWhole(members: readonly Member[]): boolean {
  const leader = members.find(({ role }) => role === 'leader')
  return (
    members.length === MACHINES &&
    leader?.state === 'running' &&
    members.some(({ role }) => role === 'sync_standby') &&
    members.every(({ timeline }) => timeline === leader.timeline) &&
    members.every(
      ({ name, lag, state }) => name === leader.name || (typeof lag === 'number' && state !== 'stopped'),
    )
  )
}
