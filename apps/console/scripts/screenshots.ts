import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { startOwnGateway } from '../../gateway/src/tour/gateway.ts'
import { buildConsole, startBrowser } from '../test/kit/launch.ts'
import { type Actor, ADMIN, actorsOf, signedIn } from './actor.ts'
import { makeDemoData } from './demo-data.ts'
import { type PictureOf, pathOf, pictures } from './pages.ts'

// Takes screenshots of the pages in both themes and on a phone, with demo data: `npm run screenshots [-- part of a name ...]`.

const OUT = join(import.meta.dirname, '../screenshots')
/** The pictures of each page. */
const VIEWS = [
  { name: 'light', theme: 'light', width: 1_280, height: 860, scale: 1 },
  { name: 'dark', theme: 'dark', width: 1_280, height: 860, scale: 1 },
  { name: 'phone', theme: 'light', width: 390, height: 844, scale: 2 },
] as const
const SETTLE_MS = 15_000

const log = (message: string) => process.stdout.write(`${message}\n`)
const asked = process.argv.slice(2)
const chosen = pictures.filter(({ name }) => asked.length === 0 || asked.some(part => name.includes(part)))

await buildConsole()
await mkdir(OUT, { recursive: true })
process.env.ADMIN_WALLETS = ADMIN.address
process.env.PROBE_INTERVAL_SECONDS = '1'
process.env.RECONCILE_INTERVAL_SECONDS = '1'
process.env.WITHDRAW_AUTO_APPROVE_MAX_USDC = '0.1'
const gateway = await startOwnGateway(log)
try {
  const demoData = await makeDemoData(gateway.url)
  const actors = await actorsOf(gateway.url, demoData)
  const browser = await startBrowser()
  for (const picture of chosen) {
    const path = pathOf(picture, demoData.ids)
    for (const view of VIEWS) {
      const actor = picture.as === undefined ? null : actors[picture.as]
      await take(browser, { ...picture, path }, { view, actor })
    }
    log(`${picture.name}  ${path}`)
  }
  await browser.close()
  await demoData.stop()
} finally {
  await gateway.stop()
}

async function take(
  browser: Browser,
  picture: PictureOf,
  { view, actor }: { view: (typeof VIEWS)[number]; actor: Actor | null },
): Promise<void> {
  const context = await browser.newContext({
    baseURL: gateway.url,
    locale: 'en-US',
    colorScheme: view.theme,
    // Dialogs are there at once.
    reducedMotion: 'reduce',
    viewport: { width: view.width, height: view.height },
    deviceScaleFactor: view.scale,
  })
  if (actor !== null) await context.addInitScript({ content: signedIn(actor) })
  const page = await context.newPage()
  page.on('console', message => message.type() === 'error' && log(`  ${message.text()}`))
  page.on('pageerror', error => log(`  ${String(error)}`))
  await page.goto(picture.path, { waitUntil: 'networkidle', timeout: SETTLE_MS * 2 })
  await picture.steps?.(page)
  if (picture.until !== undefined) {
    const shown = page.getByText(picture.until).filter({ visible: true })
    await shown.first().waitFor({ timeout: SETTLE_MS })
  }
  await page.screenshot({
    path: join(OUT, `${picture.name}-${view.name}.png`),
    fullPage: picture.isWindow !== true,
  })
  await context.close()
}
