import lighthouse from 'lighthouse'
import { startOwnGateway } from '../../gateway/src/tour/gateway.ts'
import { startDebuggedBrowser } from '../test/launch.ts'
const g = await startOwnGateway(console.log)
const b = await startDebuggedBrowser()
for (const path of ['/health', '/docs', '/icon.svg', '/', '/market']) {
const r = await lighthouse(g.url + path, { port: b.port, output: 'json', logLevel: 'error', onlyCategories: ['performance'] })
console.log(path, r?.lhr.runtimeError?.message, r?.lhr.categories.performance?.score, r?.lhr.runWarnings)
if (path === '/') for (const x of (r?.artifacts as any).DevtoolsLog?.filter((e: any) => /Network\.(requestWillBeSent|loadingFailed|responseReceived)$/.test(e.method)).slice(0, 12)) console.log(x.method, JSON.stringify(x.params).slice(0, 300))
}
await b.stop(); await g.stop()
process.exit()
