import type { Usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { type Address, concatHex, encodeFunctionData, type Hex, numberToHex, parseEther, size } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { connectChain } from '../../../src/adapters/chain/chain.ts'
import { type AnvilClient, anvilClient, awaitReceipt, startAnvil } from '../../../src/dev/anvil.ts'
import { type Contracts, deployContracts, firstAccount } from '../../../src/dev/deploy.ts'
import type { Chain, VaultTicket } from '../../../src/ports.ts'
import { type TakeTurns, takeTurns } from '../../../src/runtime/take-turns.ts'
import { silent } from '../silent-log.ts'
import { askNode } from './ask-node.ts'
import type { RawReceipt } from './lies.ts'

const GAS = numberToHex(3_000_000n)
/** Far more than a transaction costs. */
const ETHER = numberToHex(parseEther('1000'))
/** Keeps anvil from writing states of old blocks to the home folder. */
const IN_MEMORY = ['--prune-history', '1000']
/** To make the usual ten takes a third of the processor time of a start. */
const ONE_ACCOUNT = ['--accounts', '1']
/** Receives the USDC that leaves the vault past the contract. */
const NOBODY: Address = '0x00000000000000000000000000000000000a51de'
const RECEIPT_TIMEOUT_MS = 15_000

/** The chain of a test file. */
export type TestChain = Awaited<ReturnType<typeof startTestChain>>

/**
 * Starts a chain for one test file: a real anvil in memory, test USDC and vault deployed, the `Chain` adapter
 * connected. Takes half a second; call `stop()` in `afterAll`.
 *
 * It mines one block for each transaction and none otherwise, so that tests control confirmations:
 * ```
 * const chain = await startTestChain({ requiredConfirmations: 3 })
 * const txHash = await chain.deposit(owner, usdc(5_000_000n)) // mined: one confirmation
 * await chain.mine(2)                                         // three confirmations
 *
 * await chain.pauseMining()
 * const pending = await chain.deposit(owner, usdc(1n))        // known to the node, not mined
 * await chain.mine()                                          // mined now
 * await chain.resumeMining()
 * ```
 * No address needs ether or a key: the node sends from any address. `chain.adapter` goes
 * into `Deps`.
 *
 * @param options.requiredConfirmations as in `adapter.facts`; default 1
 * @param options.blockSeconds block interval, as on public chains, instead of one block for each transaction;
 *   the hash of a transaction is then returned once it is mined
 * @param options.deployVault deploys the vault, by default that of development mode
 * @param options.resume goes on with a saved chain, at the time of its last block: the file of its state, its contracts
 *   and the key of its signer
 */
export async function startTestChain(
  options: {
    requiredConfirmations?: number
    blockSeconds?: number
    deployVault?: DeployVault
    resume?: { state: string; contracts: Contracts; ticketSignerKey: Hex }
  } = {},
) {
  const { blockSeconds, resume } = options
  const blocks = blockSeconds === undefined ? [] : ['--block-time', String(blockSeconds)]
  const loaded = resume === undefined ? [] : ['--load-state', resume.state]
  const words = [...IN_MEMORY, ...ONE_ACCOUNT, '--auto-impersonate', ...blocks, ...loaded]
  const anvil = await startAnvil({ port: 0, arguments: words })
  try {
    const client = anvilClient(anvil.rpcUrl)
    const ticketSignerKey = resume?.ticketSignerKey ?? generatePrivateKey()
    const minter = await firstAccount(client)
    const signer = privateKeyToAccount(ticketSignerKey).address
    const contracts =
      resume?.contracts ??
      (await deployAll(client, { minter, signer, rpcUrl: anvil.rpcUrl }, options.deployVault))
    if (resume !== undefined) await resumeTime(client)
    const adapter: Chain = await connectChain({
      rpcUrl: anvil.rpcUrl,
      vault: contracts.vault,
      requiredConfirmations: options.requiredConfirmations ?? 1,
      ticketSignerKey,
      log: silent,
    })
    return {
      /** The `Chain` port on this chain. */
      adapter,
      rpcUrl: anvil.rpcUrl,
      /** A viem client for other requests. */
      client,
      contracts,
      ticketSignerKey,
      ...money(
        {
          client,
          rpcUrl: anvil.rpcUrl,
          hasBlocksOfItsOwn: blockSeconds !== undefined,
          inTurn: takeTurns(),
        },
        contracts,
        minter,
      ),
      ...time(client),
      /** Stops the node. */
      stop: () => anvil.stop(),
    }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

type DeployVault = (on: { rpcUrl: string; usdc: Address; signer: Address }) => Promise<Address>

async function deployAll(
  client: AnvilClient,
  { minter, signer, rpcUrl }: { minter: Address; signer: Address; rpcUrl: string },
  deployVault?: DeployVault,
): Promise<Contracts> {
  const { usdc, vault } = await deployContracts(client, { owner: minter, signer })
  return { usdc, vault: (await deployVault?.({ rpcUrl, usdc, signer })) ?? vault }
}

/** Sets the time of a loaded chain to that of its last block. */
async function resumeTime(client: AnvilClient): Promise<void> {
  const { timestamp } = await client.getBlock({ blockTag: 'latest' })
  await client.request<{ Method: 'anvil_setTime'; Parameters: [number]; ReturnType: unknown }>({
    method: 'anvil_setTime',
    params: [Number(timestamp) + 1],
  })
}

/** A node; one with blocks of its own makes them at intervals, not for each transaction. */
type Node = {
  readonly client: AnvilClient
  readonly rpcUrl: string
  readonly hasBlocksOfItsOwn: boolean
  /** Sends transactions one at a time: sent together, two of one address may get the same nonce, and one is lost. */
  readonly inTurn: TakeTurns
}

/** Transactions; each returns its hash, mined unless mining is paused. */
function money(node: Node, contracts: Contracts, minter: Address) {
  const { client } = node
  const send = (from: Address, to: Address | null, data: Hex) => sendInOrder(node, [{ from, to, data }])

  async function fund(address: Address, amount: Usdc): Promise<Hex> {
    return send(minter, contracts.usdc, mintData(address, amount))
  }

  /** Returns the calls of an approval and a deposit into any vault. */
  const depositCalls = ({ usdc, vault }: Contracts, amount: Usdc) => [
    {
      to: usdc,
      data: encodeFunctionData({ abi: testUsdcAbi, functionName: 'approve', args: [vault, amount] }),
    },
    {
      to: vault,
      data: encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [amount] }),
    },
  ]

  const transfer = (from: Address, to: Address, amount: bigint): Promise<Hex> => {
    const call = { abi: testUsdcAbi, functionName: 'transfer', args: [to, amount] } as const
    return send(from, contracts.usdc, encodeFunctionData(call))
  }

  const depositInto = (to: Contracts, owner: Address, amount: Usdc): Promise<Hex> => {
    const mint = { from: minter, to: to.usdc, data: mintData(owner, amount) }
    const calls = depositCalls(to, amount).map(call => ({ from: owner, ...call }))
    return sendInOrder(node, [mint, ...calls])
  }

  const usdcOf = (address: Address): Promise<bigint> =>
    client.readContract({
      address: contracts.usdc,
      abi: testUsdcAbi,
      functionName: 'balanceOf',
      args: [address],
    })

  return {
    /** Sends a transaction from any address, which may revert; `to` null creates a contract. */
    send,
    /** Mints USDC to an address. */
    fund,
    /** Mints USDC to the owner and deposits it; returns the hash of the deposit. */
    deposit: (owner: Address, amount: Usdc) => depositInto(contracts, owner, amount),
    /** Makes several deposits of one owner in one transaction. Mining must not be paused. */
    async depositAtOnce(owner: Address, amounts: readonly Usdc[]): Promise<Hex> {
      for (const amount of amounts) await fund(owner, amount)
      const calls = amounts.flatMap(amount => depositCalls(contracts, amount))
      await client.setCode({ address: owner, bytecode: codeThatCalls(calls) })
      const txHash = await send(minter, owner, '0x')
      await client.setCode({ address: owner, bytecode: '0x' })
      return txHash
    },
    /** Makes one deposit of each of two owners in one transaction. Mining must not be paused. */
    async depositTogether(
      first: { owner: Address; amount: Usdc },
      second: { owner: Address; amount: Usdc },
    ): Promise<Hex> {
      const calls = depositCalls(contracts, first.amount)
      const codes = [
        { address: first.owner, bytecode: codeThatCalls([...calls, { to: second.owner, data: '0x' }]) },
        { address: second.owner, bytecode: codeThatCalls(depositCalls(contracts, second.amount)) },
      ] as const
      for (const { owner, amount } of [first, second]) await fund(owner, amount)
      for (const code of codes) await client.setCode(code)
      const txHash = await send(minter, first.owner, '0x')
      for (const { address } of codes) await client.setCode({ address, bytecode: '0x' })
      return txHash
    },
    /** Sends a deposit that reverts in its block, as it has no allowance. */
    depositThatReverts: (owner: Address, amount: Usdc) =>
      send(
        owner,
        contracts.vault,
        encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'deposit', args: [amount] }),
      ),
    /** Deposits into another vault, which emits the same events; returns the hash of the deposit. */
    async depositElsewhere(owner: Address, amount: Usdc): Promise<Hex> {
      return depositInto(await deployContracts(client, { owner: minter, signer: minter }), owner, amount)
    },
    /** Deploys a funded vault with another token for the same signer and owner. */
    async anotherVault(holds: Usdc): Promise<Address> {
      const signer = await client.readContract({
        address: contracts.vault,
        abi: fareboxVaultAbi,
        functionName: 'signer',
      })
      const { usdc, vault } = await deployContracts(client, { owner: minter, signer })
      await send(minter, usdc, mintData(vault, holds))
      return vault
    },
    /** Moves USDC out of the vault, past the contract, until `left` remains. */
    async drainVault(left: Usdc): Promise<void> {
      await transfer(contracts.vault, NOBODY, (await usdcOf(contracts.vault)) - left)
    },
    /** Moves drained USDC back. */
    refillVault: async (): Promise<Hex> => transfer(NOBODY, contracts.vault, await usdcOf(NOBODY)),
    /** Sets the vault's daily withdrawal cap. */
    setDailyCap: (cap: bigint) =>
      send(
        minter,
        contracts.vault,
        encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'setDailyWithdrawalCap', args: [cap] }),
      ),
    /** Redeems a ticket, which may revert. Any address may submit it. */
    redeem: (ticket: VaultTicket, signature: Hex, by: Address = minter, vault = contracts.vault) =>
      send(
        by,
        vault,
        encodeFunctionData({ abi: fareboxVaultAbi, functionName: 'withdraw', args: [ticket, signature] }),
      ),
    /** Returns a receipt as the node sends it. */
    rawReceipt: async (txHash: Hex): Promise<RawReceipt> => {
      const receipt = await client.request<{
        Method: 'eth_getTransactionReceipt'
        Parameters: [Hex]
        ReturnType: RawReceipt | null
      }>({ method: 'eth_getTransactionReceipt', params: [txHash] })
      if (receipt === null) throw new Error(`The transaction ${txHash} is not mined.`)
      return receipt
    },
    /** Returns the USDC of an address outside of the vault. */
    usdcOf,
  }
}

