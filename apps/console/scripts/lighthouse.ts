import { chromium as driver } from 'playwright-core'
import { startOwnGateway } from '../../gateway/src/tour/gateway.ts'
import { buildConsole, startDebuggedBrowser } from '../test/kit/launch.ts'
import { type Actor, ADMIN, actorsOf, signedIn } from './actor.ts'
import { makeDemoData } from './demo-data.ts'
import { faultsOf, measurePage, SCORE_MIN, scoresOf } from './measure-page.ts'
import { openMeasuredLine } from './measured-line.ts'
import { pathOf, pictures } from './pages.ts'

// Runs Lighthouse on the pages with its mobile preset: `npm run lighthouse [-- part of a name ...]`, on those of visitors
// without arguments. Exits non-zero when a score is below `SCORE_MIN`.

const log = (message: string) => process.stdout.write(`${message}\n`)
const asked = process.argv.slice(2)
const chosen = pictures.filter(
  ({ name, as, steps }) =>
    steps === undefined && (asked.length === 0 ? as === undefined : asked.some(part => name.includes(part))),
)

await buildConsole()
process.env.ADMIN_WALLETS = ADMIN.address
const gateway = await startOwnGateway(log)
const [browser, line] = await Promise.all([startDebuggedBrowser(), openMeasuredLine(gateway.url)])
let isGood = true
try {
  const demoData = await makeDemoData(gateway.url)
  const actors = await actorsOf(gateway.url, demoData)
  for (const picture of chosen) {
    const { name, as } = picture
    await storeSession(as === undefined ? null : actors[as])
    const result = await measurePage(browser.port, `${line.url}${pathOf(picture, demoData.ids)}`)
    const scores = Object.entries(scoresOf(result))
    isGood &&= scores.every(([, score]) => score >= SCORE_MIN)
    log(`${name.padEnd(22)} ${scores.map(([category, score]) => `${category} ${score}`).join('  ')}`)
    for (const fault of faultsOf(result)) log(`                       ${fault}`)
  }
  await demoData.stop()
} finally {
  await Promise.all([browser.stop(), line.stop()])
  await gateway.stop()
}
process.exitCode = isGood ? 0 : 1

/** Signs the browser in as an actor, or out for null. */
async function storeSession(actor: Actor | null): Promise<void> {
  const connected = await driver.connectOverCDP(`http://127.0.0.1:${browser.port}`)
  const page = await connected.contexts()[0]?.newPage()
  // At the gateway's origin, without a page of the console that would store something itself.
  await page?.goto(`${line.url}/health`)
  await page?.evaluate(`localStorage.clear(); ${actor === null ? '' : signedIn(actor)}`)
  await page?.close()
  await connected.close()
}
