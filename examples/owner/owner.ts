import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createOwner, GatewayError } from '@farebox/client'
import { deposit } from '@farebox/client/deposit'
import { formatUnits, isHex, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

// From a wallet to a credential for an agent: signs in, deposits USDC if there is too little, and mints a credential
// with limits. Standard output is the credential alone; progress goes to standard error.
const {
  GATEWAY = 'http://127.0.0.1:8402',
  WALLET_KEY,
  WALLET_FILE = join(homedir(), '.farebox', 'example-wallet.key'),
} = process.env
const [limit = '1', name = 'example agent'] = process.argv.slice(2)

const USDC_DECIMALS = 6

const print = (text: string) => process.stderr.write(`${text}\n`)

/** Returns the owner's wallet: by WALLET_KEY, or that of a file, which is made once and never replaced. */
function openWallet() {
  const key = (WALLET_KEY ?? readKey() ?? createKey()).trim()
  if (isHex(key) && key.length === 66) return privateKeyToAccount(key)
  const place = WALLET_KEY === undefined ? WALLET_FILE : 'WALLET_KEY'
  throw new Error(`${place} is no private key: 0x and 64 hex digits.`)
}

/** Returns the key in the file; undefined without the file. */
function readKey(): string | undefined {
  try {
    return readFileSync(WALLET_FILE, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Makes a key and stores it, for this user only. `wx` fails rather than replace a file. */
function createKey(): string {
  const key = generatePrivateKey()
  mkdirSync(dirname(WALLET_FILE), { recursive: true, mode: 0o700 })
  writeFileSync(WALLET_FILE, `${key}\n`, { flag: 'wx', mode: 0o600 })
  print(`a new wallet, whose key is in ${WALLET_FILE}`)
  return key
}

/** Gets test money. Only a gateway in development mode gives any. */
async function askFaucet(address: string, amountUsdc: string): Promise<void> {
  const given = await fetch(`${GATEWAY}/dev/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, amountUsdc }),
  })
  if (given.ok) print(`got ${amountUsdc} USDC of test money`)
  else print(`${GATEWAY} gives no test money: ${address} pays with its own USDC and ether`)
}

try {
  const account = openWallet()
  const owner = await createOwner({ baseUrl: GATEWAY, wallet: account })
  const { consumer_available_balance: available } = await owner.readBalance()
  print(`signed in as ${account.address}, with ${available} USDC to spend`)

  const missing = parseUnits(limit, USDC_DECIMALS) - parseUnits(available, USDC_DECIMALS)
  if (missing > 0n) {
    const amountUsdc = formatUnits(missing, USDC_DECIMALS)
    if (WALLET_KEY === undefined) await askFaucet(account.address, amountUsdc)
    const { txHash } = await deposit(owner, {
      account,
      amountUsdc,
      onStep(step) {
        if (step.kind !== 'confirming') return
        print(`${step.confirmations} of ${step.requiredConfirmations} confirmations`)
      },
    })
    print(`deposited by ${txHash}`)
  }
  const { credential } = await owner.issueCredential({
    body: { name, creditLimit: limit, resetInterval: 'never', rpm: 60, expiresInSec: 86_400 },
  })
  print(`${credential.credential_id} may spend ${credential.creditLimit} USDC within a day`)
  process.stdout.write(`${credential.token}\n`)
} catch (error) {
  const code = error instanceof GatewayError ? `${error.code}: ` : ''
  const message = error instanceof Error ? error.message : String(error)
  // Messages of the chain's client go on for many lines.
  print(`${code}${message.split('\n', 1)[0]}`)
  process.exitCode = 1
}
