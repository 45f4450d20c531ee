import { usdc } from '@farebox/money'
import { fareboxVaultAbi } from '@farebox/vault'
import {
  type Address,
  BlockNotFoundError,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  formatLog,
  type Hex,
  type LogTopic,
  numberToHex,
  type PublicClient,
  type RpcLog,
  TransactionReceiptNotFoundError,
} from 'viem'
import type { Block, Chain, ChainFacts, Log, Metrics, Receipt, VaultEvent } from '../../ports.ts'
import { authorizationsOf, lowerCase, readVaultLogs, transfersTo, unreportedPayers } from './chain-events.ts'
import { readFacts } from './chain-facts.ts'
import { createQuorum } from './chain-quorum.ts'
import { ask, askFor, askForMuch, contradiction, type Rpc } from './chain-rpc.ts'
import { verifyMessageSignature } from './chain-signatures.ts'
import { createTicketKey, openKey, PROBE, readSigner, type TicketKey } from './chain-signer.ts'
import { createRemoteKey, type RemoteSigner } from './remote-signer.ts'

/** Maximum blocks per `eth_getLogs`; hosted nodes refuse more, some fewer. */
const LOG_RANGE_BLOCKS_MAX = 1_000n
/** Parts in which a range is read that a node does not answer: each level of them may cost a timeout. */
const RANGE_PARTS = 8n
/** Data of a transfer of nothing, which anyone can make for anyone: there may be very many. */
const NOTHING = /^0x0{64}$/
/** Maximum number of payers per `eth_getLogs`. */
const PAYERS_PER_QUERY_MAX = 100

/** Options of {@link connectChain}. */
export type ChainOptions = {
  /** JSON-RPC endpoint (HTTP). */
  readonly rpcUrl: string
  /** Further endpoints of the same chain: with two or more in all, none is trusted alone. */
  readonly moreRpcUrls?: readonly string[]
  /** Endpoint for clients, if it differs. */
  readonly publicRpcUrl?: string | undefined
  /** Address of the FareboxVault, any case. */
  readonly vault: string
  /** Confirmations before an event counts; the block of the event is the first. */
  readonly requiredConfirmations: number
  /** Private key that signs tickets, 32 bytes in hex, with or without 0x; absent: no tickets. */
  readonly ticketSignerKey?: string | undefined
  /** Signs tickets in place of the key. */
  readonly remoteSigner?: RemoteSigner | undefined
  /** Maximum wait for one answer of the node, in ms; default 4000. */
  readonly requestTimeoutMs?: number
  readonly log: Log
  readonly metrics?: Pick<Metrics, 'count' | 'set'>
}

/**
 * Connects to the vault on its chain, by one endpoint or by several that check each other: anything that leads to a
 * credit, a completion, an expiry or a sign-in then needs two that agree; amounts that are mere hints are the middle.
 * Chain id and token are read once: they cannot change.
 *
 * @throws GatewayError UNAVAILABLE if the chain is unreachable
 * @throws Error naming VAULT_ADDRESS if there is no FareboxVault, or its token does not have the decimals of USDC
 */
