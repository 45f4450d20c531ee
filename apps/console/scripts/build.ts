import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { startOfProcess } from '../../gateway/src/dev/processes.ts'
import { reportProgress, type StartProgress } from '../../gateway/src/dev/start-progress.ts'
import { prerenderPages } from './prerender-pages.ts'
import { CONTRACT } from './reference.ts'

// Builds the console into apps/console/dist unless it is newer than its sources: `npm run console`.

const HERE = join(import.meta.dirname, '..')
const ROOT = join(HERE, '../..')
const DIST = join(HERE, 'dist')
const NEXT = join(HERE, 'node_modules/.next-dist')
const LOCK = join(HERE, 'node_modules/.build-lock')
/** Inputs of the build. */
const SOURCES = [
  ...['src', 'public', 'index.html', 'vite.config.ts', 'package.json', 'scripts'].map(name =>
    join(HERE, name),
  ),
  join(ROOT, 'docs'),
  CONTRACT,
  ...['client/src', 'wire/src', 'money/src', 'vault/src'].map(name => join(ROOT, 'packages', name)),
]
/** Steps of a build. */
const STEPS = 3
/** Smaller files are not compressed. */
const COMPRESS_FROM_BYTES = 1_024
const LOCK_WAIT_MS = 300_000
const POLL_INTERVAL_MS = 250

await mkdir(join(HERE, 'node_modules'), { recursive: true })
const unlock = await lock()
try {
  if (await isOutdated()) {
    const progress = reportProgress(STEPS, line => process.stdout.write(`${line}\n`))
    progress.notice('Building the console ...')
    await make(progress.step)
  }
} finally {
  await unlock()
}

async function isOutdated(): Promise<boolean> {
  const made = await stat(join(DIST, 'index.html')).catch(() => null)
  if (made === null) return true
  const times = await Promise.all(SOURCES.map(newest))
  return Math.max(...times) > made.mtimeMs
}

/** Returns the newest modification time of a file, or of the files in a folder. */
async function newest(path: string): Promise<number> {
  const { mtimeMs } = await stat(path)
  const inside = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const times = await Promise.all(
    inside.map(
      async entry => (await stat(join(entry.parentPath, entry.name)).catch(() => null))?.mtimeMs ?? 0,
    ),
  )
  return Math.max(mtimeMs, ...times)
}

/** Builds into a separate folder and then swaps it in. */
async function make(step: StartProgress['step']): Promise<void> {
  const begun = new Date()
  await rm(NEXT, { recursive: true, force: true })
  process.env.NODE_ENV = 'production' // a test run may have set another value
  const bundle = build({
    root: HERE,
    mode: 'production',
    logLevel: 'warn',
    build: { outDir: NEXT, emptyOutDir: true, manifest: true },
  })
  await step('console: bundle', bundle)
  await step('console: pages', prerenderPages(NEXT))
  await step('console: compression', compressAll())
  // Date the build at its start, so that sources edited meanwhile make it outdated.
  const page = await open(join(NEXT, 'index.html'))
  await page.utimes(begun, begun)
  await page.close()
  await rm(DIST, { recursive: true, force: true })
  await rename(NEXT, DIST)
}

async function compressAll(): Promise<void> {
  const files = await readdir(NEXT, { recursive: true, withFileTypes: true })
  const texts = files.filter(each => each.isFile() && /\.(?:js|css|html|svg)$/.test(each.name))
  await Promise.all(texts.map(({ parentPath, name }) => compress(join(parentPath, name))))
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path)
  if (bytes.length < COMPRESS_FROM_BYTES) return
  const hardest = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, hardest))
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes))
}

/** Takes the build lock: test runs may start side by side. A lock whose process has ended is ignored. */
async function lock(): Promise<() => Promise<void>> {
  const ours = `${process.pid} ${startOfProcess(process.pid)}`
  const file = `${LOCK}.${process.pid}`
  await writeFile(file, ours)
  try {
    for (const deadline = Date.now() + LOCK_WAIT_MS; Date.now() < deadline; ) {
      // A hard link appears atomically, with its content.
      const isOurs = await link(file, LOCK).then(
        () => true,
        () => false,
      )
      if (isOurs) return () => rm(LOCK, { force: true })
      const [pid, start] = (await readFile(LOCK, 'utf8').catch(() => '')).split(' ')
      if (startOfProcess(Number(pid)) === start) await new Promise(done => setTimeout(done, POLL_INTERVAL_MS))
      else await rm(LOCK, { force: true, recursive: true })
    }
    throw new Error(`Another build has held ${LOCK} for too long. End it, or remove that file.`)
  } finally {
    await rm(file, { force: true })
  }
}
