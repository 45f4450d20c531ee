import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { parseUsdc } from '@farebox/money'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { type Address, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../../apps/gateway/src/app.ts'
import { openSmallMarket, type SmallMarket } from '../../../apps/gateway/test/kit/world/small-market.ts'
import { giveGas, newSettler } from '../../../apps/gateway/test/kit/world/x402-client.ts'
import { buildPackage } from '../scripts/build.ts'

const ROOT = join(import.meta.dirname, '../../..')
const TIMEOUT_MS = 180_000
/** What users of all parts of the package install beside it. */
const PEERS = ['viem', 'fastify', 'hono', '@types/node']

const execute = promisify(execFile)

let folder: string
let built: string
let tarball: string
let market: SmallMarket

/** Installs the tarball in a new folder outside the repository. The network is not used: the package needs no other. */
async function install(): Promise<void> {
  built = join(folder, 'built')
  await buildPackage(built)
  const packed = await execute('npm', ['pack', '--json', '--pack-destination', folder], { cwd: built })
  const [{ filename }] = JSON.parse(packed.stdout)
  tarball = join(folder, filename)
  await writeFile(join(folder, 'package.json'), '{"private": true}')
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder })
  for (const peer of PEERS) {
    await mkdir(join(folder, 'node_modules', peer, '..'), { recursive: true })
    await symlink(join(ROOT, 'node_modules', peer), join(folder, 'node_modules', peer))
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-client-'))
  const manifest = { agentToolName: 'echo', serviceName: 'Echo' }
  const extraRoutes = (app: App) => {
    app.post('/dev/faucet', { schema: { hide: true } }, async ({ body }) => {
      const { address, amountUsdc } = body as { address: Address; amountUsdc: string }
      await fund(address, amountUsdc)
      return {}
    })
  }
  const settler = newSettler()
  const opened = openSmallMarket({ priceUsdc: '0.01', manifest }, { extraRoutes, env: settler.env })
  ;[market] = await Promise.all([opened, install()])
  await giveGas(market.on.chain, settler.address)
}, TIMEOUT_MS)
afterAll(async () => {
  await market.close()
  await rm(folder, { recursive: true })
})

/** Runs a program of the folder against the gateway. */
async function run(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await execute(process.execPath, [program], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  return stdout
}

/** Compiles sources of the folder, whose imports are those of the installed package. */
async function compile(...sources: string[]): Promise<void> {
  const options = '--strict --exactOptionalPropertyTypes --skipLibCheck --module nodenext --types node'
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  await execute(process.execPath, [tsc, ...options.split(' '), ...sources], { cwd: folder })
}

async function fund(address: Address, amountUsdc: string): Promise<void> {
  const { chain } = market.on
  await chain.client.setBalance({ address, value: parseEther('1') })
  await chain.fund(address, parseUsdc(amountUsdc))
}

test('the package passes arethetypeswrong and publint', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(await readFile(tarball)))
  if (!analysis.types) throw new Error('The package has no types.')
  // An ESM package: neither require nor resolution without `exports`.
  const found = analysis.problems.filter(
    problem => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
  )
  expect(found).toEqual([])
  const { messages, pkg } = await publint({ pkgDir: built, strict: true })
  expect(messages.map(message => formatMessage(message, pkg))).toEqual([])
})

test('the package holds no sources, tests or private dependencies', async () => {
  const root = join(folder, 'node_modules/@farebox/client')
  const { stdout } = await execute('find', ['.', '-type', 'f'], { cwd: root })
  const files = stdout
    .trim()
    .split('\n')
    .map(file => file.slice('./'.length))
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  expect(
    files.filter(file => !/\.(d\.ts|js)$|^docs\/[\w-]+\.md$|^(README\.md|LICENSE|package\.json)$/.test(file)),
  ).toEqual([])
  const code = files.filter(file => /\.(d\.ts|js)$/.test(file))
  const texts = await Promise.all(code.map(file => readFile(join(root, file), 'utf8')))
  const imported = texts.flatMap(text => [...text.matchAll(/(?:from |import\()['"]([^.'"][^'"]*)['"]/g)])
  const isAllowed = (name = '') => /^(node:\w+|viem|fastify|hono)$/.test(name)
  expect(code.length).toBeGreaterThan(30)
  expect(imported.map(([, name]) => name).filter(name => !isAllowed(name))).toEqual([])
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('private')
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  expect(manifest.version).toBe(version)
})

test('a program with the installed package signs in, pays in both ways, streams and verifies', {
  timeout: TIMEOUT_MS,
}, async () => {
  await copyFile(join(import.meta.dirname, 'installed/sample.mts'), join(folder, 'sample.mts'))
  await compile('sample.mts')

  const key = generatePrivateKey()
  await fund(privateKeyToAccount(key).address, '1.02')
  const printed = await run('sample.mjs', { GATEWAY: market.on.url, WALLET_KEY: key })
  expect(JSON.parse(printed)).toEqual({
    amountUsdc: '1.000000',
    found: ['sample'],
    result: { invocationId: expect.stringMatching(/^inv_/), youSent: { hello: 'world' } },
    isSame: true,
    refused: 'PRICE_MISMATCH',
    stranger: 401,
    isStreamed: true,
    billed: 'SUCCEEDED',
    webhook: 'webhook.test',
    paid: [{ invocationId: expect.stringMatching(/^inv_/), youSent: { by: 'x402' } }, '0.020000', 'string'],
    calls: 3,
    others: ['function', 'function', 'function'],
  })
})

test('the quick start of the README works as pasted', { timeout: TIMEOUT_MS }, async () => {
  const readme = await readFile(join(folder, 'node_modules/@farebox/client/README.md'), 'utf8')
  const [, program] = /```js\n(.*?)```/s.exec(readme) ?? []
  await writeFile(join(folder, 'quickstart.mjs'), program ?? '')
  const printed = await run('quickstart.mjs', { GATEWAY: market.on.url })
  expect(printed).toBe('found echo: Echo\n{"number":1} for 0.010000 USDC\n')
})

test('the examples need only what their manifests name, and run when they are copied', {
  timeout: TIMEOUT_MS,
}, async () => {
  const examples = join(folder, 'examples')
  await cp(join(ROOT, 'examples'), examples, { recursive: true })
  const programs = globSync('*/*.ts', { cwd: examples })
  expect(programs).toHaveLength(5)
  for (const program of programs) {
    const manifest = JSON.parse(await readFile(join(examples, program, '../package.json'), 'utf8'))
    const text = await readFile(join(examples, program), 'utf8')
    const imported = [...text.matchAll(/from '(?!node:)((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => name)
    expect([...new Set(imported)].toSorted(), program).toEqual(Object.keys(manifest.dependencies ?? {}))
    if (program.startsWith('owner')) expect(manifest.dependencies['@farebox/client']).toBe(manifest.version)
  }
  await compile('--noEmit', '--target', 'es2024', ...programs.map(program => join('examples', program)))

  const env = {
    GATEWAY: market.on.url,
    WALLET_FILE: join(folder, 'wallet.key'),
    JOURNAL: join(folder, 'journal'),
  }
  const credential = await run('examples/owner/owner.ts', env)
  expect(credential).toMatch(/^agt_[\w-]+\n$/)
  const printed = await run('examples/agent/agent.ts', { ...env, CREDENTIAL: credential.trim() })
  expect(printed).toContain('Echo (echo) takes {} for 0.010000 USDC')
  expect(printed).toMatch(/^left to spend: 0\.98\d{4} USDC$/m)
})
