import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'

// Asks the registry for known vulnerabilities of what the gateway runs on: `npm run audit`. It fails when the registry
// gives no answer; with `--offline` it asks nothing, and says so.

/** Advisories that do not concern us, each with the reason: `GHSA-...`. */
const ALLOWED: Readonly<Record<string, string>> = {
  'GHSA-ffrw-9mx8-89p8':
    'fast-redact, of the logger of @walletconnect: logs of Node only, and pages are not Node; its maker calls it no weakness',
}
const FETCH_TIMEOUT_MS = 15_000
const REPORT_BYTES_MAX = 16 * 1_048_576

type Advisory = { readonly url?: string; readonly title?: string; readonly severity?: string }
/** Output of npm; without `vulnerabilities` if the registry is unreachable or has no audits. */
export type AuditReport = {
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (Advisory | string)[] }>>
  readonly message?: string
}

/** Exit code when nothing was checked: a build that may go on without an answer tells it from a vulnerability. */
const NOT_AUDITED = 2

/** Lines to print for a report, and the exit code: 0 no finding, 1 a known vulnerability, 2 nothing was checked. */
export function judge(
  { vulnerabilities, message }: AuditReport,
  allowed: Readonly<Record<string, string>> = ALLOWED,
): { exitCode: number; lines: string[] } {
  if (vulnerabilities === undefined) {
    const why = message === undefined ? '' : ` (${message})`
    const line = `NOT AUDITED: the registry at hand does not answer audits${why}. Nothing was checked.`
    return { exitCode: NOT_AUDITED, lines: [line] }
  }
  const found = Object.entries(vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap(advisory => (typeof advisory === 'string' ? [] : [{ name, ...advisory }])),
  )
  const bad = found.filter(({ url = '' }) => !((url.split('/').at(-1) ?? '') in allowed))
  if (bad.length === 0) return { exitCode: 0, lines: ['No known vulnerability.'] }
  const lines = bad.map(({ name, severity, title, url }) => `${name}: ${severity}: ${title} (${url})`)
  return { exitCode: 1, lines }
}

/** Runs `npm audit`; a report also where it ends with an error, which is how it says that it has found something. */
function ask(): Promise<AuditReport> {
  const options = ['--omit=dev', '--json', '--fetch-retries=0', `--fetch-timeout=${FETCH_TIMEOUT_MS}`]
  return new Promise(resolve => {
    execFile('npm', ['audit', ...options], { maxBuffer: REPORT_BYTES_MAX }, (error, stdout) => {
      try {
        resolve(JSON.parse(stdout) as AuditReport)
      } catch {
        resolve({ message: error?.message.split('\n')[0] ?? 'npm said nothing' })
      }
    })
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isOffline = process.argv.includes('--offline')
  const { exitCode, lines } = isOffline
    ? { exitCode: 0, lines: ['NOT AUDITED: --offline was given. Nothing was checked.'] }
    : judge(await ask())
  process.stdout.write(`${lines.join('\n')}\n`)
  process.exitCode = exitCode
}
