import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../bench/child.ts'
import { findBinaries, findOwner } from './debian.ts'
import { openNetwork } from './network.ts'
import { addressesOf, createNode, type Member, type Node, type Plan } from './node.ts'
import { start, until } from './processes.ts'

const MACHINES = 3
const WHOLE_MS = 120_000
const PROXY_STOP_MS = 5_000
const DATABASE = 'farebox'

/** Three machines with PostgreSQL, one of them the primary, behind a balancer. */
export type DatabaseCluster = {
  /** Where logs and data lie. */
  readonly directory: string
  readonly nodes: readonly Node[]
  /** By the balancer: always the primary. */
  readonly url: string
  /** The primary, by the word of any machine but those that are left out. */
  primary(except?: readonly Node[]): Promise<Node>
  /** Waits until all machines are there: a primary, a synchronous replica, all on one timeline. */
  whole(): Promise<readonly Member[]>
  /** Plain SQL on one machine's own socket, as its superuser: also while nobody else reaches it. */
  inside<Row extends pg.QueryResultRow>(node: Node, text: string, values?: unknown[]): Promise<Row[]>
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
  const secret = () => randomBytes(16).toString('hex')
  const passwords = { superuser: secret(), replication: secret() }
  const plan: Plan = {
    directory,
    places: network.places,
    passwords,
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

  const cluster: Omit<DatabaseCluster, 'close' | 'url'> = {
    directory,
    nodes,
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
    async inside(node, text, values = []) {
      const client = new pg.Client({
        host: node.socketDirectory,
        user: 'postgres',
        password: passwords.superuser,
        database: DATABASE,
        connectionTimeoutMillis: 5_000,
        query_timeout: 10_000,
      })
      client.on('error', () => undefined)
      await client.connect()
      try {
        return (await client.query(text, values)).rows
      } finally {
        await client.end()
      }
    },
  }
  await cluster.whole()
  const owner = secret()
  const client = new pg.Client({
    connectionString: `postgres://postgres:${passwords.superuser}@127.0.0.1:${port}/postgres`,
  })
  await client.connect()
  await client.query(`create role ${DATABASE} login password '${owner}'`)
  await client.query(`create database ${DATABASE} owner ${DATABASE}`)
  await client.end()

  const started = undo.move()
  return {
    ...cluster,
    url: `postgres://${DATABASE}:${owner}@127.0.0.1:${port}/${DATABASE}`,
    close: () => started.disposeAsync(),
  }
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
