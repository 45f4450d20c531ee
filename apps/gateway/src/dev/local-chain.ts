import { randomInt } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { startOnAnyPort } from '../adapters/free-port.ts'
import { type Anvil, type AnvilClient, anvilClient, startAnvil } from './anvil.ts'
import { saveState, unpackState } from './chain-state.ts'
import { keepState, type StateKeeper } from './keep-state.ts'
import { mineRegularly } from './mine-regularly.ts'
import { endProcess, isProcessOf } from './processes.ts'
import { watchBlocks } from './watch-blocks.ts'
import { writeWhole } from './write-whole.ts'

/** A healthy leftover node saves its state and stops within a fraction of this. */
const LEFTOVER_TIMEOUT_MS = 2_000
/** Number of past blocks with states for calls. */
const STATES_KEPT = 64
/** Balance of each of the node's own accounts, in ether: the faucet never runs dry. */
const BALANCE_ETHER = 1_000_000_000
/** With many more blocks the node gets noticeably larger, and saving slower. */
const COMPACT_AFTER_BLOCKS = 8_000n
const FIRST_NONCE_MAX = 2 ** 31
/** Maximum restarts of a node that keeps dying. */
const RESTARTS_MAX = 20

/** A running chain. */
export type LocalChain = {
  readonly rpcUrl: string
  /** Process id of the node; changes when it is restarted. */
  readonly pid: number
  /** Height from which every block was present at the start; of older ones, those with transactions. */
  readonly oldestBlock: number
  /** Saves the state and stops the node. */
  stop(): Promise<void>
}

/** Options of {@link startLocalChain}. */
export type LocalChainOptions = {
  /** Directory of the state. */
  readonly directory: string
  /** Called with what an operator should know. */
  readonly notice?: (message: string) => void
  /** Number of blocks after which the node is restarted without its empty ones. */
  readonly compactAfterBlocks?: bigint
}

/**
 * Starts a local EVM chain (anvil): a block for each transaction, and one every second.
 *
 * Its state is persistent. anvil's own `--state` writes only at exit or periodically, and not atomically; so the state
 * is fetched (`anvil_dumpState`) right after each block with transactions and renamed into place: a kill costs at most
 * the current block. A node left by a killed gateway is asked for its state and then stopped. A node that dies is
 * restarted.
 */
export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const place = placeIn(resolve(options.directory))
  await mkdir(place.directory, { recursive: true, mode: 0o700 })
  const start = (port: number) => keepRunning(() => startLife(place, port, options), options.notice)
  return startOnAnyPort(await endLeftover(place), start)
}

type Place = { directory: string; saved: string; loaded: string; process: string }

const placeIn = (directory: string): Place => ({
  directory,
  saved: join(directory, 'state.json.gz'),
  loaded: join(directory, 'state.loaded.json'),
  process: join(directory, 'anvil.json'),
})

/** One run of a node with its watchers. */
type Life = {
  readonly anvil: Anvil
  readonly oldestBlock: number
  readonly keeper: StateKeeper
  /** Stops the watch and the mining. */
  readonly leave: () => void
}

async function startLife(place: Place, port: number, options: LocalChainOptions): Promise<Life> {
  const { notice = () => undefined, compactAfterBlocks = COMPACT_AFTER_BLOCKS } = options
  const oldestBlock = await unpackState(place)
  const anvil = await startAnvil({
    port,
    isDetached: true,
    // The node outlives a gateway that is killed: the next start finds it by this file.
    onSpawn: pid => writeWhole(place.process, JSON.stringify({ pid, port })),
    arguments: [
      '--balance',
      String(BALANCE_ETHER),
      '--prune-history',
      String(STATES_KEPT),
      // Nothing is cached; the path names the directory of this process, which identifies a leftover.
      '--cache-path',
      place.directory,
      ...(oldestBlock === null ? [] : ['--load-state', place.loaded]),
    ],
  })
  await rm(place.loaded, { force: true })
  await (oldestBlock === null ? scatterAddresses(anvil.client) : continueTime(anvil.client))
  const keeper = keepState(anvil, { file: place.saved, compactAfterBlocks, notice })
  const miner = mineRegularly(anvil.client)
  const unwatch = await watchBlocks(anvil.rpcUrl, block => {
    keeper.onBlock(block)
    miner.onBlock(block)
  })
  const leave = () => {
    unwatch()
    miner.stop()
  }
  return { anvil, oldestBlock: oldestBlock ?? 0, keeper, leave }
}

/**
 * Contract addresses depend on the deployer's nonce. It starts at a random number: a database that followed a vault on
 * one local chain must not mistake the vault of another for it.
 */
async function scatterAddresses(client: AnvilClient): Promise<void> {
  const [address] = await client.getAddresses()
  if (address !== undefined) await client.setNonce({ address, nonce: randomInt(1, FIRST_NONCE_MAX) })
}

/** anvil starts at wall-clock time; if chain time was ahead of it, it continues from there. */
async function continueTime(client: AnvilClient): Promise<void> {
  const { timestamp } = await client.getBlock({ blockTag: 'latest' })
  const ahead = Number(timestamp) - Math.floor(Date.now() / 1_000)
  if (ahead > 0) await client.increaseTime({ seconds: ahead })
}

/** Keeps a node running until `stop`: one that ends, by itself or for compaction, is replaced. */
async function keepRunning(
  begin: () => Promise<Life>,
  notice: (message: string) => void = () => undefined,
): Promise<LocalChain> {
  let isStopping = false
  let life = await begin()
  const { oldestBlock } = life
  const { rpcUrl } = life.anvil
  const lives = followLives().catch((error: unknown) => {
    notice(`The local chain could not be restarted: ${String(error)}`)
  })

  async function followLives(): Promise<void> {
    for (let restarts = 0; restarts < RESTARTS_MAX; ) {
      await life.anvil.ended
      life.leave()
      if (isStopping) return
      if (!life.keeper.isCompacting()) {
        notice('The local chain stopped unexpectedly and is restarted.')
        restarts += 1
      }
      life = await begin()
      if (isStopping) return endLife(life)
    }
    notice('The local chain stopped too often.')
  }

  return {
    rpcUrl,
    oldestBlock,
    get pid() {
      return life.anvil.pid
    },
    async stop() {
      isStopping = true
      await endLife(life)
      await lives
    },
  }
}

async function endLife({ anvil, keeper, leave }: Life): Promise<void> {
  leave()
  await keeper.saveLast()
  await anvil.stop()
}

/**
 * A node left by a killed gateway has the newest state: saves it, then stops the node.
 *
 * @returns the port of that node, or 0: clients use its URL
 */
async function endLeftover(place: Place): Promise<number> {
  const text = await readFile(place.process, 'utf8').catch(() => null)
  if (text === null) return 0
  const { pid, port } = JSON.parse(text) as { pid: number; port: number }
  if (isProcessOf(pid, place.directory)) {
    // A node that no longer answers adds nothing to what was saved.
    const dump = await anvilClient(`http://127.0.0.1:${port}`, LEFTOVER_TIMEOUT_MS)
      .dumpState()
      .catch(() => null)
    if (dump !== null) await saveState(place.saved, dump)
    const leftover = { pid, text: place.directory }
    const hasEnded =
      (await endProcess(leftover, { signal: 'SIGTERM', timeoutMs: LEFTOVER_TIMEOUT_MS })) ||
      (await endProcess(leftover, { signal: 'SIGKILL', timeoutMs: LEFTOVER_TIMEOUT_MS }))
    if (!hasEnded)
      throw new Error(`A local chain (process ${pid}) holds ${place.directory} and does not end.`)
  }
  return port
}
