import { createHash } from 'node:crypto'

/**
 * Checks a gateway from outside: that the vault holds on the chain what the gateway says, that this covers what it says
 * it owes, and that what it owes you is in there. One file, Node's own modules, nothing of the gateway's.
 *
 *   node verify-reserves.ts GATEWAY [--rpc URL] [--vault 0x...] [--usdc 0x...]     with TOKEN=<your session token>
 */
const [gateway = 'http://127.0.0.1:8402', ...rest] = process.argv.slice(2)
const option = (name: string) => rest[rest.indexOf(`--${name}`) + 1 || rest.length]
const { TOKEN } = process.env

type Tree = {
  readonly [Name in
    | 'asOf'
    | 'merkleRoot'
    | 'walletsUsdc'
    | 'consumerUsdc'
    | 'providerUsdc'
    | 'lockedUsdc']: string
} & { readonly platformUsdc: string; readonly wallets: number } & {
  readonly blockNumber: number | null
  readonly vaultBalanceUsdc: string | null
}
type Inclusion = {
  readonly [Name in 'walletAddress' | 'balanceUsdc' | 'salt' | 'leafHash' | 'merkleRoot']: string
} & { readonly branch: readonly { hash: string; sumUsdc: string; side: 'left' | 'right' }[] }

let faults = 0
/** Prints a step, and counts those that fail. */
function step(isTrue: boolean, text: string): void {
  if (!isTrue) faults += 1
  process.stdout.write(`${isTrue ? 'ok  ' : 'FAIL'} ${text}\n`)
}

/** Fetches; an error names the server. */
const ask = (url: string, init: RequestInit) =>
  fetch(url, init).catch(() => {
    throw new Error(`${new URL(url).origin} cannot be reached.`)
  })

/** Reads JSON; `token` only goes to the gateway. */
async function read<Body>(path: string, token?: string): Promise<Body> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await ask(`${gateway}/api/v1${path}`, { headers })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Body
}

/** Millionths of a USDC. Signs are refused: a negative sum in a tree would hide what others are owed. */
function micros(text: string): bigint {
  if (!/^\d{1,18}\.\d{6}$/.test(text)) throw new Error(`${text} is no amount that may be owed.`)
  return BigInt(text.replace('.', ''))
}

/** `balanceOf(vault)` of the token, asked of a node of the chain, as of a block. */
async function balanceOnChain(
  rpc: string,
  of: { usdc: string; vault: string; block: number },
): Promise<bigint> {
  const data = `0x70a08231${of.vault.slice(2).toLowerCase().padStart(64, '0')}`
  const params = [{ to: of.usdc, data }, `0x${of.block.toString(16)}`]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
  const answer = await ask(rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = (await answer.json()) as { result?: string; error?: { message: string } }
  if (result === undefined) throw new Error(`The node returned no result: ${error?.message}`)
  return BigInt(result)
}

const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
/** A sum as it is hashed: eight bytes, the most significant first. */
function sumBytes(sum: bigint): Buffer {
  const eight = Buffer.alloc(8)
  eight.writeBigUInt64BE(sum)
  return eight
}

/** Goes from the leaf to the root: the hash there, and the total owed to wallets. */
function climb({ walletAddress, salt, balanceUsdc, branch }: Inclusion) {
  const balance = micros(balanceUsdc)
  const leaf = sha256(Buffer.of(0), Buffer.from(`${walletAddress.toLowerCase()}\n${salt}\n${balance}`))
  let [hash, sum] = [leaf, balance]
  for (const { hash: other, sumUsdc, side } of branch) {
    const [mine, beside] = [
      [hash, sumBytes(sum)],
      [bytes(other), sumBytes(micros(sumUsdc))],
    ]
    hash = sha256(Buffer.of(1), ...(side === 'left' ? [...beside, ...mine] : [...mine, ...beside]))
    sum += micros(sumUsdc)
  }
  return { leaf: `0x${leaf.toString('hex')}`, root: `0x${hash.toString('hex')}`, sum }
}

/** Checks what everybody is shown. @returns the tree of wallets, and what it says they are owed */
async function checkReserves(): Promise<{ tree: Tree; owed: bigint }> {
  const { tree, consistent } = await read<{ tree: Tree | null; consistent: boolean }>('/proof/reserves')
  if (tree === null) throw new Error('The gateway has made no tree yet.')
  process.stdout.write(`${gateway} at ${tree.asOf}: root ${tree.merkleRoot} over ${tree.wallets} wallets\n`)
  const owed = micros(tree.walletsUsdc)
  step(consistent, 'the gateway says that every check of its books holds')
  step(
    micros(tree.consumerUsdc) + micros(tree.providerUsdc) === owed,
    `wallets are owed ${tree.walletsUsdc} USDC`,
  )

  const reported = await read<{ rpcUrl: string; vault: string; usdc: string }>('/chain')
  const chain = {
    rpcUrl: option('rpc') ?? reported.rpcUrl,
    vault: option('vault') ?? reported.vault,
    usdc: option('usdc') ?? reported.usdc,
  }
  if (tree.blockNumber === null || tree.vaultBalanceUsdc === null)
    throw new Error('The gateway did not reach its chain.')
  const held = await balanceOnChain(chain.rpcUrl, { ...chain, block: tree.blockNumber })
  step(
    held === micros(tree.vaultBalanceUsdc),
    `the vault ${chain.vault} held ${held} millionths at block ${tree.blockNumber}`,
  )
  const demanded = owed - micros(tree.lockedUsdc)
  step(
    held >= demanded,
    `that covers what is owed, but for ${tree.lockedUsdc} USDC that tickets may have paid out`,
  )
  return { tree, owed }
}

/** Checks that one's own balance is in a tree. */
async function checkOwn({ tree, owed }: { tree: Tree; owed: bigint }): Promise<void> {
  if (TOKEN === undefined) process.stdout.write('skip your own balance: set TOKEN to your session token\n')
  else {
    const mine = await read<Inclusion>(`/proof/inclusion?merkleRoot=${tree.merkleRoot}`, TOKEN)
    const { leaf, root, sum } = climb(mine)
    step(
      leaf === mine.leafHash,
      `${mine.walletAddress} is owed ${mine.balanceUsdc} USDC: is that what you have?`,
    )
    step(root === tree.merkleRoot, `your leaf is under the root, ${mine.branch.length} steps below it`)
    step(sum === owed, `the sums on the path add up to the stated ${tree.walletsUsdc} USDC`)
  }
}

try {
  await checkOwn(await checkReserves())
  process.stdout.write(faults === 0 ? 'All that could be checked holds.\n' : `${faults} checks failed.\n`)
  if (faults > 0) process.exitCode = 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
