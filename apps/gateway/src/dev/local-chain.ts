import { randomInt } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freePort } from '../adapters/free-port.ts'
import { type Anvil, type AnvilClient, anvilClient, startAnvil } from './anvil.ts'
import { saveState, unpackState } from './chain-state.ts'
import { keepState, type StateKeeper } from './keep-state.ts'
import { mineRegularly } from './mine-regularly.ts'
import { endProcess, isProcessOf } from './processes.ts'
import { watchBlocks } from './watch-blocks.ts'
import { writeWhole } from './write-whole.ts'

/** A leftover that is well hands over its state and ends within a fraction of this. */
const LEFTOVER_TIMEOUT_MS = 2_000
/** States of past blocks that calls may ask for. */
const STATES_KEPT = 64
/** In ether, for each of the node's own accounts: the faucet never runs dry. */
const BALANCE_ETHER = 1_000_000_000
/** With many more blocks the node gets noticeably larger, and saving its state slower. */
const COMPACT_AFTER_BLOCKS = 8_000n
const FIRST_NONCE_MAX = 2 ** 31
/** A node that keeps dying is not started again for ever. */
const RESTARTS_MAX = 20

/** A running chain. */
export type LocalChain = {
  readonly rpcUrl: string
  /** Of the node; another one after it was started again. */
  readonly pid: number
  /** From this height on every block was there at the start; of older ones, those with transactions. */
  readonly oldestBlock: number
  /** Saves the state and ends the node. */
  stop(): Promise<void>
}

/** What {@link startLocalChain} takes. */
export type LocalChainOptions = {
  /** Where the state lies. */
  readonly directory: string
  /** Told of what an operator should know. */
  readonly notice?: (message: string) => void
  /** After so many blocks the node is started again without its empty ones. */
  readonly compactAfterBlocks?: bigint
}

/**
 * Starts a local EVM chain (anvil): a block at once on each transaction and one every second.
 *
 * Its state outlives it. anvil's own `--state` writes at an orderly exit or every so many seconds, and not in
 * one step; so the state is fetched (`anvil_dumpState`) right after each block with transactions and put in
 * place by renaming: a kill at any moment costs at most the block of that moment. A node that a killed gateway
 * left behind is asked for its state first, and then ended. A node that dies is started again.
 */
export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const place = placeIn(resolve(options.directory))
  await mkdir(place.directory, { recursive: true, mode: 0o700 })
  const port = await freePort('127.0.0.1', await endLeftover(place))
  return keepRunning(() => startLife(place, port, options), options.notice)
}

type Place = { directory: string; saved: string; loaded: string; process: string }

const placeIn = (directory: string): Place => ({
  directory,
  saved: join(directory, 'state.json.gz'),
  loaded: join(directory, 'state.loaded.json'),
  process: join(directory, 'anvil.json'),
})

/** A node from its start to its end, and what looks after it. */
type Life = {
  readonly anvil: Anvil
  readonly oldestBlock: number
  readonly keeper: StateKeeper
  /** Ends the watch and the mining. */
  readonly leave: () => void
}

async function startLife(place: Place, port: number, options: LocalChainOptions): Promise<Life> {
  const { notice = () => undefined, compactAfterBlocks = COMPACT_AFTER_BLOCKS } = options
  const oldestBlock = await unpackState(place)
  const anvil = await startAnvil({
    port,
    isDetached: true,
    arguments: [
      ...['--balance', String(BALANCE_ETHER), '--prune-history', String(STATES_KEPT)],
      // Nothing is cached; the path names the folder that this process serves, by which a leftover is known.
      ...['--cache-path', place.directory],
      ...(oldestBlock === null ? [] : ['--load-state', place.loaded]),
    ],
  })
  await writeWhole(place.process, JSON.stringify({ pid: anvil.pid, port: anvil.port }))
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
 * Contracts get their addresses by the nonce of who deploys them. It begins somewhere, not at 0: a database that
 * has followed a vault on one local chain must not take the vault of another for the same.
 */
async function scatterAddresses(client: AnvilClient): Promise<void> {
  const [address] = await client.getAddresses()
  if (address !== undefined) await client.setNonce({ address, nonce: randomInt(1, FIRST_NONCE_MAX) })
}

/** anvil starts at wall-clock time; where chain time was moved ahead of that, it goes on from there. */
async function continueTime(client: AnvilClient): Promise<void> {
  const { timestamp } = await client.getBlock({ blockTag: 'latest' })
  const ahead = Number(timestamp) - Math.floor(Date.now() / 1_000)
  if (ahead > 0) await client.increaseTime({ seconds: ahead })
}

/** Keeps a node running until `stop`: one that ends, by itself or to be compacted, is followed by the next. */
async function keepRunning(
  begin: () => Promise<Life>,
  notice: (message: string) => void = () => undefined,
): Promise<LocalChain> {
  let isStopping = false
  let life = await begin()
  const { oldestBlock } = life
  const { rpcUrl } = life.anvil
  const lives = followLives().catch((error: unknown) => {
    notice(`The local chain could not be started again: ${String(error)}`)
  })

  async function followLives(): Promise<void> {
    for (let restarts = 0; restarts < RESTARTS_MAX; ) {
      await life.anvil.ended
      life.leave()
      if (isStopping) return
      if (!life.keeper.isCompacting()) {
        notice('The local chain ended by itself and is started again.')
        restarts += 1
      }
      life = await begin()
      if (isStopping) return endLife(life)
    }
    notice('The local chain has ended too often.')
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
 * A node left behind by a killed gateway has the newest state: it is asked for it, then ended.
 *
 * @returns the port of the node before, or 0: clients have its URL
 */
async function endLeftover(place: Place): Promise<number> {
  const text = await readFile(place.process, 'utf8').catch(() => null)
  if (text === null) return 0
  const { pid, port } = JSON.parse(text) as { pid: number; port: number }
  if (isProcessOf(pid, place.directory)) {
    // One that does not answer any more has nothing to add to what was saved.
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
