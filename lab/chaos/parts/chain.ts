import { join } from 'node:path'
import { type Usdc, usdc } from '@farebox/money'
import { fareboxVaultAbi, testUsdcAbi } from '@farebox/vault'
import { type Abi, type Address, encodeFunctionData, type Hex, maxUint256, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { connectChain } from '../../../apps/gateway/src/adapters/chain/chain.ts'
import { freePort } from '../../../apps/gateway/src/adapters/free-port.ts'
import { type Anvil, type AnvilClient, startAnvil } from '../../../apps/gateway/src/dev/anvil.ts'
import { saveState, unpackState } from '../../../apps/gateway/src/dev/chain-state.ts'
import {
  type Contracts,
  deployContracts,
  firstAccount,
  sendMined,
} from '../../../apps/gateway/src/dev/deploy.ts'
import type { Chain, VaultEvent, VaultTicket } from '../../../apps/gateway/src/ports.ts'
import { takeTurns } from '../../../apps/gateway/src/runtime/take-turns.ts'
import { silent } from '../../../apps/gateway/test/kit/silent-log.ts'
import { CONFIRMATIONS } from '../plan.ts'

/** Time between two blocks, in ms. */
const BLOCK_MS = 150
const GAS = 300_000n
/** USDC that a wallet of the laboratory has on chain from the start: more than it will deposit. */
const WALLET_USDC = 1_000_000_000_000n
/** Keeps states of past blocks for queries, and no files in the home folder. */
const ARGUMENTS = ['--prune-history', '1000', '--auto-impersonate']
/** A minute more than a ticket is good for, in seconds. */
const PAST_DEADLINES_SECONDS = 3_660

/** The chain of the laboratory: a real anvil that mines on our word, and can be killed, rolled back and forked. */
export type LabChain = {
  readonly port: number
  readonly contracts: Contracts
  readonly ticketSignerKey: Hex
  /** The `Chain` port on it, past every line. */
  readonly adapter: Chain
  /** From now on a block comes every so often, and not at once with each transaction. */
  begin(): Promise<void>
  /** Gives a wallet ether, USDC and the vault its allowance; before {@link LabChain.begin} only. */
  equip(wallet: Address): Promise<void>
  /** Sends a deposit; returns its hash, which is not mined yet and may never be. */
  deposit(wallet: Address, amount: Usdc): Promise<Hex>
  /** Sends the redemption of a ticket, likewise. */
  redeem(ticket: VaultTicket, signature: Hex): Promise<Hex>
  /** Kills the node; what was mined before is there again at {@link LabChain.restart}, what was not is gone. */
  kill(): Promise<void>
  restart(): Promise<void>
  /** Takes the newest blocks back; others are mined in their place, without their transactions. */
  rollBack(blocks: number): Promise<void>
  /** Replaces the newest blocks by as many empty ones. */
  fork(blocks: number): Promise<void>
  /** Moves chain time past the deadline of every ticket that is out. */
  passDeadlines(): Promise<void>
  /** Mines until all that is mined is final, and returns the events of the vault since the last time. */
  finalEvents(): Promise<readonly VaultEvent[]>
  stop(): Promise<void>
}

/** Starts it, its contracts deployed, its state in a folder. */
export async function startLabChain(directory: string): Promise<LabChain> {
  const files = { saved: join(directory, 'chain.json.gz'), loaded: join(directory, 'chain.loaded.json') }
  let anvil: Anvil = await startAnvil({ port: await freePort(), arguments: ARGUMENTS, isDetached: true })
  const { port, client } = anvil
  const ticketSignerKey = generatePrivateKey()
  const minter = await firstAccount(client)
  const signer = privateKeyToAccount(ticketSignerKey).address
  const contracts = await deployContracts(client, { owner: minter, signer })
  const adapter = await connectChain({
    rpcUrl: anvil.rpcUrl,
    vault: contracts.vault,
    requiredConfirmations: CONFIRMATIONS,
    ticketSignerKey,
    log: silent,
  })
  const miner = startMiner(() => client.mine({ blocks: 1 }))
  let readTo = 0n
  const whilePaused = async (work: () => Promise<unknown>): Promise<void> => {
    await miner.pause()
    await work().finally(miner.resume)
  }

  return {
    port,
    contracts,
    ticketSignerKey,
    adapter,
    async begin() {
      await client.setAutomine(false)
      miner.resume()
    },
    ...transactions(client, contracts, minter),
    async kill() {
      await miner.pause()
      await saveState(files.saved, await client.dumpState())
      await anvil.stop('SIGKILL')
    },
    async restart() {
      await unpackState(files)
      anvil = await startAnvil({
        port,
        isDetached: true,
        arguments: [...ARGUMENTS, '--load-state', files.loaded],
      })
      await client.setAutomine(false)
      await continueTime(client)
      miner.resume()
    },
    rollBack: blocks => whilePaused(() => request(client, 'anvil_rollback', [blocks])),
    fork: blocks => whilePaused(() => request(client, 'anvil_reorg', [blocks, []])),
    async passDeadlines() {
      await client.increaseTime({ seconds: PAST_DEADLINES_SECONDS })
      await client.mine({ blocks: CONFIRMATIONS + 1 })
    },
    async finalEvents() {
      await miner.pause()
      await client.mine({ blocks: CONFIRMATIONS + 1 })
      const { number } = await adapter.head()
      miner.resume()
      const events = await adapter.vaultEvents({ from: readTo + 1n, to: number })
      readTo = number
      return events
    },
    async stop() {
      await miner.pause()
      await anvil.stop()
    },
  }
}

function transactions(client: AnvilClient, { usdc: token, vault }: Contracts, minter: Address) {
  const inTurn = takeTurns() // sent together, two of one address may get the same nonce, and one is lost
  const send = (from: Address, to: Address, data: Hex) =>
    inTurn(() => client.sendTransaction({ account: from, to, data, gas: GAS }))
  const call = (from: Address, to: Address, of: { abi: Abi; functionName: string; args: unknown[] }) =>
    sendMined(client, { from, to, data: encodeFunctionData(of) })
  const abi = fareboxVaultAbi
  return {
    async equip(wallet: Address): Promise<void> {
      await client.setBalance({ address: wallet, value: parseEther('1000') })
      await call(minter, token, { abi: testUsdcAbi, functionName: 'mint', args: [wallet, WALLET_USDC] })
      await call(wallet, token, { abi: testUsdcAbi, functionName: 'approve', args: [vault, maxUint256] })
    },
    deposit: (wallet: Address, amount: Usdc) =>
      send(wallet, vault, encodeFunctionData({ abi, functionName: 'deposit', args: [amount] })),
    redeem: (ticket: VaultTicket, signature: Hex) =>
      send(minter, vault, encodeFunctionData({ abi, functionName: 'withdraw', args: [ticket, signature] })),
  }
}

/** anvil starts at wall-clock time; where chain time was moved ahead of that, it goes on from there. */
async function continueTime(client: AnvilClient): Promise<void> {
  const { timestamp } = await client.getBlock({ blockTag: 'latest' })
  const ahead = Number(timestamp) - Math.floor(Date.now() / 1_000)
  if (ahead > 0) await client.increaseTime({ seconds: ahead })
}

function request(client: AnvilClient, method: string, params: unknown[]): Promise<unknown> {
  return client.request<{ Method: string; Parameters: unknown[]; ReturnType: unknown }>({ method, params })
}

/** Mines one block after another while it is not paused. */
function startMiner(mine: () => Promise<unknown>) {
  let inFlight: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  const resume = () => {
    timer ??= setInterval(() => {
      inFlight = inFlight.then(() => (timer === null ? undefined : mine())).catch(() => undefined)
    }, BLOCK_MS)
  }
  return {
    resume,
    async pause() {
      if (timer !== null) clearInterval(timer)
      timer = null
      await inFlight
    },
  }
}

/** A ticket of an answer as the vault takes it. */
export function ticketOf(ticket: {
  to: string
  amount: string
  deadline: number
  nonce: string
}): VaultTicket {
  return {
    to: ticket.to as Hex,
    nonce: ticket.nonce as Hex,
    amount: usdc(BigInt(ticket.amount)),
    deadline: BigInt(ticket.deadline),
  }
}
