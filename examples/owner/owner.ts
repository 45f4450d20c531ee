import { setTimeout as wait } from 'node:timers/promises'
import { type AnswerOf, type Client, createClient } from '@farebox/client'
import { GatewayError } from '@farebox/client/errors'
import { signIn } from '@farebox/client/sign-in'
import {
  createWalletClient,
  defineChain,
  erc20Abi,
  formatUnits,
  getAddress,
  http,
  isHex,
  parseAbi,
  parseUnits,
} from 'viem'
import { type Account, generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { waitForTransactionReceipt } from 'viem/actions'

// From a wallet to a credential for an agent: signs in, deposits USDC when there is too little, and mints a credential
// with limits. Standard output is the credential alone; progress goes to standard error.
const { GATEWAY = 'http://127.0.0.1:8402', WALLET_KEY } = process.env
const [limit = '1', name = 'example agent'] = process.argv.slice(2)

const USDC_DECIMALS = 6
/** Looks at a deposit before this gives up on it, and the pause between two. */
const LOOKS_MAX = 300
const LOOK_PAUSE_MS = 1_000
/** Looks for a transaction that is on its way. */
const POLL_MS = 500
const vaultAbi = parseAbi(['function deposit(uint256 amount)'])

const print = (text: string) => process.stderr.write(`${text}\n`)

/** The owner's wallet: by its key, or a new one with test money of a gateway in development mode. */
async function openWallet() {
  if (WALLET_KEY !== undefined) {
    if (!isHex(WALLET_KEY)) throw new Error('WALLET_KEY is no private key: 0x and 64 hex digits.')
    return privateKeyToAccount(WALLET_KEY)
  }
  const account = privateKeyToAccount(generatePrivateKey())
  const given = await fetch(`${GATEWAY}/dev/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: account.address, amountUsdc: limit }),
  })
  if (!given.ok) throw new Error('Set WALLET_KEY: only a gateway in development mode has test money to give.')
  print(`a new wallet with test money, for this once: ${account.address}`)
  return account
}

/** Moves USDC into the vault. Returns the transaction, which is mined, but may not have its confirmations. */
async function payIn(account: Account, info: AnswerOf<'readChain'>, amount: bigint): Promise<string> {
  const chain = defineChain({
    id: info.chainId,
    name: 'The chain of the gateway',
    rpcUrls: { default: { http: [info.rpcUrl] } },
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  })
  const wallet = createWalletClient({ account, chain, transport: http(), pollingInterval: POLL_MS })
  const vault = getAddress(info.vault)
  const usdc = { address: getAddress(info.usdc), abi: erc20Abi } as const
  const approval = await wallet.writeContract({ ...usdc, functionName: 'approve', args: [vault, amount] })
  await waitForTransactionReceipt(wallet, { hash: approval })
  const call = { address: vault, abi: vaultAbi, functionName: 'deposit', args: [amount] } as const
  const hash = await wallet.writeContract(call)
  const { status } = await waitForTransactionReceipt(wallet, { hash })
  if (status !== 'success') throw new Error(`The deposit ${hash} was reverted.`)
  return hash
}

/** Waits for the confirmations that the gateway asks for. */
async function untilCredited(owner: Client, id: string): Promise<void> {
  for (let looks = 1; ; looks++) {
    try {
      await owner.confirmDeposit({ path: { id } })
      return
    } catch (error) {
      const isEarly = error instanceof GatewayError && error.code === 'DEPOSIT_NOT_CONFIRMED'
      if (!isEarly || looks === LOOKS_MAX) throw error
      print(`${error.detail.confirmations} of ${error.detail.requiredConfirmations} confirmations`)
    }
    await wait(LOOK_PAUSE_MS)
  }
}

try {
  const account = await openWallet()
  const { token } = await signIn(createClient({ baseUrl: GATEWAY }), account)
  const owner = createClient({ baseUrl: GATEWAY, token: () => token })
  const { consumer_available_balance: available } = await owner.readBalance()
  print(`signed in as ${account.address}, with ${available} USDC to spend`)

  const missing = parseUnits(limit, USDC_DECIMALS) - parseUnits(available, USDC_DECIMALS)
  if (missing > 0n) {
    const tx_hash = await payIn(account, await owner.readChain(), missing)
    const { intent } = await owner.openDeposit({
      body: { tx_hash, amount: formatUnits(missing, USDC_DECIMALS) },
    })
    await untilCredited(owner, intent.id)
    print(`deposited by ${tx_hash}`)
  }
  const { credential } = await owner.issueCredential({
    body: { name, creditLimit: limit, resetInterval: 'never', rpm: 60, expiresInSec: 86_400 },
  })
  print(`${credential.credential_id} may spend ${credential.creditLimit} USDC within a day`)
  process.stdout.write(`${credential.token}\n`)
} catch (error) {
  const code = error instanceof GatewayError ? `${error.code}: ` : ''
  const message = error instanceof Error ? error.message : String(error)
  // What the chain's client has to say is longer.
  print(`${code}${message.split('\n', 1)[0]}`)
  process.exitCode = 1
}