/** Blocks and their times. */
function time(client: AnvilClient) {
  return {
    /** Mines blocks, the first with all pending transactions. */
    mine: (blocks = 1) => client.mine({ blocks }),
    /** Keeps transactions pending until `mine()`. */
    pauseMining: () => client.setAutomine(false),
    /** Mines new transactions at once again; pending ones wait for the next block. */
    resumeMining: () => client.setAutomine(true),
    /** Moves chain time forward and mines a block. */
    async increaseTime(seconds: number): Promise<void> {
      await client.increaseTime({ seconds })
      await client.mine({ blocks: 1 })
    },
    /** Returns the time of the newest block in Unix seconds. */
    now: async (): Promise<bigint> => (await client.getBlock({ blockTag: 'latest' })).timestamp,
    /** Takes a snapshot of the chain. */
    snapshot: (): Promise<Hex> => client.snapshot(),
    /** Reverts the chain to a snapshot, which cannot be used again. */
    revertTo: (id: Hex) => client.revert({ id }),
    /** Replaces the newest blocks by as many empty ones. */
    async reorg(depth: number): Promise<void> {
      await client.request<{ Method: 'anvil_reorg'; Parameters: [number, []]; ReturnType: null }>({
        method: 'anvil_reorg',
        params: [depth, []],
      })
    },
  }
}