export async function connectChain(options: ChainOptions): Promise<Chain> {
  const { rpcUrl, requiredConfirmations } = options
  const quorum = createQuorum({
    urls: [rpcUrl, ...(options.moreRpcUrls ?? [])],
    timeoutMs: options.requestTimeoutMs,
    log: options.log,
    metrics: options.metrics,
  })
  const { agree, any, middle } = quorum
  const found = await readFacts(quorum, lowerCase(options.vault))
  const facts = Object.freeze({ ...found, rpcUrl: options.publicRpcUrl ?? rpcUrl, requiredConfirmations })
  const { vault } = facts
  const key = openTicketKey(options, facts)
  const atVault = { address: vault, abi: fareboxVaultAbi } as const

  return {
    facts,
    head: () => quorum.head({ latest: readHead, at: ({ single }, number) => readBlock(single, number) }),
    block: number => agree('block', ({ single }) => readBlock(single, number)),
    receipt: txHash => agree('receipt', rpc => readReceipt(rpc, facts, txHash)),
    async vaultEvents({ from, to }) {
      const events: VaultEvent[][] = []
      for (const part of partsOf({ from, to }, LOG_RANGE_BLOCKS_MAX))
        events.push(await agree('events', rpc => readVaultEvents(rpc, facts, part)))
      return events.flat()
    },
    isNonceUsed: (nonce, blockNumber) =>
      agree('nonce', ({ single }) =>
        ask(() =>
          single.readContract({ ...atVault, functionName: 'isNonceUsed', args: [nonce], blockNumber }),
        ),
      ),
    depositCount: blockNumber =>
      agree('deposit count', ({ single }) => readDepositCount(single, vault, blockNumber)),
    async vaultBalance(atBlock) {
      if (atBlock !== undefined)
        return usdc(await agree('balance', rpc => readBalance(rpc, facts, { blockNumber: atBlock })))
      const { balance } = await middle('balance', async rpc => ({
        balance: await readBalance(rpc, facts, {}),
      }))
      return usdc(balance)
    },
    isVaultPaused: () =>
      any(({ single }) => ask(() => single.readContract({ ...atVault, functionName: 'paused' }))),
    async withdrawableNow() {
      const { limit } = await middle('limit', async ({ single }) => ({
        limit: await ask(() => single.readContract({ ...atVault, functionName: 'availableToWithdraw' })),
      }))
      return usdc(limit)
    },
    verifyMessage: input => agree('signature', ({ single }) => verifyMessageSignature(single, input)),
    ticketSigner: key?.address ?? null,
    isSignerAvailable: async () => key === null || !key.isRemote || (await canSign(key, options.log)),
    vaultSigner: () => agree('signer', ({ single }) => readSigner(single, facts, key)),
    async signTicket(ticket) {
      if (key === null) throw new Error('There is no TICKET_SIGNER_KEY to sign a ticket with.')
      return key.sign(ticket)
    },
  }
}

function openTicketKey(options: ChainOptions, facts: ChainFacts): TicketKey | null {
  if (options.remoteSigner !== undefined)
    return createRemoteKey(options.remoteSigner, facts, options.requestTimeoutMs)
  return options.ticketSignerKey === undefined
    ? null
    : createTicketKey(openKey(options.ticketSignerKey), facts)
}

async function canSign(key: TicketKey, log: Log): Promise<boolean> {
  try {
    await key.sign(PROBE)
    return true
  } catch (error) {
    log.warn({ err: error }, 'the external signer of tickets does not sign')
    return false
  }
}

function readBalance(
  { single }: Rpc,
  { vault, usdc: address }: Place,
  at: { blockNumber?: bigint },
): Promise<bigint> {
  const balance = { address, abi: erc20Abi, functionName: 'balanceOf', args: [vault] } as const
  return ask(() => single.readContract({ ...balance, ...at }))
}

async function readHead({ single }: Rpc): Promise<Block> {
  return blockOf(await ask(() => single.getBlock({ blockTag: 'latest' })))
}

async function readDepositCount(client: PublicClient, vault: Address, blockNumber: bigint): Promise<bigint> {
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'depositCount' })
  const answer = await ask(() => client.call({ to: vault, data, blockNumber }))
  // There is no answer before the contract was deployed.
  if (answer.data === undefined || answer.data === '0x') return 0n
  return decodeFunctionResult({ abi: fareboxVaultAbi, functionName: 'depositCount', data: answer.data })
}

async function readBlock(client: Rpc['single'], number: bigint): Promise<Block | null> {
  const block = await askFor(() => client.getBlock({ blockNumber: number }), BlockNotFoundError)
  if (block === null) return null
  if (block.number !== number) throw contradiction(`asked for block ${number}, it sent ${block.number}`)
  return blockOf(block)
}

function blockOf(block: { number: bigint | null; hash: Hex | null; timestamp: bigint }): Block {
  const { number, hash, timestamp } = block
  if (number === null || hash === null) throw contradiction('a mined block without number or hash')
  return { number, hash, timestamp }
}

type Place = Pick<ChainFacts, 'vault' | 'usdc'>

