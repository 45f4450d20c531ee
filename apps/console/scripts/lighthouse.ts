import { startOwnGateway } from '../../gateway/src/tour/gateway.ts'
import { buildConsole, startDebuggedBrowser } from '../test/kit/launch.ts'
import { makeDemoData } from './demo-data.ts'
import { faultsOf, measurePage, SCORE_MIN, scoresOf } from './measure-page.ts'
import { openMeasuredLine } from './measured-line.ts'
import { pictures } from './pages.ts'

// Runs Lighthouse on the visitors' pages with its mobile preset: `npm run lighthouse [-- part of a name]`. Exits
// non-zero when a score is below `SCORE_MIN`.

const log = (message: string) => process.stdout.write(`${message}\n`)
const asked = process.argv.slice(2)
const chosen = pictures.filter(
  ({ name, as }) => as === undefined && (asked.length === 0 || asked.some(part => name.includes(part))),
)

await buildConsole()
const gateway = await startOwnGateway(log)
const [browser, line] = await Promise.all([startDebuggedBrowser(), openMeasuredLine(gateway.url)])
let isGood = true
try {
  const demoData = await makeDemoData(gateway.url)
  for (const { name, path } of chosen) {
    const at = path.replaceAll(/\{([\w-]+)\}/g, (_, id: string) => demoData.ids[id] ?? id)
    const result = await measurePage(browser.port, `${line.url}${at}`)
    const scores = Object.entries(scoresOf(result))
    isGood &&= scores.every(([, score]) => score >= SCORE_MIN)
    log(`${name.padEnd(14)} ${scores.map(([category, score]) => `${category} ${score}`).join('  ')}`)
    for (const fault of faultsOf(result)) log(`               ${fault}`)
  }
  await demoData.stop()
} finally {
  await Promise.all([browser.stop(), line.stop()])
  await gateway.stop()
}
process.exitCode = isGood ? 0 : 1
