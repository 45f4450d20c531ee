import lighthouse, { type Result } from 'lighthouse'
import { startOwnGateway } from '../../gateway/src/tour/gateway.ts'
import { buildConsole, startDebuggedBrowser } from '../test/kit/launch.ts'
import { makeDemoData } from './demo-data.ts'
import { openMeasuredLine } from './measured-line.ts'
import { pictures } from './pages.ts'

// Runs Lighthouse on the visitors' pages with its mobile preset: `npm run lighthouse [-- part of a name]`. Exits
// non-zero when a score is below `SCORE_MIN`.

const SCORE_MIN = 0.95
const ATTEMPTS_MAX = 4
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const

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
    const { categories, audits } = await measure(`${line.url}${at}`)
    const scores = CATEGORIES.map(id => categories[id]?.score ?? 0)
    isGood &&= scores.every(score => score >= SCORE_MIN)
    const reported = CATEGORIES.map((id, index) => `${id} ${Math.round((scores[index] ?? 0) * 100)}`)
    log(`${name.padEnd(10)} ${reported.join('  ')}`)
    for (const audit of Object.values(audits)) {
      const isFault = audit.score !== null && audit.score < 0.9 && audit.scoreDisplayMode !== 'informative'
      if (isFault) log(`             ${audit.id}: ${audit.displayValue ?? audit.title}`)
    }
  }
  await demoData.stop()
} finally {
  await Promise.all([browser.stop(), line.stop()])
  await gateway.stop()
}
process.exitCode = isGood ? 0 : 1

/** Measures a page, and retries when a busy machine makes Lighthouse lose it. */
async function measure(url: string): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const result = await lighthouse(url, {
      port: browser.port,
      output: 'json',
      logLevel: 'silent',
      onlyCategories: [...CATEGORIES],
    })
    const fault = result?.lhr.runtimeError
    if (result !== undefined && fault === undefined) return result.lhr
    if (attempt === ATTEMPTS_MAX) throw new Error(`${url} cannot be measured: ${fault?.message}`)
  }
}
