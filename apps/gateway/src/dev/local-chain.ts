import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freePort } from '../adapters/free-port.ts'
import { type Anvil, type AnvilClient, anvilClient, startAnvil } from './anvil.ts'
import { saveState, unpackState } from './chain-state.ts'
import { endProcess, isProcessOf } from './processes.ts'
import { type NewBlock, watchBlocks } from './watch-blocks.ts'

const STOP_TIMEOUT_MS = 5_000
/** States of past blocks that calls may ask for. */
const STATES_KEPT = 64
/** In ether, for each of the node's own accounts: the faucet never runs dry. */
const BALANCE_ETHER = 1_000_000_000
/** The state is saved after each block with transactions, and after so many without any. */
const SAVE_AFTER_BLOCKS = 60n
/** After so many blocks the node is started anew without its empty blocks, when nothing happens ... */
const COMPACT_AFTER_BLOCKS = 7_200n
const QUIET_BLOCKS = 30n
/** ... and after so many, whatever happens. */
const COMPACT_AT_LATEST_BLOCKS = 36_000n
/** A node that keeps dying is not started again for ever. */
const RESTARTS_MAX = 20

/** A running chain. */
export type LocalChain = {
  readonly rpcUrl: string
  /** Of the node; another one after a compaction. */
  readonly pid: number
  /** Saves the state and ends the node. */
  stop(): Promise<void>
}

type Files = { saved: string; loaded: string; process: string }

/**
 * Starts a local EVM chain (anvil): a block at once on each transaction and one every second.
 *
 * Its state outlives it. anvil's own `--state` writes at an orderly exit or every so many seconds, and not in
 * one step; so the state is fetched (`anvil_dumpState`) right after each block with transactions and put in
 * place by renaming: a kill at any moment loses no block older than some milliseconds. A node that a killed
 * gateway left behind is asked for its state first, and then ended. A node that dies is started again.
 *
 * @param options.directory where the state lies; null keeps nothing
 * @param options.compactAfterBlocks see COMPACT_AFTER_BLOCKS; for tests
 * @param options.notice   told of what an operator should know
 */
export async function startLocalChain(options: {
  directory: string | null
  compactAfterBlocks?: bigint
  notice?: (message: string) => void
}): Promise<LocalChain> {
  if (options.directory === null) {
    const anvil = await startAnvil({ port: 0, arguments: commandLine() })
    return { rpcUrl: anvil.rpcUrl, pid: anvil.pid, stop: () => anvil.stop() }
  }
  const directory = resolve(options.directory)
  const files: Files = {
    saved: join(directory, 'state.json.gz'),
    loaded: join(directory, 'state.loaded.json'),
    process: join(directory, 'anvil.json'),
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const port = await freePort('127.0.0.1', await endLeftover(directory, files))
  return keepRunning({
    launch: () => launch(directory, files, port),
    files,
    compactAfterBlocks: options.compactAfterBlocks ?? COMPACT_AFTER_BLOCKS,
    notice: options.notice ?? (() => undefined),
  })
}

/** One life of the node, from the saved state on. */
async function launch(directory: string, files: Files, port: number): Promise<Anvil> {
  const hasState = await unpackState(files)
  const anvil = await startAnvil({
    port,
    isDetached: true,
    arguments: [
      ...commandLine(),
      // Nothing is cached; the path names the folder that this process serves, by which a leftover is known.
      ...['--cache-path', directory],
      ...(hasState ? ['--load-state', files.loaded] : []),
    ],
  })
  await rm(files.loaded, { force: true })
  if (hasState) await continueTime(anvil.client)
  await writeFile(files.process, JSON.stringify({ pid: anvil.pid, port: anvil.port }))
  return anvil
}

function commandLine(): string[] {
  return [
    ...['--block-time', '1', '--mixed-mining', '--balance', String(BALANCE_ETHER)],
    ...['--prune-history', String(STATES_KEPT)],
  ]
}

/** anvil starts at wall-clock time; where chain time was moved ahead of it, it goes on from there. */
async function continueTime(client: AnvilClient): Promise<void> {
  const { timestamp } = await client.getBlock({ blockTag: 'latest' })
  const ahead = Number(timestamp) - Math.floor(Date.now() / 1_000)
  if (ahead > 0) await client.increaseTime({ seconds: ahead })
}

/** Runs the node until `stop`: saves its state, compacts it, starts it again when it dies. */
async function keepRunning(input: {
  launch: () => Promise<Anvil>
  files: Files
  compactAfterBlocks: bigint
  notice: (message: string) => void
}): Promise<LocalChain> {
  const { files, notice } = input
  let isStopping = false
  let life = await begin()
  const lives = superviseLives()

  async function begin() {
    const anvil = await input.launch()
    const keeper = keepState(anvil, files.saved, input.compactAfterBlocks)
    const unwatch = await watchBlocks(anvil.rpcUrl, keeper.onBlock)
    return { anvil, keeper, unwatch }
  }

  async function superviseLives(): Promise<void> {
    for (let restarts = 0; ; restarts += 1) {
      await life.anvil.ended
      life.unwatch()
      if (isStopping) return
      if (restarts === RESTARTS_MAX) return notice('The local chain has ended too often; it stays down.')
      if (!life.keeper.isCompacting()) notice('The local chain has ended; it is started again.')
      life = await begin()
    }
  }

  return {
    rpcUrl: life.anvil.rpcUrl,
    get pid() {
      return life.anvil.pid
    },
    async stop() {
      isStopping = true
      await life.keeper.saveLast()
      await life.anvil.stop()
      await lives
      await rm(files.process, { force: true })
    },
  }
}

/** Saves the state of one node as its blocks come. */
function keepState(anvil: Anvil, file: string, compactAfterBlocks: bigint) {
  const { client } = anvil
  let first: bigint | null = null
  let lastSaved = 0n
  let lastUsed = 0n
  let isDue = false
  let isCompacting = false
  let saving: Promise<void> = Promise.resolve()
  let isSaving = false

  async function save(): Promise<void> {
    await saveState(file, await dumpState(client))
  }

  async function saveWhileDue(): Promise<void> {
    isSaving = true
    try {
      while (isDue) {
        isDue = false
        await save()
      }
    } finally {
      isSaving = false
    }
  }

  /** Ends the node when what was saved is all there is; {@link keepRunning} starts it again from that. */
  async function compact(): Promise<void> {
    const before = await client.getBlockNumber()
    await save()
    const [after, pool] = await Promise.all([client.getBlockNumber(), client.getTxpoolStatus()])
    if (after !== before || pool.pending + pool.queued > 0) return
    isCompacting = true
    await anvil.stop('SIGKILL')
  }
  return { TODO: [first, lastSaved, lastUsed, compactAfterBlocks, saving, compact, saveWhileDue] }
}
