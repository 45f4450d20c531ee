import { USDC_DECIMALS, type Usdc, usdc } from '@farebox/money'
import { fareboxVaultAbi, ticketDomain, ticketTypes } from '@farebox/vault'
import {
  type Address,
  BlockNotFoundError,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  type PublicClient,
  TransactionReceiptNotFoundError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Block, Chain, ChainFacts, Log, Receipt, VaultEvent } from '../ports.ts'
import { lowerCase, readVaultLogs } from './chain-events.ts'
import { ask, askContract, askFor, contradiction, openRpc, type Rpc } from './chain-rpc.ts'
import { verifyMessageSignature } from './chain-signatures.ts'

/** Most blocks asked for in one `eth_getLogs`; hosted nodes refuse more. */
const LOG_RANGE_BLOCKS_MAX = 1_000n
/** Name of a FareboxVault in its EIP-712 domain. */
const VAULT_NAME = 'FareboxVault'

/** What {@link connectChain} needs to know. */
export type ChainOptions = {
  /** JSON-RPC endpoint (HTTP). */
  readonly rpcUrl: string
  /** Endpoint told to clients, when it is another. */
  readonly publicRpcUrl?: string | undefined
  /** Address of the FareboxVault, any case. */
  readonly vault: string
  /** Confirmations before an event counts; the block of the event is the first. */
  readonly requiredConfirmations: number
  /** Private key that signs tickets, 32 bytes in hex, with or without 0x; absent: no ticket is signed. */
  readonly ticketSignerKey?: string | undefined
  /** Longest wait for one answer of the node, in ms; default 4000. */
  readonly requestTimeoutMs?: number
  readonly log: Log
}

/**
 * Connects to a node and to our vault on its chain. Chain id and token are read here, once: they cannot change.
 *
 * @throws GatewayError UNAVAILABLE when the node is out of reach
 * @throws Error naming VAULT_ADDRESS when there is no FareboxVault, or its token does not have the decimals of USDC
 */
export async function connectChain(options: ChainOptions): Promise<Chain> {
  const rpc = openRpc(options.rpcUrl, options.requestTimeoutMs)
  const vault = lowerCase(options.vault)
  const signer = accountOf(options.ticketSignerKey)
  const facts = await readFacts(rpc, { ...options, vault })
  if (signer !== null) await warnOfOtherSigner(rpc, { vault, signer: signer.address, log: options.log })
  const domain = ticketDomain({ chainId: facts.chainId, vault: getAddress(vault) })
  const atVault = { address: vault, abi: fareboxVaultAbi } as const

  return {
    facts,
    async head() {
      const block = await ask(() => rpc.single.getBlock({ blockTag: 'latest' }))
      return blockOf(block)
    },
    block: number => readBlock(rpc.single, number),
    receipt: txHash => readReceipt(rpc, vault, txHash),
    async vaultEvents({ from, to }) {
      const events: VaultEvent[] = []
      for (let start = from; start <= to; start += LOG_RANGE_BLOCKS_MAX) {
        const last = start + LOG_RANGE_BLOCKS_MAX - 1n
        const chunk = await readVaultEvents(rpc, vault, { from: start, to: last < to ? last : to })
        events.push(...chunk)
      }
      return events
    },
    isNonceUsed: (nonce, blockNumber) =>
      ask(() =>
        rpc.single.readContract({ ...atVault, functionName: 'isNonceUsed', args: [nonce], blockNumber }),
      ),
    depositCount: blockNumber => readDepositCount(rpc.single, vault, blockNumber),
    async vaultBalance(atBlock) {
      const balance = await ask(() =>
        rpc.single.readContract({
          address: facts.usdc,
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [vault],
          ...(atBlock === undefined ? {} : { blockNumber: atBlock }),
        }),
      )
      return usdc(balance)
    },
    async withdrawableNow(): Promise<Usdc> {
      return usdc(
        await ask(() => rpc.single.readContract({ ...atVault, functionName: 'availableToWithdraw' })),
      )
    },
    verifyMessage: input => verifyMessageSignature(rpc.single, input),
    ticketSigner: signer && lowerCase(signer.address),
    async signTicket(ticket) {
      if (signer === null) throw new Error('There is no TICKET_SIGNER_KEY to sign a ticket with.')
      const message = { ...ticket, to: getAddress(ticket.to) }
      return signer.signTypedData({ domain, types: ticketTypes, primaryType: 'Ticket', message })
    },
  }
}

const accountOf = (key: string | undefined) =>
  key === undefined ? null : privateKeyToAccount(`0x${key.replace(/^0x/, '')}`)

