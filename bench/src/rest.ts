import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from './child.ts'
import { type BenchGateway, type RunningGateway, runGateway } from './gateway.ts'
import type { PartResult } from './part.ts'
import { readProcessTimes } from './process-times.ts'

/** Wait until what a start leaves to do is done, and the measured time, in seconds. */
const SETTLE_SECONDS = 45
const SECONDS = 60
const GATEWAY_MS_MAX = 10
const DATABASE_MS_MAX = 5
const DATABASE = 'at_rest'
/** Blocks that let the vault be followed at all, and how often there is another one, in ms: as on Base. */
const BLOCKS_BEFORE = 64
const BLOCK_EVERY_MS = 2_000

/**
 * Measures the processor time of a gateway in production mode, and of its database, while nobody calls. It has an empty
 * database on the server of a development gateway, and that one's chain, which goes on by a block every two seconds; the
 * development gateway itself is suspended.
 */
export async function measureRest(on: {
  gateway: BenchGateway
  stopLater(started: RunningGateway): RunningGateway
}): Promise<PartResult> {
  const { gateway, stopLater } = on
  const { rpcUrl, vault } = await gateway.chain()
  const databaseUrl = await createDatabase(await gateway.databaseUrl())
  await mine(rpcUrl, BLOCKS_BEFORE)
  stopLater(
    await runGateway({
      settings: {
        ...{ FAREBOX_MODE: 'production', PORT: String(await freePort()), DATABASE_URL: databaseUrl },
        ...{ CHAIN_RPC_URL: rpcUrl, VAULT_ADDRESS: vault },
        ...{ JWT_SECRET: randomBytes(32).toString('hex'), ENCRYPTION_KEY: randomBytes(32).toString('hex') },
        STOP_PAUSE_SECONDS: '0',
      },
    }),
  )
  process.kill(gateway.pid, 'SIGSTOP')
  const mining = mineOn(rpcUrl)
  try {
    await pause(SETTLE_SECONDS * 1_000)
    const before = await readProcessTimes()
    await pause(SECONDS * 1_000)
    const after = await readProcessTimes()
    const spent = (isOurs: (name: string) => boolean) =>
      [...after]
        .filter(([name]) => isOurs(name))
        .reduce((sum, [name, seconds]) => sum + seconds - (before.get(name) ?? 0), 0)
    return resultOf({
      gatewayMs: (1_000 * spent(name => name === 'apps/gateway/src/main.ts')) / SECONDS,
      databaseMs: (1_000 * spent(name => name.includes('postgres'))) / SECONDS,
      connectionsMs: (1_000 * spent(name => name === 'postgres: connections')) / SECONDS,
    })
  } finally {
    await mining.stop()
    process.kill(gateway.pid, 'SIGCONT')
  }
}

async function mine(rpcUrl: string, blocks: number): Promise<void> {
  const body = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1 },
    ...{ method: 'anvil_mine', params: [`0x${blocks.toString(16)}`] },
  })
  const headers = { 'content-type': 'application/json' }
  const answer = (await (await fetch(rpcUrl, { method: 'POST', headers, body })).json()) as {
    error?: unknown
  }
  if (answer.error !== undefined) throw new Error(`No block was mined: ${JSON.stringify(answer.error)}`)
}

/** Mines a block now and then until stopped. */
function mineOn(rpcUrl: string): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const mining = (async () => {
    while (!stopping.signal.aborted) {
      await mine(rpcUrl, 1)
      await pause(BLOCK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  mining.catch(() => undefined) // told by stop()
  return {
    stop() {
      stopping.abort()
      return mining
    },
  }
}

async function createDatabase(ownerUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
  return ownerUrl.replace(/\/[^/?]+(\?|$)/, `/${DATABASE}$1`)
}

function resultOf(figures: { gatewayMs: number; databaseMs: number; connectionsMs: number }): PartResult {
  const lines = [
    ['gateway', figures.gatewayMs, GATEWAY_MS_MAX],
    ['database', figures.databaseMs, DATABASE_MS_MAX],
  ] as const
  return {
    figures,
    sections: [
      {
        title: 'At rest',
        table: [['process', 'ms of processor a second'], ...lines.map(([name, ms]) => [name, ms.toFixed(1)])],
        notes: [
          `A gateway in production mode, nobody calling, ${SECONDS} s, all threads, and all processes of PostgreSQL ` +
            `(of which connections that are open ${figures.connectionsMs.toFixed(1)} ms). From ${SETTLE_SECONDS} s after its start. The chain has a block every ${BLOCK_EVERY_MS / 1_000} s.`,
        ],
      },
    ],
    bars: lines.map(([name, ms, most]) => ({
      name: `processor time at rest of the ${name} at most ${most} ms a second`,
      found: `${ms.toFixed(1)} ms`,
      isMet: ms <= most,
    })),
    findings: [],
    isSound: true,
  }
}
