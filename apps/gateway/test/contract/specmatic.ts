import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOwnGateway } from '../../src/tour/gateway.ts'
import { newWallet } from '../kit/world/wallets.ts'
import { judgeAnswers, type Published, type Verdict } from './answer-judge.ts'
import { prepareTester, type TestedDocument } from './tester-parts.ts'

// `npm run specmatic`: Specmatic, an external tester that needs Java, generates valid and invalid requests from the
// published contract and sends them to a development gateway. A judge validates each answer; none may violate the
// contract or be a 5xx.
//
// Arguments: the program of Specmatic, and its filter (`--filter=...`).

const RUN_TIMEOUT_MS = 40 * 60_000
const FAULTS_SHOWN_MAX = 40
/** Bodies with many optional members have too many combinations. */
const COMBINATIONS_MAX = '20'
const PROGRESS_EVERY_MS = 15_000
/** Output of Specmatic, for inspection. */
const LOG = join(tmpdir(), 'farebox-specmatic.log')

const [program, ...narrowed] = process.argv.slice(2)
if (program === undefined) throw new Error('Where is Specmatic?')
process.exitCode = await run(program)

/** Tests a gateway. Returns the exit code. */
async function run(specmatic: string): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'farebox-specmatic-'))
  const admin = newWallet()
  const gateway = await startOwnGateway(line => process.stderr.write(`${line}\n`), {
    ADMIN_WALLETS: admin.address,
    CHALLENGES_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
  })
  try {
    const served = await fetch(`${gateway.url}/openapi.json`)
    const document = (await served.json()) as Published & TestedDocument
    const judge = await judgeAnswers(document, gateway.url)
    try {
      const parts = await prepareTester({ url: gateway.url, admin, document })
      await writeFile(join(directory, 'openapi.json'), inAscii(JSON.stringify(parts.document)))
      await writeFile(join(directory, 'specmatic.json'), JSON.stringify(parts.configuration))
      const progress = setInterval(
        () => process.stderr.write(`${judge.verdict().answers} answers\n`),
        PROGRESS_EVERY_MS,
      )
      const output = await test(specmatic, { directory, url: judge.url })
      clearInterval(progress)
      await writeFile(LOG, output)
      return report(judge.verdict(), output)
    } finally {
      await judge.stop()
    }
  } finally {
    await gateway.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** YAML parsers, which accept JSON, do not accept every character of JSON. */
function inAscii(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, at => `\\u${at.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Runs Specmatic and returns its output. */
async function test(specmatic: string, on: { directory: string; url: string }): Promise<string> {
  const child = spawn(specmatic, ['test', `--testBaseURL=${on.url}`, '--timeout=60', ...narrowed], {
    cwd: on.directory,
    env: {
      ...process.env,
      SPECMATIC_GENERATIVE_TESTS: 'true',
      MAX_TEST_REQUEST_COMBINATIONS: COMBINATIONS_MAX,
      JAVA_TOOL_OPTIONS: '-Xmx2g',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // However this program ends, the tester ends with it.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const late = setTimeout(end, RUN_TIMEOUT_MS)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text.replaceAll('\0', '')
    })
  }
  await once(child, 'exit')
  process.removeListener('exit', end)
  clearTimeout(late)
  return output
}

function report({ answers, operations, faults, statuses }: Verdict, output: string): number {
  const summary = /Tests run: .*/.exec(output)?.[0] ?? 'Specmatic ran no tests.'
  const lines = [
    `${answers} answers of ${operations.size} operations: ${[...statuses].map(([status, count]) => `${count} x ${status}`).join(', ')}`,
    `Specmatic: ${summary}`,
    ...[...faults.entries()].slice(0, FAULTS_SHOWN_MAX).map(([fault, count]) => `${count} x ${fault}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  const hasRun = !/^Tests run: 0|ran no tests/.test(summary)
  return hasRun && faults.size === 0 && answers > 0 ? 0 : 1
}
