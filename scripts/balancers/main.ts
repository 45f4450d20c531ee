import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ledgerPartitionOf, PARTITIONS, tokenLeadOf } from '@farebox/wire/partition'
import { writeToken } from '@farebox/wire/tokens'
import { freePort } from '../../apps/gateway/src/adapters/free-port.ts'
import { listening, start, until } from '../../lab/kit/processes.ts'
import { runProgram } from '../../lab/kit/program.ts'
import { type Balancer, balancers } from './programs.ts'
import { startToyGateways, type ToyGateways } from './toy-gateways.ts'

/**
 * `sh scripts/with-node scripts/balancers/main.ts [nginx haproxy caddy]`: the balancers of deploy/ before toy gateways.
 *
 * Each configuration runs as it is, but for addresses, with Debian's program, before two gateways and before four.
 * Checked: every call of an owner lands at the gateway of its partition, by whichever header the token comes; each gateway
 * has its share of the partitions; other callers go to more than one gateway; while a gateway is down each call is served
 * once by another, and by its own again afterwards; a stream outlives a silence. All traffic stays on loopback.
 */

const START_MS_MAX = 10_000
const STOP_MS_MAX = 5_000
const RETURN_MS_MAX = 20_000
const OWNERS_PER_PARTITION = 3
const STRANGERS = 40
/** Silence of a stream: longer than nginx waits by default (60 s) and Debian's HAProxy (50 s). A gateway allows 300 s. */
const SILENCE_MS = Number(process.env.SILENCE_SECONDS ?? '65') * 1_000

type Owner = { readonly partition: number; readonly token: string }
type Headers = Readonly<Record<string, string>>

const HEADERS: readonly ((token: string) => Headers)[] = [
  token => ({ 'X-Credential': token }),
  token => ({ 'X-Agent-Credential': token }),
  token => ({ Authorization: `Bearer ${token}` }),
  token => ({ 'X-Api-Key': token }),
  token => ({ 'X-Credential': token, Authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl' }),
]

const STRANGERS_HEADERS: Readonly<Record<string, () => Headers>> = {
  visitors: () => ({}),
  'sessions of owners': () => ({ Authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl' }),
  'tokens that begin with no partition': () => ({
    'X-Credential': writeToken('agt', randomBytes(32), 'z'),
  }),
  'provider secrets': () => ({ Authorization: `Bearer ${writeToken('psk', randomBytes(32), 'A')}` }),
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Owners with a token each, as many in every partition. */
function makeOwners(): Owner[] {
  const byPartition = Array.from({ length: PARTITIONS }, (): Owner[] => [])
  while (byPartition.some(owners => owners.length < OWNERS_PER_PARTITION)) {
    const address = `0x${randomBytes(20).toString('hex')}`
    const partition = ledgerPartitionOf(address)
    const token = writeToken('agt', randomBytes(32), tokenLeadOf(address))
    const owners = byPartition[partition]
    if (owners !== undefined && owners.length < OWNERS_PER_PARTITION) owners.push({ partition, token })
  }
  return byPartition.flat()
}

/** Runs `balancer` before `count` gateways, and returns the number of broken promises, each of which it prints. */
async function tryBalancer(balancer: Balancer, count: number): Promise<number> {
  await using undo = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'farebox-balancer-'))
  undo.defer(() => rm(directory, { recursive: true, force: true }))
  const gateways = await startToyGateways(count)
  undo.defer(() => gateways.close())
  const port = await freePort()
  const text = await readFile(join(import.meta.dirname, '../../deploy', balancer.file), 'utf8')
  const { command, files } = balancer.place(text, { directory, port, gateways: gateways.ports })
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content)
  const logFile = join(directory, 'log')
  const program = start(command, { name: balancer.name, logFile, env: { HOME: directory } })
  undo.defer(() => program.stop(STOP_MS_MAX))
  await listening(program.child, port, START_MS_MAX).catch(async error => {
    throw new Error(`${balancer.name} did not start: ${await readFile(logFile, 'utf8')}`, { cause: error })
  })
  let findings = 0
  const expect: Expect = (what, isSo) => {
    if (isSo) return
    findings += 1
    say(`${balancer.name}, ${count} gateways: this is not so: ${what}`)
  }
  const url = `http://127.0.0.1:${port}`
  await watch(url, gateways, expect)
  const token = makeOwners().find(({ partition }) => partition === 1)?.token ?? ''
  const at = await ask(url, gateways, { 'X-Credential': token }, SILENCE_MS).catch(() => -1)
  expect(`a stream goes on after ${SILENCE_MS / 1_000} silent seconds`, at === 1)
  if (findings === 0) say(`${balancer.name}, ${count} gateways: every promise is kept`)
  return findings
}

type Expect = (what: string, isSo: boolean) => void

/** Sends calls to the balancer, with every gateway up, without the first one, and with it again. */
async function watch(url: string, gateways: ToyGateways, expect: Expect): Promise<void> {
  const owners = makeOwners()
  const count = gateways.ports.length
  const askAll = () =>
    Promise.all(
      owners.flatMap(owner =>
        HEADERS.map(async of => ({ owner, at: await ask(url, gateways, of(owner.token)) })),
      ),
    )
  const isAtHome = ({ owner, at }: { owner: Owner; at: number }) => at === owner.partition % count

  const whole = await askAll()
  expect('each call reaches the gateway of its owner', whole.every(isAtHome))
  for (let index = 0; index < count; index += 1) {
    const own = new Set(whole.filter(({ at }) => at === index).map(({ owner }) => owner.partition))
    expect(`gateway ${index} has its share of the partitions`, own.size === PARTITIONS / count)
  }
  for (const [who, of] of Object.entries(STRANGERS_HEADERS)) {
    const met = new Set<number>()
    for (let index = 0; index < STRANGERS; index += 1) met.add(await ask(url, gateways, of()))
    expect(`${who} reach more than one gateway`, met.size > 1)
  }
  expect('metrics are hidden', (await fetch(`${url}/metrics`)).status === 404)

  await gateways.stop(0)
  const without = await askAll()
  const others = without.filter(({ owner }) => owner.partition % count !== 0)
  expect('a gateway that is up keeps its owners while another is down', others.every(isAtHome))
  await gateways.start(0)
  await until('every owner is at its own gateway again', RETURN_MS_MAX, async () =>
    (await askAll()).every(isAtHome),
  )
}

/**
 * Sends a POST, and returns the index of the gateway that answered it.
 *
 * @throws Error when it was not answered, or did not reach exactly one gateway
 */
async function ask(
  url: string,
  gateways: ToyGateways,
  headers: Headers,
  silenceMs?: number,
): Promise<number> {
  const key = randomBytes(12).toString('hex')
  const response = await fetch(`${url}/api/v1/agent/invoke`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ key, silenceMs }),
  })
  const text = (await response.text()).trim()
  if (response.status !== 200) throw new Error(`A call was answered ${response.status}: ${text}`)
  const seenBy = gateways.seenBy(key)
  if (seenBy.length !== 1 || String(seenBy[0]) !== text)
    throw new Error(`A call was seen by gateways ${seenBy.join(' and ') || 'none'}, and answered by ${text}.`)
  return Number(text)
}

async function tryAll(names: readonly string[]): Promise<number> {
  let findings = 0
  for (const balancer of balancers) {
    if (names.length > 0 && !names.includes(balancer.name)) continue
    for (const count of balancer.gateways) findings += await tryBalancer(balancer, count)
  }
  return findings
}

await runProgram(async () => ((await tryAll(process.argv.slice(2))) === 0 ? 0 : 1))