async function readFacts(
  rpc: Rpc,
  options: Pick<ChainOptions, 'rpcUrl' | 'publicRpcUrl' | 'requiredConfirmations'> & { vault: Address },
): Promise<ChainFacts> {
  const { vault, requiredConfirmations } = options
  const [chainId, code] = await ask(() =>
    Promise.all([rpc.single.getChainId(), rpc.single.getCode({ address: vault })]),
  )
  if (code === undefined || code === '0x')
    throw new Error(`VAULT_ADDRESS ${vault} is no contract on chain ${chainId}.`)
  const token = await readToken(rpc.single, vault)
  if (token === null) throw new Error(`VAULT_ADDRESS ${vault} is a contract but not a FareboxVault.`)
  const decimals = await askContract(() =>
    rpc.single.readContract({ address: token, abi: erc20Abi, functionName: 'decimals' }),
  )
  if (decimals !== USDC_DECIMALS)
    throw new Error(
      `VAULT_ADDRESS ${vault} holds the token ${token}, whose decimals are ${decimals ?? 'not to be read'}: they must be ${USDC_DECIMALS}.`,
    )
  const rpcUrl = options.publicRpcUrl ?? options.rpcUrl
  return Object.freeze({ chainId, rpcUrl, usdc: token, vault, requiredConfirmations })
}

/** The token of a FareboxVault, lower-case; null for any other contract. */
async function readToken(client: PublicClient, vault: Address): Promise<Address | null> {
  const atVault = { address: vault, abi: fareboxVaultAbi } as const
  const [domain, token] = await Promise.all([
    askContract(() => client.readContract({ ...atVault, functionName: 'eip712Domain' })),
    askContract(() => client.readContract({ ...atVault, functionName: 'token' })),
  ])
  return domain?.[1] === VAULT_NAME && token !== null ? lowerCase(token) : null
}

/** Tickets of a key that is not the vault's signer are refused on chain; a contract as signer may accept it. */
async function warnOfOtherSigner(rpc: Rpc, input: { vault: Address; signer: Address; log: Log }) {
  const { vault, signer, log } = input
  const appointed = await ask(() =>
    rpc.single.readContract({ address: vault, abi: fareboxVaultAbi, functionName: 'signer' }),
  )
  if (lowerCase(appointed) !== lowerCase(signer))
    log.warn({ appointed, ours: signer }, 'the signer of the vault is not the address of our ticket key')
}

async function readDepositCount(client: PublicClient, vault: Address, blockNumber: bigint): Promise<bigint> {
  const data = encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'depositCount' })
  const answer = await ask(() => client.call({ to: vault, data, blockNumber }))
  // Nothing is answered where there is no contract yet.
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

async function readReceipt(rpc: Rpc, vault: Address, txHash: Hex): Promise<Receipt | null> {
  const receipt = await askFor(
    () => rpc.single.getTransactionReceipt({ hash: txHash }),
    TransactionReceiptNotFoundError,
  )
  // Some nodes send a receipt without a block for a moment after a reorganisation.
  if (receipt === null || receipt.blockNumber === null || receipt.blockHash === null) return null
  const { status, blockNumber, blockHash, transactionHash, logs } = receipt
  if (transactionHash.toLowerCase() !== txHash.toLowerCase())
    throw contradiction(`asked for the receipt of ${txHash}, it sent that of ${transactionHash}`)
  const events = status === 'success' ? readVaultLogs(vault, logs) : []
  if (events.some(event => event.blockHash !== blockHash || event.txHash !== transactionHash))
    throw contradiction(`logs of another block or transaction in the receipt of ${txHash}`)
  return { status, blockNumber, blockHash, events }
}

/**
 * A node that is behind answers a range beyond its head with no logs and no error. So its head is asked for in
 * the same exchange.
 */
async function readVaultEvents(
  rpc: Rpc,
  vault: Address,
  range: { from: bigint; to: bigint },
): Promise<VaultEvent[]> {
  const { from, to } = range
  const [logs, head] = await Promise.all([
    ask(() => rpc.together.getLogs({ address: vault, fromBlock: from, toBlock: to })),
    ask(() => rpc.together.getBlock({ blockTag: 'latest' })),
  ])
  if (blockOf(head).number < to) throw contradiction(`asked for logs up to ${to}, it is at ${head.number}`)
  const events = readVaultLogs(vault, logs)
  if (events.some(({ blockNumber }) => blockNumber < from || blockNumber > to))
    throw contradiction(`logs that are not of the blocks ${from} to ${to}`)
  return events
}