/**
 * Gives the senders ether, and sends transactions in order; waits for the last to be mined unless mining is paused.
 *
 * @returns the hash of the last
 */
async function sendInOrder(
  { client, rpcUrl, hasBlocksOfItsOwn, inTurn }: Node,
  sent: readonly { from: Address; to: Address | null; data: Hex }[],
): Promise<Hex> {
  for (const from of new Set(sent.map(({ from }) => from)))
    await askNode(rpcUrl, 'anvil_setBalance', from, ETHER)
  let last: Hex = '0x'
  for (const { from, to, data } of sent) {
    const transaction = { from, ...(to && { to }), data, gas: GAS }
    last = await inTurn(() => askNode<Hex>(rpcUrl, 'eth_sendTransaction', transaction))
  }
  if (hasBlocksOfItsOwn || (await askNode<boolean>(rpcUrl, 'anvil_getAutomine')))
    await awaitReceipt(client, last, RECEIPT_TIMEOUT_MS)
  return last
}

function mintData(address: Address, amount: Usdc): Hex {
  return encodeFunctionData({ abi: testUsdcAbi, functionName: 'mint', args: [address, amount] })
}

/**
 * Returns EVM code that makes the calls in order and reverts if one fails. At an address, it acts as that address
 * for every caller.
 */
export function codeThatCalls(calls: readonly { to: Address; data: Hex }[]): Hex {
  const CODE_BYTES_PER_CALL = 46
  let dataAt = calls.length * CODE_BYTES_PER_CALL + 1
  const parts: Hex[] = []
  for (const [index, { to, data }] of calls.entries()) {
    const length = numberToHex(size(data), { size: 2 })
    const after = numberToHex((index + 1) * CODE_BYTES_PER_CALL - 1, { size: 2 })
    parts.push(
      concatHex(['0x61', length, '0x61', numberToHex(dataAt, { size: 2 }), '0x5f39']), // codecopy(0, dataAt, length)
      concatHex(['0x5f5f61', length, '0x5f5f73', to, '0x5af1']), // call(gas, to, 0, 0, length, 0, 0)
      concatHex(['0x61', after, '0x575f5ffd5b']), // if it did not fail go on, else revert
    )
    dataAt += size(data)
  }
  return concatHex([...parts, '0x00', ...calls.map(call => call.data)])
}
