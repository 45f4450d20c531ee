import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as driver } from 'playwright-core'
import { memoryFolder } from '../../../gateway/test/kit/memory-folder.ts'

const BUILD = join(import.meta.dirname, '../../scripts/build.ts')

let built: Promise<void> | undefined

/** Builds the console if it is outdated, once per process. */
export function buildConsole(): Promise<void> {
  built ??= runBuild()
  return built
}

async function runBuild(): Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', BUILD], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let reported = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    reported += text
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`The console does not build:\n${reported}`)
}

const BROWSER_ARGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--ignore-certificate-errors',
]
/** Takes a tenth less processor time: most code of a page runs once, and nothing here draws by a GPU. */
const QUICK_ARGS = ['--in-process-gpu', '--js-flags=--no-opt,--no-maglev']
/** Has the browser create its shared memory as files on disk, for machines that have little of it. */
const NO_SHARED_MEMORY = '--disable-dev-shm-usage'
/** Without a locale, the browser reports a language that libraries reject. */
const LANGUAGE = { LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8' }
const LISTENING_MS = 30_000

/**
 * Starts a headless browser.
 *
 * @param options.hasScrollbars with scrollbars that take room, as on most desktops
 */
export async function startBrowser(options: { hasScrollbars?: boolean } = {}): Promise<Browser> {
  const executablePath = await chromium.executablePath()
  const ignoreDefaultArgs = options.hasScrollbars === true ? ['--hide-scrollbars'] : []
  if ((await memoryFolder()) !== null) ignoreDefaultArgs.push(NO_SHARED_MEMORY)
  return driver.launch({
    executablePath,
    args: [...BROWSER_ARGS, ...QUICK_ARGS],
    ignoreDefaultArgs,
    headless: true,
  })
}

let shared: Promise<Browser> | undefined

/** Returns the headless browser of this process, which serves one test file after another and ends with the process. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared?.catch(() => undefined)
  if (running?.isConnected()) return running
  shared = startBrowser()
  return shared
}

/** Starts a headless browser that is controlled only through its debugging port. */
export async function startDebuggedBrowser(): Promise<{ port: number; stop(): Promise<void> }> {
  const profile = await mkdtemp(join(tmpdir(), 'farebox-browser-'))
  const child = spawn(
    await chromium.executablePath(),
    [...BROWSER_ARGS, '--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...LANGUAGE } },
  )
  const stop = async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    // Its children may still be writing.
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The browser does not listen.')), LISTENING_MS)
    let reported = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      reported += text
      const listening = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(reported)?.[1]
      if (listening === undefined) return
      clearTimeout(timer)
      resolve(Number(listening))
    })
  })
  return { port, stop }
}
