import lighthouse from 'lighthouse'
import { startOwnGateway } from '../../gateway/src/tour/gateway.ts'
import { buildConsole, startDebuggedBrowser } from '../test/launch.ts'
import { pictures } from './pages.ts'
import { makeScenery } from './scenery.ts'

// Lighthouse on the pages of visitors, as a phone with a slow line sees them: `npm run lighthouse [-- part of a name]`.
// Exits non-zero when a score is below the least that is promised.

const SCORE_MIN = 0.95
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const

const tell = (message: string) => process.stdout.write(`${message}\n`)
const asked = process.argv.slice(2)
const chosen = pictures.filter(
  ({ name, as, width }) =>
    as === undefined &&
    width === undefined &&
    (asked.length === 0 || asked.some(part => name.includes(part))),
)

await buildConsole()
const gateway = await startOwnGateway(tell)
const browser = await startDebuggedBrowser()
let isGood = true
try {
  const scenery = await makeScenery(gateway.url)
  for (const { name, path } of chosen) {
    const at = path.replaceAll(/\{([\w-]+)\}/g, (_, id: string) => scenery.ids[id] ?? id)
    const result = await lighthouse(`${gateway.url}${at}`, {
      ...{ port: browser.port, output: 'json', logLevel: 'silent' },
      onlyCategories: [...CATEGORIES],
    })
    if (result === undefined || result.lhr.runtimeError !== undefined)
      throw new Error(`${name} cannot be measured: ${result?.lhr.runtimeError?.message}`)
    const { categories, audits } = result.lhr
    const scores = CATEGORIES.map(id => categories[id]?.score ?? 0)
    isGood &&= scores.every(score => score >= SCORE_MIN)
    const told = CATEGORIES.map((id, index) => `${id} ${Math.round((scores[index] ?? 0) * 100)}`)
    tell(`${name.padEnd(10)} ${told.join('  ')}`)
    for (const audit of Object.values(audits)) {
      const isFault = audit.score !== null && audit.score < 0.9 && audit.scoreDisplayMode !== 'informative'
      if (isFault) tell(`             ${audit.id}: ${audit.displayValue ?? audit.title}`)
    }
  }
  await scenery.stop()
} finally {
  await browser.stop()
  await gateway.stop()
}
process.exitCode = isGood ? 0 : 1