async function readReceipt(rpc: Rpc, at: Place, txHash: Hex): Promise<Receipt | null> {
  const receipt = await askFor(
    () => rpc.single.getTransactionReceipt({ hash: txHash }),
    TransactionReceiptNotFoundError,
  )
  // Some nodes return a receipt without a block shortly after a reorganisation.
  if (receipt === null || receipt.blockNumber === null || receipt.blockHash === null) return null
  const { status, blockNumber, blockHash, transactionHash, logs } = receipt
  const from = lowerCase(receipt.from)
  if (transactionHash.toLowerCase() !== txHash.toLowerCase())
    throw contradiction(`asked for the receipt of ${txHash}, it sent that of ${transactionHash}`)
  const events = status === 'success' ? readVaultLogs(at, logs) : []
  if (events.some(event => event.blockHash !== blockHash || event.txHash !== transactionHash))
    throw contradiction(`logs of another block or transaction in the receipt of ${txHash}`)
  return { status, from, blockNumber, blockHash, events }
}

type Range = { readonly from: bigint; readonly to: bigint }

/** Divides a range into parts of `size` blocks, of which the last may be shorter. */
function* partsOf({ from, to }: Range, size: bigint): Generator<Range> {
  for (let start = from; start <= to; start += size) {
    const last = start + size - 1n
    yield { from: start, to: last < to ? last : to }
  }
}

/**
 * Reads the events of a range, by parts if the node refuses all of it or is too slow for it: nodes bound the blocks and
 * the logs of an answer, and anyone can make logs. One that answers no logs at all fails at the first block.
 */
async function readVaultEvents(rpc: Rpc, at: Place, range: Range): Promise<VaultEvent[]> {
  const whole = await readAtOnce(rpc, at, range)
  if (whole !== null) return whole
  const size = (range.to - range.from) / RANGE_PARTS + 1n
  // Lists, as anyone can cause more events than a function takes as arguments.
  const events: VaultEvent[][] = []
  for (const part of partsOf(range, size)) events.push(await readVaultEvents(rpc, at, part))
  return events.flat()
}

/**
 * Reads the logs of the vault and the transfers to it; and, if the vault does not report all of these, the
 * authorizations that their payers used. A node that is behind answers a range beyond its head with no logs and no
 * error. So its head is read in the same exchange.
 *
 * @returns null if the node refuses a range of several blocks, or does not answer it in time
 */
async function readAtOnce(rpc: Rpc, at: Place, range: Range): Promise<VaultEvent[] | null> {
  const { from, to } = range
  const isOneBlock = from === to
  const client = isOneBlock ? rpc.ofBlock : rpc.together
  const read = isOneBlock ? ask : askForMuch(rpc)
  const [ours, transfers, head] = await Promise.all([
    readLogs(client, read, { address: at.vault, range }),
    readLogs(client, read, { address: at.usdc, topics: transfersTo(at.vault), range }),
    read(() => client.getBlock({ blockTag: 'latest' })),
  ])
  if (ours === null || transfers === null || head === null) return null
  if (blockOf(head).number < to) throw contradiction(`asked for logs up to ${to}, it is at ${head.number}`)
  const logs = [...ours, ...transfers.filter(({ data }) => !NOTHING.test(data))].map(log => formatLog(log))
  const payers = unreportedPayers(at, logs)
  for (let start = 0; start < payers.length; start += PAYERS_PER_QUERY_MAX) {
    const topics = authorizationsOf(payers.slice(start, start + PAYERS_PER_QUERY_MAX))
    const used = await readLogs(client, read, { address: at.usdc, topics, range })
    if (used === null) return null
    for (const log of used) logs.push(formatLog(log))
  }
  const events = readVaultLogs(at, logs)
  if (events.some(({ blockNumber }) => blockNumber < from || blockNumber > to))
    throw contradiction(`logs that are not of the blocks ${from} to ${to}`)
  return events
}

async function readLogs(
  client: PublicClient,
  read: typeof ask | ReturnType<typeof askForMuch>,
  query: { address: Address; topics?: LogTopic[]; range: Range },
): Promise<RpcLog[] | null> {
  const { range, ...filter } = query
  const blocks = { fromBlock: numberToHex(range.from), toBlock: numberToHex(range.to) }
  return read(() => client.request({ method: 'eth_getLogs', params: [{ ...filter, ...blocks }] }))
}
